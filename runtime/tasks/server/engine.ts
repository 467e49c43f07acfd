import {
  type Clock,
  McpError,
  type HandlerContext,
  type NotificationBus,
  type Server,
} from "@mcpgen/runtime";
import { invalid, unref, wallTimeOf } from "@mcpgen/base";
import { type TaskEvent, advance } from "../state/advance.js";
import { type Lease, type TaskRecord, isFinal } from "../state/record.js";
import { type MemoryTaskStore, memoryTaskStore } from "../store/memory.js";
import type { StoreLimits, TaskStore } from "../store/store.js";
import { reporter } from "./events.js";
import type { TaskIds } from "./ids.js";
import type { TasksOptions } from "./options.js";
import { QuotaCounter, type ReachedLimit } from "./quotas.js";
import { clockOf, reportTo } from "./request.js";
import type { Run } from "./run.js";
import type { CallWords, Next, Voice } from "./tool-call.js";
import { detailedTask, notification } from "./view.js";

/** Maximum number of attempts to change a record that other processes also change. */
const attempts = 20;

/**
 * A failure of at most this many characters is stored regardless of limits. The server's own errors are shorter.
 */
const shortError = 1000;

/**
 * Maximum time between sweeps in milliseconds. A sweep checks leases, waits for input, retention and `maxRunMs`.
 */
const longestSweepMs = 1000;

/** Makes the reason for stopping a run: its task has ended, waits, or belongs to another run. */
export const ended = (): McpError => new McpError("cancelled", "the task has ended");

/** Stores and runs the tasks of a server. */
export class Engine {
  readonly quotas: QuotaCounter;
  readonly report;
  store: TaskStore;
  /** Voices by task id, for tasks whose client is connected to this process. */
  readonly voices = new Map<string, Voice>();
  /** Calls that must become tasks at once, by their context. */
  readonly wanted = new WeakMap<object, CallWords>();
  /** Whether records contain the progress as a fraction. */
  keepsProgress = false;
  /** Whether any tool may run as a core task. Only then the server declares the capability. */
  declare offersTasks?: boolean;
  /** Whether a client supports tasks by a dialect. */
  declare declaresDialect?: (context: HandlerContext) => boolean;
  /** The store, if it is in the memory of this process. */
  readonly local: MemoryTaskStore | undefined;
  readonly options: TasksOptions;
  /** The runs of this process, by the id of their task. */
  readonly runs = new Map<string, Run>();
  /** Functions to call at the next change of a task, by task id. */
  readonly waiters = new Map<string, Set<() => void>>();
  /** Functions that run a task's handler again, by the context of the repeated call. */
  readonly again = new WeakMap<object, (context: HandlerContext, next: Next) => object | Promise<object>>();
  #server: Server | undefined;
  #clock: Clock | undefined;
  #ids: Promise<TaskIds> | undefined;
  #timer: unknown;
  /** The server's notification bus. It connects processes, unless it is the default bus. */
  bus: NotificationBus | undefined;
  /** Milliseconds by which the clock of this process is ahead of the store's clock. */
  ahead = 0;
  /** Ends the subscription to changes of other processes. */
  unfollow: (() => void) | undefined;
  isClosed = false;

  /** Processes due tasks. */
  sweep: () => Promise<void>;

  /** @param sweep processes due tasks; its module is loaded when the timer first fires */
  constructor(options: TasksOptions, sweep: (engine: Engine) => Promise<void>) {
    this.options = options;
    this.sweep = () => sweep(this);
    this.local = options.store ? undefined : memoryTaskStore();
    this.store = options.store ?? this.local!;
    if (options.store && !options.keys)
      throw invalid(
        "tasks: a store needs keys. Other processes, and this one after a restart, would refuse its ids.",
      );
    if (options.list && !this.store.list)
      throw invalid("tasks: list: the store has no function list. Leave the option out.");
    this.quotas = new QuotaCounter(options.limits);
    this.report = reporter(options.onEvent);
  }

  /**
   * Sets the server whose tools run as tasks. @throws {McpError} `invalid-definition`: the engine has a server
   * already
   */
  attach(server: Server, bus: NotificationBus | undefined): void {
    if (this.#server) throw invalid("tasks: one server has them already. Call tasks() for each server.");
    this.#server = server;
    this.bus = bus;
    // Tasks of other processes may be due. Wait until the server is complete; it never is if an option is wrong.
    if (!this.local) queueMicrotask(() => server.definition && this.schedule());
  }

  get server(): Server {
    return this.#server!;
  }

  get clock(): Clock {
    return (this.#clock ??= clockOf(this.server));
  }

  get ids(): Promise<TaskIds> {
    return (this.#ids ??= import("./ids.js").then(({ taskIds }) => taskIds(this.options.keys ?? [])));
  }

  /** Milliseconds since 1970. */
  now(): number {
    return wallTimeOf(this.clock) - this.ahead;
  }

  /**
   * Returns the limit that another task of a client would exceed, as far as this process knows.
   *
   * @param tool name of the called tool
   */
  exceeded(owner: string, tool: string): ReachedLimit | undefined {
    const { quotas } = this;
    const limit = quotas.exceeded(owner, this.clock.now()) ?? quotas.exceededBy(this.local?.usage(owner));
    return this.refused(limit, owner, tool);
  }

  /** Reports the limit that refuses a call, if there is one, and returns it. */
  refused(limit: ReachedLimit | undefined, owner: string, tool: string): ReachedLimit | undefined {
    if (limit) this.report("refused", { id: "", owner, tool, reason: limit });
    return limit;
  }

  /** Counts a poll. @returns milliseconds until the next poll is allowed, if this one came too early */
  polled(id: string): number | undefined {
    return this.quotas.polled(id, this.options.pollMs ?? 1000, this.clock.now());
  }

  /**
   * Applies an event to a task.
   *
   * @param known the record, if already read
   * @returns the new record; `undefined` if the task does not exist
   * @throws {McpError} `limit-exceeded`: the store has no room for the larger record
   */
  async apply(id: string, event: TaskEvent, known?: TaskRecord): Promise<TaskRecord | undefined> {
    let record = known ?? (await this.store.read(id));
    for (let attempt = 0; record && attempt < attempts; attempt++) {
      const next = advance(record, event, this.now());
      if (next === record) return record;
      const replaced = await this.store.replace(next, record.version, this.#limitsOf(record, next));
      if (replaced === "full") throw (await import("./refusals.js")).growthRefused(this.report, record);
      if (replaced) {
        this.advanced(record, next);
        return next;
      }
      record = await this.store.read(id);
    }
    if (record) throw new McpError("store-failed", `the task was changed ${attempts} times meanwhile`);
    return undefined;
  }

  /**
   * Returns the limits for a changed record; none if it does not grow, or is a short failure, so that a task can
   * always fail.
   */
  #limitsOf({ size: before = 0 }: TaskRecord, { status, size = 0 }: TaskRecord): StoreLimits | undefined {
    const isShort = status === "failed" && size <= shortError;
    return size > before && !isShort ? this.quotas.limits : undefined;
  }

  /** Called when a record was replaced: updates counts and runs, and announces the change. */
  advanced(before: TaskRecord, after: TaskRecord): void {
    const { id, status } = after;
    if (isFinal(status) || status === "input_required") {
      this.quotas.unqueued(id);
      this.#ended(id, before.lease?.run);
    }
    if (before.status !== status) this.safely(() => this.voices.get(id)?.changed?.(after));
    if (isFinal(status)) {
      this.voices.delete(id);
      this.report("ended", after);
    } else if (before.wanted !== after.wanted)
      this.report(status === "working" || before.wanted ? "answered" : "asked", after);
    if (before.status !== status || before.message !== after.message || before.wanted !== after.wanted) {
      this.wake(id);
      this.safely(() => this.server.notify(notification, detailedTask(after, this.now())));
    }
  }

  /** Announces a change. An error in the announcement does not affect the task. */
  safely(announce: () => void): void {
    try {
      announce();
    } catch (error) {
      this.fault(error);
    }
  }

  /** Wakes everything that waits for a change of a task. */
  wake(id: string): void {
    for (const wake of this.waiters.get(id) ?? []) wake();
  }

  /** Cancels a task. The status changes at once; the handler's signal aborts. */
  async cancel(record: TaskRecord): Promise<TaskRecord | undefined> {
    return this.apply(record.id, { type: "cancelled" }, record);
  }

  /** Counts a run until its handler has ended, which may be long after the task has ended. */
  counted(run: Run, owner: string): void {
    this.quotas.ran(owner, 1);
    run.onSettled = () => this.quotas.ran(owner, -1);
    run.onEnd = () => {
      const { id = "" } = run;
      if (this.runs.get(id) === run) this.runs.delete(id);
    };
  }

  /** Stops the run of a task that has ended or waits, if it runs in this process. */
  #ended(id: string, name: string | undefined): void {
    const run = this.runs.get(id);
    if (run && run.name === name) run.stop(ended());
  }

  leaseOf({ name }: { readonly name: string }): Lease {
    return { run: name, until: this.now() + this.leaseMs };
  }

  get leaseMs(): number {
    return this.options.leaseMs ?? 15_000;
  }

  /** Milliseconds between sweeps: short enough to renew a lease before it expires. */
  get sweepMs(): number {
    return Math.min(longestSweepMs, this.leaseMs / 2);
  }

  fault(error: unknown): void {
    reportTo(this.server, error, "tasks");
  }

  /** Schedules the next sweep. One timer serves all tasks. */
  schedule(): void {
    if (this.#timer !== undefined || this.isClosed) return;
    this.#timer = unref(this.clock.schedule(() => void this.#tick(), this.sweepMs));
  }

  async #tick(): Promise<void> {
    await this.sweep().catch((error: unknown) => this.fault(error));
    this.#timer = undefined;
    // If the store in memory is empty, the next new task schedules the sweep.
    if (this.local?.size !== 0) this.schedule();
  }

  /** Stops the timer and the subscription to changes of other processes. */
  close(): void {
    this.isClosed = true;
    if (this.#timer !== undefined) this.clock.clear(this.#timer);
    this.unfollow?.();
  }
}
