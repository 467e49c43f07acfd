// Names of tasks in the core of the protocol (2025-11-25, tasks), where either side may run them.

/** A revision has tasks in its core if one side can ask the other for results of tasks. */
export const resultMethod = "tasks/result";

/** The requests that concern tasks. */
export const coreMethods = ["tasks/get", resultMethod, "tasks/cancel", "tasks/list"] as const;

export type CoreMethod = (typeof coreMethods)[number];

export const statusMethod = "notifications/tasks/status";

/** The member of `_meta` that names the task of a message. */
export const relatedKey = "io.modelcontextprotocol/related-task";
