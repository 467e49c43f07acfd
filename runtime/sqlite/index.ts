// Stores in SQLite.
export type { PreparingDatabase, RunningDatabase, SqliteDatabase, Value } from "./store/database.js";
export { sqliteTaskStore, type SqliteTaskStoreOptions } from "./store/task-store.js";
