import { Breaker, checkOptions, gone, type Rules } from "@mcpgen/base";
import type { SessionStore, StoredSession } from "@mcpgen/runtime/http";
import { type PostgresClient, type Row, rowsOf } from "./client.js";
import { createTable, digestOf, nameType, now, ownTimeout, quoted } from "./sql.js";

export interface PostgresSessionStoreOptions {
  /**
   * Name of the table, optionally preceded by a schema name and a dot. Default: `mcpgen_sessions_v1`, where 1 is the
   * version of the layout.
   */
  readonly table?: string;
}

const rules: Rules<PostgresSessionStoreOptions, "timeoutMs"> = {
  table: "string",
  timeoutMs: gone(ownTimeout),
};

const defaultTable = "mcpgen_sessions_v1";

/**
 * Creates the table of a session store if it is absent. Several processes may call it at once. The store does not create
 * it itself, because the database role of a server seldom has the permission.
 *
 * @throws {McpError} `invalid-definition`: an option is wrong
 */
export async function createSessionTable(
  client: PostgresClient,
  options: PostgresSessionStoreOptions = {},
): Promise<void> {
  checkOptions(options, rules, "createSessionTable: ");
  const columns = [`id ${nameType} PRIMARY KEY`, "due_at double precision NOT NULL", "record text NOT NULL"];
  await createTable(client, quoted(options.table ?? defaultTable), columns, ["due_at"]);
}

/** Maximum number of expired sessions that adding a session removes. */
const mostRemoved = 16;

/**
 * Makes a store of sessions in PostgreSQL, in the table of `createSessionTable`. Each function is one statement. The table
 * contains digests of session ids, so that a copy of the database cannot open sessions. A statement without an answer fails
 * after 2 seconds, and others then fail at once, until PostgreSQL answers.
 *
 * @param client a connection or a pool; the store does not close it
 * @throws {McpError} `invalid-definition`: an option is wrong
 */
export function postgresSessionStore(
  client: PostgresClient,
  options: PostgresSessionStoreOptions = {},
): SessionStore {
  checkOptions(options, rules, "postgresSessionStore: ");
  const sessions = quoted(options.table ?? defaultTable);
  const breaker = new Breaker("PostgreSQL");
  const run = (text: string, ...values: (string | number)[]): Promise<readonly Row[]> =>
    breaker.run(() => rowsOf(client, text, ...values));
  // Skips rows that another process is removing.
  const expired = `
    SELECT id FROM ${sessions} WHERE due_at <= ${now} AND id <> $1 LIMIT ${mostRemoved} FOR UPDATE SKIP LOCKED`;
  const set = `
    WITH removed AS (DELETE FROM ${sessions} WHERE id IN (${expired}))
    INSERT INTO ${sessions} VALUES ($1, ${now} + $2, $3)
    ON CONFLICT (id) DO UPDATE SET due_at = excluded.due_at, record = excluded.record`;
  return {
    get: async (id) => {
      const text = `SELECT record FROM ${sessions} WHERE id = $1 AND due_at > ${now}`;
      const [row] = await run(text, digestOf(id));
      return row && { id, ...(JSON.parse(row["record"] as string) as Omit<StoredSession, "id">) };
    },
    set: async ({ id, ...record }, ttlMs) =>
      void (await run(set, digestOf(id), ttlMs, JSON.stringify(record))),
    touch: async (id, ttlMs) => {
      const text = `UPDATE ${sessions} SET due_at = ${now} + $2 WHERE id = $1 AND due_at > ${now} RETURNING 1`;
      return (await run(text, digestOf(id), ttlMs)).length === 1;
    },
    delete: async (id) => void (await run(`DELETE FROM ${sessions} WHERE id = $1`, digestOf(id))),
  };
}
