// Clients that drive tasks to their results.
export { tasks, type ClientTasks, type ClientTasksOptions } from "./client/extension.js";
export { TaskHandle, type TaskState } from "./client/handle.js";
export type { HandleStore, StoredHandle } from "./client/handle-store.js";
