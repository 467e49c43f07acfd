import { createHash } from "node:crypto";
import { type PostgresClient, rowsOf } from "./client.js";

/** Advice for a former option of stores. */
export const ownTimeout = "Leave it out: a statement without an answer fails after 2 seconds.";

/**
 * SQL for milliseconds since 1970 by the clock of the database, because the clocks of the processes may
 * differ.
 */
export const now = "extract(epoch FROM clock_timestamp())::double precision * 1000";

/**
 * Type of columns with names. The collation "C" compares bytes, independent of languages and Unicode forms.
 */
export const nameType = 'text COLLATE "C" NOT NULL';

/** Returns the digest by which a table stores a name, so that a copy of the table cannot open sessions. */
export function digestOf(name: string): string {
  return createHash("sha256").update(name).digest("base64url");
}

/** Quotes the name of a table for SQL. @param table optionally preceded by a schema name and a dot */
export function quoted(table: string): string {
  return table
    .split(".")
    .map((part) => `"${part.replaceAll('"', '""')}"`)
    .join(".");
}

/**
 * Creates a table if it is absent. Several processes may call it at once.
 *
 * @param table name, as SQL
 * @param columns as SQL
 * @param indexes the columns of each index, as SQL
 */
export async function createTable(
  client: PostgresClient,
  table: string,
  columns: readonly string[],
  indexes: readonly string[],
): Promise<void> {
  const made = `
    PERFORM pg_advisory_xact_lock(7306368231);
    IF to_regclass(${literal(table)}) IS NULL THEN
      CREATE TABLE ${table} (${columns.join(", ")});
      ${indexes.map((each) => `CREATE INDEX ON ${table} (${each});`).join(" ")}
    END IF;`;
  await rowsOf(client, `DO ${literal(`BEGIN ${made} END`)}`);
}

/** Quotes a text for SQL. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
