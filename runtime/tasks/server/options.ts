import { checkOptions, gone, type Rules, secrets, withFunctions } from "@mcpgen/base";
import type { TaskStore } from "../store/store.js";
import type { TaskEventListener } from "./events.js";
import type { ClientLimits } from "./quotas.js";

/** Passes runs of tasks to a queue. Its workers, in any process, call `run(taskId)` of `Tasks`. */
export interface Executor {
  /**
   * Called when a task must run. If it rejects, or no worker begins the run, it is called again: first after `leaseMs`,
   * then after twice the previous wait. A task that is in the queue twice runs only once.
   */
  enqueue(taskId: string): unknown;
}

/** Options of `tasks` for servers. */
export interface TasksOptions {
  /** The store for tasks. Default: the memory of this process. */
  readonly store?: TaskStore;
  /**
   * Secrets that bind task ids to clients: the current one first, then earlier ones. Processes that share a store need the
   * same secrets. Default: a random secret, which works only with the store in memory.
   */
  readonly keys?: readonly string[];
  /** Milliseconds for which a task is kept after its end. Default: one hour. */
  readonly keepMs?: number;
  /** Milliseconds for which a task waits for input before it fails. Default: one day. */
  readonly waitMs?: number;
  /** Milliseconds between polls that the server suggests. Default: 1000. */
  readonly pollMs?: number;
  /** Milliseconds after which another worker may take the task of a silent worker. Default: 15,000. */
  readonly leaseMs?: number;
  /**
   * A queue for runs that are due in this process: of a call that is a task from the start (`inlineMs: 0`, or at the
   * client's request), of a task that has got its input, and of a task whose lease has expired. Default: such runs begin in
   * this process.
   */
  readonly executor?: Executor;
  readonly limits?: ClientLimits;
  /**
   * Whether clients of 2025-11-25 may list their tasks. Use it only on servers that authenticate, because all clients
   * without a principal share one list. Default: `false`.
   */
  readonly list?: boolean;
  /**
   * `tools`: clients of revisions without tasks (2025-06-18 and before) get the tools `task_status`, `task_result` and
   * `task_cancel`; the result of a long call is a text with an id. Default: such calls run inline.
   */
  readonly fallback?: "tools";
  /** Receives the events of tasks, for audit and telemetry. Exceptions of the listener are ignored. */
  readonly onEvent?: TaskEventListener;
}

/** How calls of a tool run as tasks: the member `task` of its definition. */
export interface ToolTask {
  /**
   * `optional`: a long call becomes a task if the client supports tasks. `required`: clients without tasks cannot call the
   * tool. `forbidden`: calls never become tasks, as without the member `task`.
   */
  readonly support: "optional" | "required" | "forbidden";
  /** Milliseconds after which a call becomes a task. Default: 1000. */
  readonly inlineMs?: number;
  /**
   * What happens to a task when its process ends. `replay`: another process runs the handler again from its first line;
   * answered requests for input and effects of `context.once` return their stored values. `fail`: the task fails. Default:
   * `fail`.
   */
  readonly onRestart?: "replay" | "fail";
  /**
   * A text for the model to read while the task runs: in `_meta` of the answer that creates the task at 2025-11-25, and as
   * the first `statusMessage`. Default: none.
   */
  readonly immediate?: string;
  /**
   * Maximum time of one run of the handler in milliseconds; then its signal aborts, and the task fails. Default: no limit.
   */
  readonly maxRunMs?: number;
}

const rules: Rules<TasksOptions, "sweepMs" | "quotas"> = {
  store: withFunctions("create", "read", "replace", "due", "remove"),
  keys: secrets(16),
  keepMs: 0,
  waitMs: 1,
  pollMs: 1,
  leaseMs: 2,
  executor: withFunctions("enqueue"),
  limits: { work: "amount", memory: "amount" } satisfies Rules<ClientLimits>,
  list: "boolean",
  fallback: ["tools"],
  onEvent: "function",
  quotas: gone(
    "Write limits: { work, memory }: tasks of a client that run at once, and characters that it may store.",
  ),
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
 * Describes the expected member `task` of a tool if the given one is invalid.
 *
 * @param place the member, for errors
 * @throws {McpError} `invalid-definition`: a member of `task` is wrong
 */
export function toolTaskProblem(value: unknown, place: string): string | undefined {
  if (typeof value !== "object" || value === null || !("support" in value))
    return '{ support: "optional" }, "required" or "forbidden"';
  checkOptions(value, toolRules, `${place}.`);
  return undefined;
}

/** Whether calls of a tool with these added members may run as tasks. */
export function isTask(added: { readonly [member: string]: unknown } | undefined): boolean {
  const task = added?.["task"] as ToolTask | undefined;
  return task !== undefined && task.support !== "forbidden";
}
