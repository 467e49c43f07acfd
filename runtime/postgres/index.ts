// Stores in PostgreSQL.
export type { PostgresClient } from "./store/client.js";
export {
  createSessionTable,
  postgresSessionStore,
  type PostgresSessionStoreOptions,
  type SessionTableOptions,
} from "./store/session-store.js";
export { createTaskTable, type PostgresTaskStoreOptions } from "./store/table.js";
export { postgresTaskStore } from "./store/task-store.js";
