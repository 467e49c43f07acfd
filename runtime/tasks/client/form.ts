import { type AnswerContext, type Client, McpError } from "@mcpgen/runtime";
import type { ClientRequests } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/client";

/** The state of a task that a server sends, with the names of 2026-07-28. */
export interface TaskState {
  readonly taskId: string;
  readonly status: "working" | "input_required" | "completed" | "failed" | "cancelled";
  readonly statusMessage?: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  /** Milliseconds from the creation until the task may be deleted; `null`: without limit. */
  readonly ttlMs: number | null;
  readonly pollIntervalMs?: number;
  /** The requests for input that have no answer yet, at 2026-07-28. */
  readonly inputRequests?: { readonly [key: string]: { readonly method: string; readonly params?: object } };
  /** The result of the call, at 2026-07-28. */
  readonly result?: object;
  /** The error of a failed task, at 2026-07-28. */
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** The statuses of tasks. The last three are final. */
export const statuses = ["working", "input_required", "completed", "failed", "cancelled"];

/** The outcome of a task: the result or error that the call would have had. */
export type Outcome = { readonly result: object } | { readonly error: McpError };

/** A new task, as the answer to a call. */
export interface Created {
  readonly taskId: string;
  readonly createdAt: string;
  readonly pollIntervalMs?: number;
  /** Text for the model to read until there is a result. */
  readonly immediate?: string | undefined;
  /** Called when the client stops waiting for the task. */
  readonly ended?: () => void;
}

/** The answer to a call: a task or a result. */
export type Answer = { readonly task: Created } | { readonly result: object };

/** Passes a call on, optionally with other params. */
export type Next = (params?: object) => object | Promise<object>;

/** Tasks for revisions without them, by another extension than the tasks extension. */
export interface Dialect {
  /** Whether the server supports the dialect at the negotiated revision. */
  isFor(client: Client): boolean;
  form(client: Client): TaskForm;
  /** Sends a tool call, as a task if possible. */
  call(client: Client, params: object, next: Next): Promise<Answer>;
}

/** The messages about tasks at one revision. */
export interface TaskForm {
  read(taskId: string): Promise<TaskState>;
  cancel(taskId: string): Promise<unknown>;
  /**
   * Sends answers to a task's requests for input. Absent if the server itself sends these requests while
   * `outcome` waits.
   */
  update?(taskId: string, answers: { readonly [key: string]: object }): Promise<unknown>;
  /**
   * Gets the outcome of a completed or failed task. Without `update`, also called for a task that waits for
   * input; it then waits for the end.
   */
  outcome(task: TaskState, signal: AnswerContext["signal"]): Outcome | Promise<Outcome>;
}

/** The messages of the extension (2026-07-28). */
export function extensionForm(client: Client): TaskForm {
  const request = <Method extends keyof ClientRequests>(
    method: Method,
    params: ClientRequests[Method]["params"],
  ): Promise<ClientRequests[Method]["result"]> => client.request(method as string, params);
  return {
    read: (taskId) => request("tasks/get", { taskId }),
    cancel: (taskId) => request("tasks/cancel", { taskId }),
    update: (taskId, inputResponses) =>
      request("tasks/update", { taskId, inputResponses: inputResponses as never }),
    outcome: ({ result = {}, error }) => {
      if (!error) return { result };
      const { code: rpcCode, message, data } = error;
      return { error: new McpError("remote-error", message, { rpcCode, data, remote: error }) };
    },
  };
}
