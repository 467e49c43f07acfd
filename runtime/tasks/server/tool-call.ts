import type { HandlerContext } from "@mcpgen/runtime";
import type { TaskRecord } from "../state/record.js";
import type { ToolTask } from "./options.js";
import { judgesRights } from "./request.js";

/** A call that is a task, or may become one. */
export interface HandlerTask {
  /** Id of the task, once the call is one. */
  readonly id: string | undefined;
  /** Name of the authenticated client, or an empty string: also where `context.auth` is absent, as in another process. */
  readonly principal: string;
  /**
   * Makes the call a task now. Asks that follow are answered by the client while it polls. Does nothing if the call is a
   * task already, or if the client has as many tasks as it may have.
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

/** What a call shows to its client, in the words of the client's revision. */
export interface CallWords {
  /** The answer to a call that became a task. */
  readonly created: (record: TaskRecord, now: number) => object;
  readonly voice?: Voice;
  /** Milliseconds that the client wants the task to be kept. */
  readonly keepMs?: number | undefined;
}

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
