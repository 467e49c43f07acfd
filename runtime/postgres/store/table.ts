import { checkOptions, type Rules } from "@mcpgen/base";
import { type PostgresClient, rowsOf } from "./client.js";
import { createTable, nameType, quoted } from "./sql.js";

export interface PostgresTaskStoreOptions {
  /**
   * Name of the table, after the name of its schema and a dot if it has one; beside it there is another one, with `_usage` at the
   * end. Default: `mcpgen_tasks_v1`, where 1 is the number of its layout.
   */
  readonly table?: string;
}

/** The owner of the sums of all owners, as SQL: no name is written so, for its quotation mark would be escaped. */
export const everybody = `'"'`;

/**
 * Makes the tables of a store, if they are absent. Several processes may do so at once. The store does not do it by itself: the
 * role of a server seldom has the right to.
 *
 * @throws {McpError} `invalid-definition`: an option is wrong
 */
export async function createTaskTable(
  client: PostgresClient,
  options: PostgresTaskStoreOptions = {},
): Promise<void> {
  const columns = [
    `id ${nameType} PRIMARY KEY`,
    "version integer NOT NULL",
    `owner ${nameType}`,
    "due_at double precision NOT NULL",
    "size double precision NOT NULL",
    "record text NOT NULL",
  ];
  const tables = tablesOf("createTaskTable", options);
  await createTable(client, tables.tasks, columns, ["due_at, id", "owner, id"]);
  const sums = [`owner ${nameType} PRIMARY KEY`, "tasks bigint NOT NULL", "bytes double precision NOT NULL"];
  await createTable(client, tables.sums, sums, []);
  await rowsOf(client, `INSERT INTO ${tables.sums} VALUES (${everybody}, 0, 0) ON CONFLICT DO NOTHING`);
}

const rules: Rules<PostgresTaskStoreOptions> = { table: "string" };

/** The names of the tables as SQL. @param place the function that has the options, for errors */
export function tablesOf(
  place: string,
  options: PostgresTaskStoreOptions,
): { readonly tasks: string; readonly sums: string } {
  checkOptions(options, rules, `${place}: `);
  const { table = "mcpgen_tasks_v1" } = options;
  return { tasks: quoted(table), sums: quoted(`${table}_usage`) };
}
