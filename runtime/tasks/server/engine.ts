import { type Clock, McpError, type HandlerContext, type Server } from "@mcpgen/runtime";
import { clockOf, reportTo, requestAgain, storedRequest, wallTimeOf } from "@mcpgen/runtime/extending";
import { type TaskEvent, advance } from "../state/advance.js";
import { type TaskRecord, type TaskStatus, internal, isFinal } from "../state/record.js";
import { type MemoryTaskStore, memoryTaskStore } from "../store/memory.js";
import type { TaskStore } from "../store/store.js";
import { reporter } from "./events.js";
import { taskIds } from "./ids.js";
import type { TasksOptions, ToolTask } from "./options.js";
import { QuotaCounter, type Quotas, polledTooOften, quotaExceeded } from "./quotas.js";
import { Run } from "./run.js";
import { Waiters } from "./waiters.js";

/** Tasks that are looked at in one step of a sweep. */
const sweepStep = 100;

/** A handler that ends its process each time is run so often again. */
const mostRestarts = 5;

/** Attempts to change a record that others change at the same time. */
const attempts = 20;

/** Keeps the tasks of a server, and runs them. */
export class Engine {
  readonly ids;
  readonly quotas: QuotaCounter;
  readonly report;
  /** Called with each change that clients can see. */
  changed: (record: TaskRecord) => void = () => {};
  readonly #store: TaskStore;
  /** The store, if it is the one of this process alone. */
  readonly #local: MemoryTaskStore | undefined;
  readonly #options: TasksOptions;
  /** The runs of this process, by the id of their task. */
  readonly #runs = new Map<string, Run>();
  /** Runs of calls that the server makes again, by the context of the call. */
  readonly #waiters = new Waiters();
  readonly #again = new WeakMap<object, Run>();
  #server: Server | undefined;
  #clock: Clock | undefined;
  #timer: unknown;
  #isClosed = false;

  constructor(options: TasksOptions) {
    this.#options = options;
    this.#local = options.store ? undefined : memoryTaskStore();
    this.#store = options.store ?? this.#local!;
    if (options.store && !options.keys)
      throw new McpError(
        "invalid-definition",
        "tasks: a store needs keys: secrets that bind ids to clients. Other processes, and this one after a restart, would refuse the ids.",
      );
    if (options.list && !this.#store.list)
      throw new McpError(
        "invalid-definition",
        "tasks: list: the store has no function list. Leave the option out.",
      );
    this.ids = taskIds(options.keys ?? []);
    this.quotas = new QuotaCounter(options.quotas);
    this.report = reporter(options.onEvent);
  }

  /** Takes the server whose tools run as tasks. @throws {McpError} `invalid-definition`: there is one already */
  attach(server: Server): void {
    if (this.#server)
      throw new McpError(
        "invalid-definition",
        "tasks: one server has them already. Call tasks() for each server.",
      );
    this.#server = server;
    // Tasks of other processes may be due. The server is not complete yet.
    if (!this.#local) queueMicrotask(() => this.#schedule());
  }

  get server(): Server {
    return this.#server!;
  }

  get clock(): Clock {
    return (this.#clock ??= clockOf(this.server));
  }

  /** Milliseconds since 1970. */
  now(): number {
    return wallTimeOf(this.clock);
  }

  /** The run that a call of this context belongs to, if the server makes the call again. */
  runOf(context: object): Run | undefined {
    return this.#again.get(context);
  }

  /**
   * The quota that a further task of a client would exceed, as far as this process knows.
   *
   * @param tool that is called
   */
  exceeded(owner: string, tool: string): keyof Quotas | undefined {
    const { quotas } = this;
    const quota = quotas.exceeded(owner, this.now()) ?? quotas.exceededBy(this.#local?.usage(owner));
    return this.#refused(quota, owner, tool);
  }

  #refused(quota: keyof Quotas | undefined, owner: string, tool: string): keyof Quotas | undefined {
    if (quota) this.report("refused", { id: "", owner, tool, reason: `quotas.${quota}` });
    return quota;
  }

  /** Counts a poll. @throws {McpError} `rate-limited` */
  polled(id: string, owner: string): void {
    const wait = this.quotas.polled(id, this.#options.pollMs ?? 1000, this.now());
    if (wait === undefined) return;
    this.report("refused", { id, owner, tool: "", reason: "quotas.earlyPolls" });
    throw polledTooOften(wait);
  }

  read(id: string): Promise<TaskRecord | undefined> {
    return this.#store.read(id);
  }

  list(owner: string, after: string | undefined, limit: number): Promise<readonly TaskRecord[]> {
    return this.#store.list!(owner, after, limit);
  }

  /**
   * The record of a task after its next change. Changes of other processes are seen after `pollMs`.
   *
   * @throws the reason of `signal`
   */
  async changeOf(record: TaskRecord, signal: HandlerContext["signal"]): Promise<TaskRecord | undefined> {
    const { id, version, limits } = record;
    let wake!: () => void;
    const change = new Promise<void>((resolve) => (wake = resolve));
    const remove = this.#waiters.add(id, wake);
    signal.addEventListener("abort", wake);
    const timer = this.clock.schedule(wake, limits.pollMs);
    try {
      const now = await this.read(id);
      if (now?.version !== version) return now;
      await change;
    } finally {
      remove();
      signal.removeEventListener("abort", wake);
      this.clock.clear(timer);
    }
    if (signal.aborted) throw signal.reason;
    return this.read(id);
  }

  /** Stores the task of a call. Without a run, the task is for the queue. */
  async create(
    run: Run | undefined,
    context: HandlerContext,
    params: object,
    task: ToolTask,
    wantedMs = Infinity,
  ): Promise<TaskRecord> {
    const now = this.now();
    const request = storedRequest(context, params);
    const owner = request.principal;
    const { keepMs = 3_600_000, waitMs = 86_400_000, pollMs = 1000 } = this.#options;
    const tool = (params as { readonly name: string }).name;
    // Counted at once: of calls that come together, each sees those before it.
    this.quotas.made(owner, now);
    if (run) this.#counted(run, owner);
    const usage = await this.#store.usage?.(owner);
    const quota = this.#refused(this.quotas.exceededBy(usage), owner, tool);
    if (quota) throw quotaExceeded(quota);
    const dueAt = now + this.#leaseMs;
    const id = await this.ids.make(owner);
    const record: TaskRecord = {
      id,
      owner,
      version: 1,
      status: "working",
      ...(run?.note !== undefined && { message: run.note }),
      createdAt: now,
      updatedAt: now,
      dueAt,
      limits: {
        keepMs: Math.min(keepMs, wantedMs),
        waitMs,
        pollMs,
        ...(task.maxRunMs !== undefined && { maxRunMs: task.maxRunMs }),
      },
      tool,
      onRestart: task.onRestart ?? "fail",
      request,
      ...(run ? { journal: run.journal(), lease: { run: run.name, until: dueAt } } : { queued: 1 }),
    };
    await this.#store.create(record);
    if (run) this.#began(run, record);
    else this.#enqueue(record.id);
    this.report("created", record);
    this.#schedule();
    return record;
  }

  /**
   * Applies an event to a task.
   *
   * @param known the record, if it has been read
   * @returns the record afterwards; `undefined` if there is no such task
   */
  async apply(id: string, event: TaskEvent, known?: TaskRecord): Promise<TaskRecord | undefined> {
    let record = known ?? (await this.#store.read(id));
    for (let attempt = 0; record && attempt < attempts; attempt++) {
      const next = advance(record, event, this.now());
      if (next === record) return record;
      if (await this.#store.replace(next, record.version)) {
        this.#advanced(record, next);
        return next;
      }
      record = await this.#store.read(id);
    }
    if (record) throw new McpError("store-failed", `the task was changed ${attempts} times meanwhile`);
    return undefined;
  }

  #advanced(before: TaskRecord, after: TaskRecord): void {
    const { id, status } = after;
    if (isFinal(status) || status === "input_required") this.#ended(id, before.lease?.run);
    if (isFinal(status)) this.report("ended", after);
    else if (before.wanted !== after.wanted)
      this.report(status === "working" || before.wanted ? "answered" : "asked", after);
    if (before.status !== status || before.message !== after.message || before.wanted !== after.wanted) {
      this.#waiters.changed(id);
      this.changed(after);
    }
  }

  /** Cancels a task: its status at once, its run as soon as the handler heeds its signal. */
  async cancel(record: TaskRecord): Promise<TaskRecord | undefined> {
    return this.apply(record.id, { type: "cancelled" }, record);
  }

  /** Whether a queue takes the runs that are not those of a call. */
  get isQueued(): boolean {
    return this.#options.executor !== undefined;
  }

  /**
   * Begins a run of a task that no run has, or hands it to the queue.
   *
   * @param auth of the client, for the handler
   */
  begin(record: TaskRecord, auth?: unknown): void {
    this.#start(record, auth).catch((error: unknown) => this.#fault(error));
  }

  async #start(record: TaskRecord, auth?: unknown): Promise<unknown> {
    if (!this.isQueued) return this.#resume(record, auth);
    // Of the processes that see that the task is due, one hands it over.
    return (await this.#try(record, { type: "queued", waitMs: this.#leaseMs })) && this.#enqueue(record.id);
  }

  #enqueue(id: string): void {
    // A queue that is slow does not delay other work, such as leases.
    void (async () => this.#options.executor!.enqueue(id))().catch((error: unknown) => this.#fault(error));
  }

  /** Applies an event to this version of a task. Returns whether it was applied. */
  async #try(record: TaskRecord, event: TaskEvent): Promise<boolean> {
    const next = advance(record, event, this.now());
    if (next === record || !(await this.#store.replace(next, record.version))) return false;
    this.#advanced(record, next);
    return true;
  }

  /** Runs a task until it ends, waits for input, or is lost to another run. Returns its status then. */
  async run(id: string): Promise<TaskStatus | undefined> {
    const record = await this.read(id);
    if (record?.status !== "working" || (record.lease && record.lease.until > this.now()))
      return record?.status;
    const run = await this.#take(record, () => this.#resume(record));
    await (run as Run | undefined)?.ended();
    return (await this.read(id))?.status;
  }

  /** Runs a task that no run has. Returns the run, unless another one has it. */
  async #resume(record: TaskRecord, auth?: unknown): Promise<Run | undefined> {
    if (this.#isClosed) return undefined;
    const run = new Run(this, record.id);
    const lease = { run: run.name, until: this.now() + this.#leaseMs };
    const leased = await this.apply(record.id, { type: "leased", lease }, record);
    if (leased?.lease?.run !== run.name || this.#isClosed) return undefined;
    run.continues(leased);
    const { request } = leased;
    this.#counted(run, leased.owner);
    this.#began(run, leased);
    this.report("started", leased);
    try {
      const again = requestAgain(this.server, request!, auth);
      this.#again.set(again.context, run);
      run.settle(again.call(), again.context);
    } catch (error) {
      const { message } = error as Error;
      await run.apply({ type: "failed", run: run.name, error: internal(message) });
    }
    return run;
  }

  /** Counts a run until its end. */
  #counted(run: Run, owner: string): void {
    this.quotas.ran(owner, 1);
    run.onEnd = () => {
      this.quotas.ran(owner, -1);
      const { id = "" } = run;
      if (this.#runs.get(id) === run) this.#runs.delete(id);
    };
  }

  #began(run: Run, { id, limits }: TaskRecord): void {
    run.deadline = this.clock.now() + (limits.maxRunMs ?? Infinity);
    this.#runs.set(id, run);
  }

  /** The task has ended, or waits: its run here is stopped, if it still runs. */
  #ended(id: string, name: string | undefined): void {
    const run = this.#runs.get(id);
    if (run && run.name === name) run.stop(new McpError("cancelled", "the task has ended"));
  }

  get #leaseMs(): number {
    return this.#options.leaseMs ?? 15_000;
  }

  #fault(error: unknown): void {
    reportTo(this.server, error, "tasks");
  }

  /** One timer serves all tasks. */
  #schedule(): void {
    if (this.#timer !== undefined || this.#isClosed) return;
    this.#timer = this.clock.schedule(() => void this.#tick(), this.#options.sweepMs ?? 1000);
    // It does not keep a process alive.
    (this.#timer as { unref?: () => void }).unref?.();
  }

  async #tick(): Promise<void> {
    await this.sweep().catch((error: unknown) => this.#fault(error));
    this.#timer = undefined;
    // Without tasks in memory, the next one starts the timer again.
    if (this.#local?.size !== 0) this.#schedule();
  }

  /** Looks at what is due: runs of this process first, then tasks of the store. */
  async sweep(): Promise<void> {
    const now = this.now();
    this.quotas.sweep(now);
    const prolonged: Promise<unknown>[] = [];
    for (const run of this.#runs.values()) {
      if (run.deadline <= this.clock.now()) run.tooLong();
      else if (run.leasedUntil - now <= this.#leaseMs / 2)
        prolonged.push(run.prolong(now + this.#leaseMs).catch((error: unknown) => this.#fault(error)));
    }
    await Promise.all(prolonged);
    const seen = new Set<string>();
    for (let isMore = true; isMore;) {
      const due = await this.#store.due(now, sweepStep);
      const fresh = due.filter(({ id }) => !seen.has(id));
      for (const record of fresh) {
        seen.add(record.id);
        await this.#look(record);
      }
      isMore = fresh.length > 0 && due.length === sweepStep;
    }
  }

  async #look(record: TaskRecord): Promise<void> {
    const { id, version, status } = record;
    if (isFinal(status)) {
      await this.#store.remove(id, version);
      return this.report("expired", record);
    }
    if (status === "input_required") return this.#giveUp(record, "the client gave no input in time");
    await this.#take(record, () => this.#start(record));
  }

  /** Starts a task without a run, unless its last run forbids it. */
  async #take(record: TaskRecord, start: () => Promise<unknown>): Promise<unknown> {
    const { id, lease, onRestart, restarts = 0 } = record;
    // Its run here is busy: the lease is prolonged by the next sweep.
    if (lease && this.#runs.get(id)?.name === lease.run) return undefined;
    if (restarts >= mostRestarts)
      return this.#giveUp(record, `the server stopped ${restarts + 1} times while it ran the task`);
    if (!lease || onRestart === "replay") return start();
    return this.#giveUp(record, "the server that ran the task has stopped");
  }

  /** Fails a task, unless it has changed meanwhile. */
  async #giveUp(record: TaskRecord, message: string): Promise<undefined> {
    await this.#try(record, { type: "failed", error: internal(message) });
  }

  /** Stops the timer, and the runs of this process: another process may take their tasks at once. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== undefined) this.clock.clear(this.#timer);
    const reason = new McpError("connection-closed", "the server is closing");
    await Promise.all([...this.#runs.values()].map((run) => run.abandon(reason)));
  }
}
