import type {
  DetailedTask,
  ServerNotifications,
} from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/server";
import { type TaskRecord, isFinal } from "../state/record.js";

/** The notification with the state of a task, sent on the server's bus to the subscriptions of all processes. */
export const notification: keyof ServerNotifications = "notifications/tasks";

/**
 * Makes the state of a task in the form of the extension (2026-07-28).
 *
 * @param now milliseconds since 1970
 */
export function detailedTask(record: TaskRecord, now: number): DetailedTask {
  const task = commonOf(record, now);
  const { status, wanted = {}, result, error } = record;
  if (status === "input_required") task["inputRequests"] = wanted;
  // The result of the call itself has no `resultType`, so add `complete`.
  else if (status === "completed") task["result"] = { resultType: "complete", ...result };
  else if (status === "failed") task["error"] = error;
  return task as object as DetailedTask;
}

/** Makes the answer to the call that created a task: the state without an outcome. */
export function createdTask(record: TaskRecord, now: number): object {
  return { resultType: "task", ...commonOf(record, now) };
}

/**
 * Makes the members that all tasks have. Callers add others by assignment: a copy would cost more than the rest of a
 * poll.
 */
function commonOf(record: TaskRecord, now: number): Record<string, unknown> {
  const { id, createdAt, updatedAt, limits, message, status } = record;
  const { keepMs, pollMs } = limits;
  // Retention begins at the end of the task. Until then, the time to live grows.
  const until = (isFinal(status) ? updatedAt : now) + keepMs;
  const task: Record<string, unknown> = {
    taskId: id,
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
    ttlMs: Math.max(1, Math.ceil(until - createdAt)),
    pollIntervalMs: pollMs,
    status,
  };
  if (message !== undefined) task["statusMessage"] = message;
  return task;
}
