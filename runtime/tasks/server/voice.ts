import type { HandlerContext } from "@mcpgen/runtime";
import { judgesRights } from "@mcpgen/runtime/extending";
import type { TaskRecord } from "../state/record.js";

/**
 * What the client that made a task gets without a request. The process that the client is connected to keeps the voice until
 * the task ends.
 */
export interface Voice {
  /** The status of the task has changed. */
  readonly changed?: (record: TaskRecord) => void;
  readonly progressed?: (id: string, ...report: Report) => void;
  /** The handler sends a notification, or a log message. */
  readonly sent?: (id: string, method: string, params: object | undefined) => void;
}

/** Progress, as handlers report it. */
export type Report = [progress: number, total?: number | undefined, message?: string | undefined];

/**
 * What a client hears of a task without a request. Any token of the user may open the stream for it: where tokens have different
 * rights, it has nothing of a task with scopes but the status. Requests about the task have the rest.
 */
export function audible(voice: Voice, { scopes }: TaskRecord, context: HandlerContext): Voice {
  if (!scopes || !judgesRights(context)) return voice;
  return {
    changed: ({ message: _message, wanted: _wanted, result, error: _error, ...record }) => {
      const isFailure = (result as { readonly isError?: boolean } | undefined)?.isError === true;
      voice.changed?.(isFailure ? { ...record, status: "failed" } : record);
    },
  };
}
