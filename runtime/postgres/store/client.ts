/** A connection or a pool: `Pool` or `Client` of `pg`, or `PGlite`. */
export interface PostgresClient {
  query(text: string, values: (string | number)[]): Promise<{ readonly rows: readonly unknown[] }>;
}

/** A row of a result. */
export interface Row {
  readonly [column: string]: unknown;
}

/** Runs a statement in one round trip. Resolves with its rows. */
export async function rowsOf(
  client: PostgresClient,
  text: string,
  ...values: (string | number)[]
): Promise<readonly Row[]> {
  const { rows } = await client.query(text, values);
  return rows as readonly Row[];
}
