import { createHash } from "node:crypto";
import { type PostgresClient, rowsOf } from "./client.js";

/** Milliseconds since 1970 by the clock of the database: those of the processes may differ. */
export const now = "extract(epoch FROM clock_timestamp())::double precision * 1000";

/** Names are compared as bytes: no order of a language, and no text that is the same in another form. */
export const nameType = 'text COLLATE "C" NOT NULL';

/** A name in a table, so that a copy of it opens no session. */
export function digestOf(name: string): string {
  return createHash("sha256").update(name).digest("base64url");
}

/** The name of a table as SQL. @param table after the name of its schema and a dot if it has one */
export function quoted(table: string): string {
  return table
    .split(".")
    .map((part) => `"${part.replaceAll('"', '""')}"`)
    .join(".");
}

/**
 * Makes a table, if it is absent. Several processes may do so at once.
 *
 * @param table its name as SQL
 * @param columns as SQL
 * @param indexes the columns of each, as SQL
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

/** A text as SQL. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
