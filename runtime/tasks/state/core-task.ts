import { type TaskRecord, isFinal } from "./record.js";

/** Makes the state of a task in the form of the core protocol. */
export function coreTask(record: TaskRecord, now: number): object {
  const { id, createdAt, updatedAt, limits, message, result } = record;
  // A result with `isError` makes the task failed (C13).
  const isFailure = (result as { readonly isError?: boolean } | undefined)?.isError === true;
  const status = isFailure ? "failed" : record.status;
  const statusMessage = message ?? (isFailure ? textOf(result!) : undefined);
  const until = (isFinal(record.status) ? updatedAt : now) + limits.keepMs;
  return {
    taskId: id,
    status,
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
    ttl: Math.max(1, Math.ceil(until - createdAt)),
    pollInterval: limits.pollMs,
    ...(statusMessage !== undefined && { statusMessage }),
  };
}

/** Returns the first text in a result. */
function textOf(result: object): string | undefined {
  const { content = [] } = result as { readonly content?: readonly { readonly text?: unknown }[] };
  const text = content[0]?.text;
  return typeof text === "string" ? text : undefined;
}
