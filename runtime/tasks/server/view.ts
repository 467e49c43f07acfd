import type {
  CompletedTask,
  DetailedTask,
} from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/server";
import type { TaskRecord } from "../state/record.js";
import { isFinal } from "../state/record.js";

/** The members that all tasks have on the wire. */
type Common = Omit<CompletedTask, "result" | "status">;

/**
 * A task as the extension of 2026-07-28 shows it.
 *
 * @param now milliseconds since 1970
 */
export function detailedTask(record: TaskRecord, now: number): DetailedTask {
  const common = commonOf(record, now);
  const { status, wanted = {}, result = {}, error } = record;
  switch (status) {
    case "input_required":
      return { ...common, status, inputRequests: wanted } as DetailedTask;
    case "completed":
      // What the call would have been answered with is a complete result.
      return {
        ...common,
        status,
        result: { resultType: "complete", ...result } as object as CompletedTask["result"],
      };
    case "failed":
      return { ...common, status, error } as DetailedTask;
    default:
      return { ...common, status };
  }
}

/** A task without its outcome, as the answer to the call that made it. */
export function createdTask(record: TaskRecord, now: number): object {
  return { resultType: "task", ...commonOf(record, now), status: record.status };
}

function commonOf(record: TaskRecord, now: number): Common {
  const { id, createdAt, updatedAt, limits, message, status } = record;
  const { keepMs, pollMs } = limits;
  // Retention counts from the end: until then, the time to live grows.
  const until = (isFinal(status) ? updatedAt : now) + keepMs;
  return {
    taskId: id,
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
    ttlMs: Math.max(1, Math.ceil(until - createdAt)),
    pollIntervalMs: pollMs,
    ...(message !== undefined && { statusMessage: message }),
  };
}
