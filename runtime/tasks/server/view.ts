import type {
  DetailedTask,
  ServerNotifications,
} from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/server";
import { type TaskRecord, isFinal } from "../state/record.js";

/** Announces a task as it is now, on the bus of the server: to the subscriptions of all processes that share the bus. */
export const notification: keyof ServerNotifications = "notifications/tasks";

/**
 * A task as the extension of 2026-07-28 shows it.
 *
 * @param now milliseconds since 1970
 */
export function detailedTask(record: TaskRecord, now: number): DetailedTask {
  const task = commonOf(record, now);
  const { status, wanted = {}, result, error } = record;
  if (status === "input_required") task["inputRequests"] = wanted;
  // What the call would have been answered with is a complete result.
  else if (status === "completed") task["result"] = { resultType: "complete", ...result };
  else if (status === "failed") task["error"] = error;
  return task as object as DetailedTask;
}

/** A task without its outcome, as the answer to the call that made it. */
export function createdTask(record: TaskRecord, now: number): object {
  return { resultType: "task", ...commonOf(record, now) };
}

/** The members that all tasks have. Others are set one by one: a copy would cost more than the rest of a poll. */
function commonOf(record: TaskRecord, now: number): Record<string, unknown> {
  const { id, createdAt, updatedAt, limits, message, status } = record;
  const { keepMs, pollMs } = limits;
  // Retention counts from the end: until then, the time to live grows.
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
