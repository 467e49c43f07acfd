// Names of core tasks (2025-11-25, tasks), which either side may run.

/** A revision has core tasks if it has this request. */
export const resultMethod = "tasks/result";

/** The requests about tasks. */
export const coreMethods = ["tasks/get", resultMethod, "tasks/cancel", "tasks/list"] as const;

export type CoreMethod = (typeof coreMethods)[number];

export const statusMethod = "notifications/tasks/status";

/** The member of `_meta` with the id of the task to which a message belongs. */
export const relatedKey = "io.modelcontextprotocol/related-task";
