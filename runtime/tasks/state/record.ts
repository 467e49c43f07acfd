import type { Params } from "@mcpgen/runtime";
import type { Asked, StoredRequest } from "@mcpgen/runtime/extending";

export type { Asked, StoredRequest };

/** What a handler has asked, and what it has done once: with it, the handler runs again from its first line. JSON. */
export interface Journal {
  /** Answers of the client, by the key of the ask. */
  readonly answers: { readonly [key: string]: Params };
  /** Results of `context.once`, in the order of their ends. */
  readonly once: readonly Done[];
}

/** The result of one `context.once`; without a value if it is `undefined`. */
export interface Done {
  readonly key: string;
  readonly value?: unknown;
}

/** The states of a task. The last three are final. */
export type TaskStatus = "working" | "input_required" | "completed" | "failed" | "cancelled";

/** The stored form of a task: JSON, independent of any revision. A record is immutable; a change replaces it. */
export interface TaskRecord {
  readonly id: string;
  /** Name of the authenticated client that created the task, or an empty string. */
  readonly owner: string;
  /** Incremented by each change. */
  readonly version: number;
  readonly status: TaskStatus;
  /** A text for people about the current work or the failure. */
  readonly message?: string;
  /** Progress from 0 to 1, while the task works. */
  readonly progress?: number;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Time of the last change that clients can see: milliseconds since 1970. */
  readonly updatedAt: number;
  /**
   * Time at which a worker must check the task, in milliseconds since 1970: the end of the lease, of the wait for input, or
   * of the retention.
   */
  readonly dueAt: number;
  readonly limits: TaskLimits;
  /** Name of the tool. */
  readonly tool: string;
  /** The scopes that the call needed. Requests that read the task need them, too. Absent if there are none. */
  readonly scopes?: readonly string[];
  /** What happens when the process of a run ends: the handler runs again, or the task fails. */
  readonly onRestart: "replay" | "fail";
  /** The call; absent for an ended task. */
  readonly request?: StoredRequest;
  /** Answers to the handler, and its effects; absent for an ended task. */
  readonly journal?: Journal;
  /** Outstanding requests to the client, by key. */
  readonly wanted?: { readonly [key: string]: Asked };
  /** The lease of the current run. Without a lease, any worker may begin a run. */
  readonly lease?: Lease;
  /** Number of times that a run took over the expired lease of another one. */
  readonly restarts?: number;
  /** Number of times that the task was queued since its last run. */
  readonly queued?: number;
  readonly result?: object;
  /**
   * Size in characters: the JSON of the result or error, or until the end of the call, the journal and outstanding
   * requests; plus `message`.
   */
  readonly size?: number;
  readonly error?: TaskError;
}

/** Limits of a task, in milliseconds. */
export interface TaskLimits {
  /** Time for which a task is kept after its end. */
  readonly keepMs: number;
  /** Maximum wait for input. */
  readonly waitMs: number;
  /** Suggested interval between polls. */
  readonly pollMs: number;
  /** Maximum time of one run of the handler. */
  readonly maxRunMs?: number;
}

/** The right to run a task. */
export interface Lease {
  /** Identifies the run. Events of other runs have no effect. */
  readonly run: string;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** A progress report of a handler. */
export interface Note {
  readonly message?: string;
  /** Progress from 0 to 1. */
  readonly progress?: number;
}

/** A JSON-RPC error. */
export interface TaskError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export function isFinal(status: TaskStatus): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

/** Makes the error of a task that the server gives up. @param limit the exceeded quota, if that is the reason */
export function internal(message: string, limit?: string): TaskError {
  return { code: -32603, message, ...(limit !== undefined && { data: { limit } }) };
}

/** The length of a value's JSON in characters. */
export function charactersOf(value: object | undefined): number {
  return value === undefined ? 0 : JSON.stringify(value).length;
}
