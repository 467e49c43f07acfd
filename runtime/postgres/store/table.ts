import { type Rules, checkOptions } from "@mcpgen/runtime/extending";
import { type PostgresClient, rowsOf } from "./client.js";

export interface PostgresTaskStoreOptions {
  /**
   * Name of the table, after the name of its schema and a dot if it has one. Default: `mcpgen_tasks_v1`, where 1 is the number
   * of its layout.
   */
  readonly table?: string;
}

/**
 * Makes the table of a store, if it is absent. Several processes may do so at once. The store does not do it by itself: the
 * role of a server seldom has the right to.
 *
 * @throws {McpError} `invalid-definition`: an option is wrong
 */
export async function createTaskTable(
  client: PostgresClient,
  options: PostgresTaskStoreOptions = {},
): Promise<void> {
  const tasks = tableOf("createTaskTable", options);
  // Names are compared as bytes: no order of a language, and no text that is the same in another form.
  const name = 'text COLLATE "C" NOT NULL';
  const made = `
    PERFORM pg_advisory_xact_lock(7306368231);
    IF to_regclass(${literal(tasks)}) IS NULL THEN
      CREATE TABLE ${tasks} (
        id ${name} PRIMARY KEY,
        version integer NOT NULL,
        owner ${name},
        due_at double precision NOT NULL,
        size double precision NOT NULL,
        record text NOT NULL
      );
      CREATE INDEX ON ${tasks} (due_at, id);
      CREATE INDEX ON ${tasks} (owner, id);
    END IF;`;
  await rowsOf(client, `DO ${literal(`BEGIN ${made} END`)}`);
}

const rules: Rules<PostgresTaskStoreOptions> = { table: "string" };

/** The name of the table as SQL. @param place the function that has the options, for errors */
export function tableOf(place: string, options: PostgresTaskStoreOptions): string {
  checkOptions(options, rules, `${place}: `);
  const { table = "mcpgen_tasks_v1" } = options;
  const quoted = table.split(".").map((part) => `"${part.replaceAll('"', '""')}"`);
  return quoted.join(".");
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
