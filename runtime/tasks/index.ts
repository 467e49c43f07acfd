// For servers: tool calls that continue as tasks after their answer.
export { tasks, type Tasks } from "./server/extension.js";
export type { HandlerTask } from "./server/tool-call.js";
export type { Executor, TasksOptions, ToolTask } from "./server/options.js";
export type { ClientLimits } from "./server/quotas.js";
export type { TaskAudit, TaskEventListener } from "./server/events.js";
export { type MemoryTaskStore, memoryTaskStore } from "./store/memory.js";
export type { StoreLimits, TaskStore, TaskUsage } from "./store/store.js";
export { advance, type TaskEvent } from "./state/advance.js";
export type { Lease, TaskError, TaskLimits, TaskRecord, TaskStatus } from "./state/record.js";
export type { Asked, Done, Journal, StoredRequest } from "./state/record.js";
