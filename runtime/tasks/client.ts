// Clients that drive tasks to their results.
export { tasks, type ClientTasks, type ClientTasksOptions } from "./client/extension.js";
export { TaskHandle, type HandleStore, type StoredHandle, type TaskState } from "./client/handle.js";
