import { checkOptions, type Rules } from "@mcpgen/base";
import { type PostgresClient, rowsOf } from "./client.js";
import { createTable, nameType, quoted } from "./sql.js";

export interface PostgresTaskStoreOptions {
  /**
   * Name of the table, optionally preceded by a schema name and a dot. A second table has this name with `_usage`
   * appended. Default: `mcpgen_tasks_v1`, where 1 is the version of the layout.
   */
  readonly table?: string;
}

/**
 * The owner of the row with the sums of all owners, as SQL. No real owner has this name, because `exact` escapes
 * quotation marks.
 */
export const everybody = `'"'`;

/**
 * Creates the tables of a task store if they are absent. Several processes may call it at once. The store does not
 * create them itself, because the database role of a server seldom has the permission.
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

/** Returns the names of the tables as SQL. @param place name of the function with the options, for errors */
export function tablesOf(
  place: string,
  options: PostgresTaskStoreOptions,
): { readonly tasks: string; readonly sums: string } {
  checkOptions(options, rules, `${place}: `);
  const { table = "mcpgen_tasks_v1" } = options;
  return { tasks: quoted(table), sums: quoted(`${table}_usage`) };
}
