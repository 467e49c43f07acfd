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

/** A task as a store keeps it: JSON, in the words of no revision. A record never changes: another one takes its place. */
export interface TaskRecord {
  readonly id: string;
  /** Name of the authenticated client that made it, or an empty string. */
  readonly owner: string;
  /** Grows by one with each change. */
  readonly version: number;
  readonly status: TaskStatus;
  /** For people: what the task does, or why it failed. */
  readonly message?: string;
  /** The part that is done, from 0 to 1, while it works. */
  readonly progress?: number;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** When clients could see the last change: milliseconds since 1970. */
  readonly updatedAt: number;
  /**
   * When a worker must look at it, in milliseconds since 1970: the end of the lease, of the wait for input, of the
   * retention.
   */
  readonly dueAt: number;
  readonly limits: TaskLimits;
  /** Name of the tool. */
  readonly tool: string;
  /** The scopes that the call needed: what reads the task needs them, too. Absent: none. */
  readonly scopes?: readonly string[];
  /** What becomes of it when the process that runs it ends: the handler runs again, or the task fails. */
  readonly onRestart: "replay" | "fail";
  /** The call. A task that has ended has none. */
  readonly request?: StoredRequest;
  /** What the handler has asked and done. A task that has ended has none. */
  readonly journal?: Journal;
  /** Requests to the client that have no answer, by key. */
  readonly wanted?: { readonly [key: string]: Asked };
  /** The run that works on it. Without a lease, any worker may begin one. */
  readonly lease?: Lease;
  /** How often a run took the task of another one whose lease had lapsed. */
  readonly restarts?: number;
  /** How often it was handed to a queue since its last run. */
  readonly queued?: number;
  readonly result?: object;
  /**
   * Characters of what it keeps of its client and of its handler: of the JSON of the result or of the error; until the task
   * ends, of the call, of the journal and of what is wanted. With those of `message`.
   */
  readonly size?: number;
  readonly error?: TaskError;
}

/** Milliseconds each. */
export interface TaskLimits {
  /** How long a task is kept after its end. */
  readonly keepMs: number;
  /** How long a task waits for input. */
  readonly waitMs: number;
  /** How often clients may poll. */
  readonly pollMs: number;
  /** How long one run of the handler may take. */
  readonly maxRunMs?: number;
}

/** The right to run a task. */
export interface Lease {
  /** Names one run: events of other runs have no effect. */
  readonly run: string;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** What a handler reports. */
export interface Note {
  readonly message?: string;
  /** The part that is done, from 0 to 1. */
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

/** The error of a task that the server gives up. @param limit the quota that made it do so */
export function internal(message: string, limit?: string): TaskError {
  return { code: -32603, message, ...(limit !== undefined && { data: { limit } }) };
}

/** Characters of the JSON of a value: what a record that keeps it takes. */
export function charactersOf(value: object | undefined): number {
  return value === undefined ? 0 : JSON.stringify(value).length;
}
