import { type AnswerContext, type Client, McpError } from "@mcpgen/runtime";
import type { ClientRequests } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/client";

/** A task as the server shows it, in the words of 2026-07-28. */
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
  /** What the task asks for, at 2026-07-28. */
  readonly inputRequests?: { readonly [key: string]: { readonly method: string; readonly params?: object } };
  /** The result of the call, at 2026-07-28. */
  readonly result?: object;
  /** Why it failed, at 2026-07-28. */
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** Of tasks: the last three are ends. */
export const statuses = ["working", "input_required", "completed", "failed", "cancelled"];

/** The end of a task: as the call would have ended. */
export type Outcome = { readonly result: object } | { readonly error: McpError };

/** A task that a call became. */
export interface Created {
  readonly taskId: string;
  readonly createdAt: string;
  readonly pollIntervalMs?: number;
  /** Text for the model, until there is a result. */
  readonly immediate?: string | undefined;
  /** Called when the task is no longer waited for. */
  readonly ended?: () => void;
}

/** What a call was answered with. */
export type Answer = { readonly task: Created } | { readonly result: object };

/** Sends a call on, with other parameters. */
export type Next = (params?: object) => object | Promise<object>;

/** Tasks of revisions that have none, by an extension beside the one of tasks. */
export interface Dialect {
  /** Whether the server has it at the negotiated revision. */
  isFor(client: Client): boolean;
  form(client: Client): TaskForm;
  /** Sends a call of a tool, as a task where that is possible. */
  call(client: Client, params: object, next: Next): Promise<Answer>;
}

/** The messages about tasks at one revision. */
export interface TaskForm {
  read(taskId: string): Promise<TaskState>;
  cancel(taskId: string): Promise<unknown>;
  /** Sends answers to what a task asks for. Absent if the server sends requests while `outcome` waits. */
  update?(taskId: string, answers: { readonly [key: string]: object }): Promise<unknown>;
  /** The outcome of a task that has completed or failed; without `update`, also of one that waits for input. */
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
      return { error: new McpError("remote-error", message, { rpcCode, data }) };
    },
  };
}
