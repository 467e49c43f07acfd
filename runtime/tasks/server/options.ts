import { checkOptions, gone, type Rules, withFunctions } from "@mcpgen/base";
import type { TaskStore } from "../store/store.js";
import type { TaskEventListener } from "./events.js";
import type { Quotas } from "./quotas.js";

/** Hands runs of tasks to a queue, whose workers run them: they call `run(taskId)` of `Tasks`, in any process. */
export interface Executor {
  /**
   * Called when a task is to run. If it rejects, or if no worker begins the run, it is called again: first after `leaseMs`,
   * then after twice the wait each time. A task that is in the queue twice runs once.
   */
  enqueue(taskId: string): unknown;
}

/** How a server runs tasks. */
export interface TasksOptions {
  /** Where tasks are kept. Default: in the memory of this process. */
  readonly store?: TaskStore;
  /**
   * Secrets that bind ids of tasks to their clients: the current one first, then earlier ones. Processes that share a store
   * need the same secrets. Default: a random secret, which only works with the store in memory.
   */
  readonly keys?: readonly string[];
  /** Milliseconds that a task is kept after its end. Default: one hour. */
  readonly keepMs?: number;
  /** Milliseconds that a task waits for input before it fails. Default: one day. */
  readonly waitMs?: number;
  /** Milliseconds between polls that the server suggests. Default: 1000. */
  readonly pollMs?: number;
  /** Milliseconds after which another worker may take the task of a worker that is silent. Default: 15,000. */
  readonly leaseMs?: number;
  /**
   * A queue that gets each run which is due here: of a call that is detached from the start (`inlineMs: 0`, or asked for as
   * a task), of a task that has its input, of one whose lease lapsed. Default: such runs begin in this process.
   */
  readonly executor?: Executor;
  readonly quotas?: Quotas;
  /**
   * Whether clients of 2025-11-25 may list their tasks. Clients without a principal share one list: only for servers that
   * authenticate. Default: `false`.
   */
  readonly list?: boolean;
  /**
   * `tools`: clients of revisions without tasks (2025-06-18 and before) get the tools `task_status`, `task_result` and
   * `task_cancel`; a call that takes long is answered with an id in text. Default: such calls run inline.
   */
  readonly fallback?: "tools";
  /** Gets what happens to tasks, for audit and telemetry. Exceptions of the listener are ignored. */
  readonly onEvent?: TaskEventListener;
}

/** How a tool runs as a task: the member `task` of its definition. */
export interface ToolTask {
  /**
   * `optional`: a call becomes a task if it takes long and the client can have tasks. `required`: clients that cannot have
   * tasks cannot call the tool. `forbidden`: calls never become tasks, as without the member `task`.
   */
  readonly support: "optional" | "required" | "forbidden";
  /** Milliseconds that a call may take before it becomes a task. Default: 1000. */
  readonly inlineMs?: number;
  /**
   * What becomes of a task when the process that runs it ends. `replay`: another one runs the handler again from its first
   * line; asks that were answered and effects of `context.once` return at once. `fail`: the task fails. Default: `fail`.
   */
  readonly onRestart?: "replay" | "fail";
  /**
   * What the model may read while the task runs: `_meta` of the answer that creates the task at 2025-11-25, and the first
   * `statusMessage`. Default: none.
   */
  readonly immediate?: string;
  /** Milliseconds that one run of the handler may take; then its signal aborts, and the task fails. Default: no limit. */
  readonly maxRunMs?: number;
}

const rules: Rules<TasksOptions, "sweepMs"> = {
  store: withFunctions("create", "read", "replace", "due", "remove"),
  keys: (value) =>
    Array.isArray(value) && value[0] && value.every((key) => typeof key === "string" && key.length >= 16)
      ? undefined
      : "secrets of at least 16 characters",
  keepMs: 0,
  waitMs: 1,
  pollMs: 1,
  leaseMs: 2,
  executor: withFunctions("enqueue"),
  quotas: {
    running: "amount",
    perMinute: "amount",
    stored: "amount",
    storedBytes: "amount",
    totalBytes: "amount",
    resultBytes: "amount",
    earlyPolls: "amount",
  } satisfies Rules<Quotas>,
  list: "boolean",
  fallback: ["tools"],
  onEvent: "function",
  sweepMs: gone("Leave it out: what is due is looked at every second."),
};

const toolRules: Rules<ToolTask> = {
  support: ["optional", "required", "forbidden"],
  inlineMs: 0,
  onRestart: ["replay", "fail"],
  immediate: "string",
  maxRunMs: 1,
};

/** @throws {McpError} `invalid-definition` */
export function checkTasksOptions(options: object): void {
  checkOptions(options, rules, "tasks: ");
}

/**
 * What was expected of the member `task` of a tool, if it is none.
 *
 * @param place the member, for errors
 * @throws {McpError} `invalid-definition`: a member of it is wrong
 */
export function toolTaskProblem(value: unknown, place: string): string | undefined {
  if (typeof value !== "object" || value === null || !("support" in value))
    return '{ support: "optional" }, "required" or "forbidden"';
  checkOptions(value, toolRules, `${place}.`);
  return undefined;
}

/** Whether calls of a tool with these members may run as tasks. */
export function isTask(added: { readonly [member: string]: unknown } | undefined): boolean {
  const task = added?.["task"] as ToolTask | undefined;
  return task !== undefined && task.support !== "forbidden";
}
