/** A connection, or a pool of them: `Pool` and `Client` of `pg`, `PGlite`. */
export interface PostgresClient {
  query(text: string, values: (string | number)[]): Promise<{ readonly rows: readonly unknown[] }>;
}

/** A row of a result. */
export interface Row {
  readonly [column: string]: unknown;
}

/** The rows of a statement. It takes one round trip. */
export async function rowsOf(
  client: PostgresClient,
  text: string,
  ...values: (string | number)[]
): Promise<readonly Row[]> {
  const { rows } = await client.query(text, values);
  return rows as readonly Row[];
}
