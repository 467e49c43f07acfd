import type { HandlerContext } from "@mcpgen/runtime";
import type { TaskRecord } from "../state/record.js";
import type { ToolTask } from "./options.js";
import { judgesRights } from "./request.js";

/** The task of a call in progress: the call is a task, or may become one. */
export interface HandlerTask {
  /** Id of the task; `undefined` while the call is not a task. */
  readonly id: string | undefined;
  /**
   * Name of the authenticated client, or an empty string. Present even where `context.auth` is absent, as in another
   * process.
   */
  readonly principal: string;
  /**
   * Turns the call into a task now. The client answers later requests for input while it polls. Does nothing if the call is
   * a task already, or if the client has reached a quota.
   */
  detach(): void;
}

/** Calls the handler of a request. */
export type Next = (params?: object, context?: object) => object | Promise<object>;

/** A call of a tool. */
export interface ToolCall<Task = ToolTask> {
  readonly context: HandlerContext;
  readonly params: object;
  readonly task: Task;
}

/** The messages of a task call to its client, in the form of the client's revision. */
export interface CallWords {
  /** Makes the answer to a call that became a task. */
  readonly created: (record: TaskRecord, now: number) => object;
  readonly voice?: Voice;
  /** Milliseconds for which the client wants the task to be kept. */
  readonly keepMs?: number | undefined;
}

/**
 * The messages that the client of a task gets without a request. The process to which the client is connected keeps the
 * voice until the task ends.
 */
export interface Voice {
  /** Called when the status of the task has changed. */
  readonly changed?: (record: TaskRecord) => void;
  readonly progressed?: (id: string, ...report: Report) => void;
  /** Called when the handler sends a notification or a log message. */
  readonly sent?: (id: string, method: string, params: object | undefined) => void;
}

/** The arguments of a progress report. */
export type Report = [progress: number, total?: number | undefined, message?: string | undefined];

/**
 * Returns a voice that sends only the status of a task with scopes, if tokens of one user may have different rights: any of
 * these tokens may open the stream. Requests about the task check their token, and return the other members.
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
