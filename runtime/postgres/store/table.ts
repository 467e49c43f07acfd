import { type Rules, checkOptions } from "@mcpgen/runtime/extending";
import type { PostgresClient } from "./client.js";
import { createTable, nameType, quoted } from "./sql.js";

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
  const columns = [
    `id ${nameType} PRIMARY KEY`,
    "version integer NOT NULL",
    `owner ${nameType}`,
    "due_at double precision NOT NULL",
    "size double precision NOT NULL",
    "record text NOT NULL",
  ];
  await createTable(client, tableOf("createTaskTable", options), columns, ["due_at, id", "owner, id"]);
}

const rules: Rules<PostgresTaskStoreOptions> = { table: "string" };

/** The name of the table as SQL. @param place the function that has the options, for errors */
export function tableOf(place: string, options: PostgresTaskStoreOptions): string {
  checkOptions(options, rules, `${place}: `);
  const { table = "mcpgen_tasks_v1" } = options;
  return quoted(table);
}
