// Stores in PostgreSQL.
export type { PostgresSubscriber } from "./store/cluster-channels.js";
export { postgresClusterStore } from "./store/cluster-store.js";
export { createClusterTables, type PostgresClusterStoreOptions } from "./store/cluster-tables.js";
export type { PostgresClient } from "./store/client.js";
export {
  createSessionTable,
  postgresSessionStore,
  type PostgresSessionStoreOptions,
} from "./store/session-store.js";
export { createTaskTable, type PostgresTaskStoreOptions } from "./store/table.js";
export { postgresTaskStore } from "./store/task-store.js";
