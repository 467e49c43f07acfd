// For clients: runs tool calls as tasks, and gets their results.
export { tasks, type ClientTasks, type StartOptions } from "./client/extension.js";
export type { ClientTasksOptions } from "./client/options.js";
export type { TaskState } from "./client/form.js";
export { TaskHandle } from "./client/handle.js";
export type { HandleStore, StoredHandle } from "./client/handle-store.js";
