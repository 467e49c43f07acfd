import { checkOptions, gone, type Rules } from "@mcpgen/base";
import type { PostgresClient } from "./client.js";
import { createTable, nameType, ownTimeout, quoted } from "./sql.js";

export interface PostgresClusterStoreOptions {
  /**
   * Prefix of the table names, optionally preceded by a schema name and a dot. Default: `mcpgen_cluster_v1`,
   * where 1 is the version of the layout.
   */
  readonly table?: string;
}

export const rules: Rules<PostgresClusterStoreOptions, "timeoutMs"> = {
  table: "string",
  timeoutMs: gone(ownTimeout),
};

/** Returns the names of the tables as SQL. */
export function clusterTables(table = "mcpgen_cluster_v1") {
  const name = (suffix: string): string => quoted(`${table}_${suffix}`);
  return {
    logs: name("logs"),
    events: name("events"),
    values: name("values"),
    messages: name("messages"),
    listeners: name("listeners"),
  };
}

const due = "due_at double precision NOT NULL";

/**
 * Creates the tables of a cluster store if they are absent. Several processes may call it at once. The store
 * does not create them itself, because the database role of a server seldom has the permission.
 *
 * @throws {McpError} `invalid-definition`: an option is wrong
 */
export async function createClusterTables(
  client: PostgresClient,
  options: PostgresClusterStoreOptions = {},
): Promise<void> {
  checkOptions(options, rules, "createClusterTables: ");
  const { logs, events, values, messages, listeners } = clusterTables(options.table);
  const total = "total double precision NOT NULL";
  const bigint = (name: string): string => `${name} bigint NOT NULL`;
  await createTable(
    client,
    logs,
    [`session ${nameType} PRIMARY KEY`, bigint("first"), bigint("last"), total, due],
    ["due_at"],
  );
  await createTable(
    client,
    events,
    [
      `session ${nameType}`,
      bigint("number"),
      `id ${nameType}`,
      "stream text NOT NULL",
      "data text NOT NULL",
      "size double precision NOT NULL",
      total,
      "PRIMARY KEY (session, number)",
    ],
    [],
  );
  await createTable(client, values, [`key ${nameType} PRIMARY KEY`, "value text NOT NULL", due], ["due_at"]);
  await createTable(client, messages, ["id bigserial PRIMARY KEY", "message text NOT NULL", due], ["due_at"]);
  await createTable(
    client,
    listeners,
    [`channel ${nameType}`, bigint("owner"), "PRIMARY KEY (channel, owner)"],
    ["owner"],
  );
}
