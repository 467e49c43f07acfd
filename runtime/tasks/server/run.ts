import type { Clock, HandlerContext, McpError, Server } from "@mcpgen/runtime";
import { unref } from "@mcpgen/base";
import type { TaskEvent } from "../state/advance.js";
import {
  type Done,
  type Journal,
  type Lease,
  type Note,
  type TaskError,
  type TaskRecord,
  charactersOf,
  internal,
} from "../state/record.js";
import { ended } from "./engine.js";
import { DetachableRequest } from "./detachable.js";
import { errorOfHandler, reportTo } from "./request.js";
import type { Report, Voice } from "./tool-call.js";

const refusals = () => import("./refusals.js");

/** Minimum time between stored progress reports, in milliseconds. */
const noteInterval = 1000;

/** The message of a progress report is cut to this length in characters. */
const longestMessage = 1000;

/** The part of an engine that a run uses. */
interface RunKeeper {
  readonly server: Server;
  readonly clock: Clock;
  /** Voices by task id. */
  readonly voices: ReadonlyMap<string, Voice>;
  /** Whether records contain the progress as a fraction. */
  readonly keepsProgress: boolean;
  readonly quotas: { readonly resultBytes: number };
  /** Milliseconds since 1970. */
  now(): number;
  leaseOf(run: { readonly name: string }): Lease;
  apply(id: string, event: TaskEvent, known?: TaskRecord): Promise<TaskRecord | undefined>;
}

/** One run of a handler, for a task or for a call that may become one. */
export class Run {
  /** Identifies the run in leases. */
  readonly name = crypto.randomUUID();
  /** The time at which `maxRunMs` is over, by the clock of the server. */
  deadline = Infinity;
  /** Whether the handler has ended. */
  isSettled = false;
  /** Whether the handler's result is discarded. */
  isAbandoned = false;
  /** Whether the run was stopped, or its outcome is stored. */
  isOver = false;
  /** The record as this run last saw it. */
  record: TaskRecord | undefined;
  /** The outcome of the handler, possibly not stored yet. */
  outcome: TaskEvent | undefined;
  onEnd: () => void = () => {};
  /** Called once, when the handler has ended. This may be after the end of the task, if the handler ignores its signal. */
  onSettled: () => void = () => {};
  readonly #engine: RunKeeper;
  #id: string | undefined;
  #handler: DetachableRequest | undefined;
  readonly #done: Done[] = [];
  #created: Promise<unknown> | undefined;
  /** Settles when the last change of the record has ended, so that changes run one after another. */
  #changes: Promise<unknown> = Promise.resolve();
  /** The last progress report of the handler. */
  #note: Note = {};
  #report: Report | undefined;
  #notedAt = -Infinity;
  #isNoting = false;
  #isStopped = false;

  constructor(engine: RunKeeper, id?: string) {
    this.#engine = engine;
    this.#id = id;
  }

  get id(): string | undefined {
    return this.#id;
  }

  /** Milliseconds since 1970. */
  get leasedUntil(): number {
    return this.record?.lease?.until ?? Infinity;
  }

  /** Makes the context for the handler. @param task becomes its member `task` */
  handler(context: HandlerContext, task: object): DetachableRequest {
    this.#handler = new DetachableRequest(context, this.#hooks(), { task }, this.record?.journal);
    return this.#handler;
  }

  #hooks() {
    return {
      begins: (): void | Promise<void> => {
        this.#requireTask();
        // The lease has expired, so another run may have the task: renew the lease before an effect.
        if (this.leasedUntil <= this.#engine.now()) return this.prolong().then(() => this.#requireTask());
      },
      done: async (effect: Done): Promise<void> => {
        this.#done.push(effect);
        // An effect is stored before the handler continues.
        await this.#created;
        if (this.record)
          await this.apply({ type: "done", run: this.name, effect }).catch(async (error: unknown) => {
            // An effect that is not stored would be repeated: fail the task.
            await this.apply(await this.#failureFor(error));
            throw error;
          });
      },
      progressed: (...report: Report): void => {
        // No progress is sent after the end of a task.
        if (this.isOver || this.isSettled) return;
        this.#report = report;
        this.#voice?.progressed?.(this.#id!, ...report);
        this.#noted(report);
      },
      sent: (method: string, params: object | undefined): void => {
        if (!this.isOver) this.#voice?.sent?.(this.#id!, method, params);
      },
    };
  }

  /** The last progress report of the handler. */
  get note(): Note {
    return this.#note;
  }

  /** The answers and effects of the handler so far. */
  journal(): Journal {
    return { answers: Object.fromEntries(this.#handler?.answers ?? []), once: [...this.#done] };
  }

  /** Called while the run's task is being stored. Effects wait until it is. */
  becomes(created: Promise<unknown>): void {
    this.#created = created.catch(() => undefined);
  }

  /** Called when the run's task is stored or leased: binds the run to the task. */
  continues(record: TaskRecord): void {
    this.#id = record.id;
    this.record = record;
    this.#done.push(...(record.journal?.once ?? []).filter(({ key }) => !this.#has(key)));
    const report = this.#report;
    if (!report) return;
    this.#voice?.progressed?.(record.id, ...report);
    // Store a report that came while the task was being stored.
    if (this.#note.message !== record.message) this.#noted(report);
  }

  /** The voice of the task's client; `undefined` until the task is stored. */
  get #voice(): Voice | undefined {
    return this.#engine.voices.get(this.#id!);
  }

  #has(key: string): boolean {
    return this.#done.some((each) => each.key === key);
  }

  /** Applies an event to the run's task, after the previous events. */
  apply(event: TaskEvent): Promise<TaskRecord | undefined> {
    const change = this.#changes.then(async () => {
      const { id = "" } = this.record ?? {};
      const after = await this.#engine.apply(id, event, this.record);
      if (after) this.record = after;
      // The task has ended or waits, or another run has it.
      if (after?.lease?.run !== this.name) this.stop(ended());
      return after;
    });
    this.#changes = change.catch(() => undefined);
    return change;
  }

  async prolong(): Promise<void> {
    await this.apply({ type: "leased", lease: this.#engine.leaseOf(this) });
  }

  /** @throws {McpError} `cancelled`: the task has ended, or another run has it */
  #requireTask(): void {
    if (this.#isStopped) throw ended();
  }

  /** Stores a progress report: at most one per second, always the latest. */
  #noted([progress, total, message = this.#note.message]: Report): void {
    const part = this.#engine.keepsProgress ? progress / total! : Number.NaN;
    if ((message === undefined && !(part <= 1)) || this.isOver) return;
    this.#note = {
      ...(message !== undefined && { message: `${message}`.slice(0, longestMessage) }),
      ...(part <= 1 && { progress: part }),
    };
    if (this.#isNoting || !this.record) return;
    this.#isNoting = true;
    const { clock } = this.#engine;
    const store = (): void => {
      this.#isNoting = false;
      this.#notedAt = clock.now();
      if (!this.isOver) this.apply({ type: "noted", run: this.name, ...this.#note }).catch(() => undefined);
    };
    const wait = this.#notedAt + noteInterval - clock.now();
    if (wait <= 0) store();
    else unref(clock.schedule(store, wait));
  }

  /** Ends the task with the outcome of its handler. */
  settle(outcome: Promise<object>, context: HandlerContext): void {
    this.counts(outcome);
    void outcome
      .then((result) => this.#endOf(result))
      // Also catches a result that is not JSON.
      .catch((error: unknown) => this.#failureOf(error, context))
      .then((event) => {
        this.outcome = event;
        return this.save();
      })
      .catch((error: unknown) => reportTo(this.#engine.server, error, context.method));
  }

  /** Counts the run until the handler has ended. */
  counts(outcome: Promise<object>): void {
    const end = (): void => this.onSettled();
    outcome.then(end, end);
  }

  /** Stores the outcome of the handler. If that fails, sweeps try again until the lease expires. */
  async save(): Promise<void> {
    if (!this.isAbandoned) {
      await this.apply(this.outcome!).catch(async (error: unknown) => {
        this.outcome = await this.#failureFor(error);
        return this.apply(this.outcome);
      });
    }
    this.end();
  }

  /** Makes the failure of a task for which the store has no room. @throws any other error */
  #failureFor(error: unknown): Promise<TaskEvent> {
    const { code } = error as McpError;
    if (code !== "limit-exceeded") throw error;
    return refusals().then(({ failureFor }) => failureFor(this, error as McpError));
  }

  #endOf(result: object): TaskEvent | Promise<TaskEvent> {
    const run = this.name;
    const asked = this.#asked();
    if (asked) return asked;
    const text = JSON.stringify(result);
    return this.#fitting({ type: "completed", run, result: JSON.parse(text) as object, size: text.length });
  }

  #failureOf(thrown: unknown, context: HandlerContext): TaskEvent | Promise<TaskEvent> {
    const asked = this.#asked();
    if (asked) return asked;
    const error: TaskError = this.#isStopped
      ? internal("the handler was stopped")
      : errorOfHandler(this.#handler ?? context, thrown);
    return this.#fitting({ type: "failed", run: this.name, error, size: charactersOf(error) });
  }

  /** Returns the outcome of a handler, or a failure if the outcome is too long to store. */
  #fitting(event: TaskEvent & { readonly size: number }): TaskEvent | Promise<TaskEvent> {
    const most = this.#engine.quotas.resultBytes;
    return event.size > most ? refusals().then(({ tooLong }) => tooLong(event, this.name, most)) : event;
  }

  /** Returns the event for a handler that ended while input is missing: its result is discarded. */
  #asked(): TaskEvent | undefined {
    this.isSettled = true;
    const { wanted } = this.#handler ?? {};
    if (!wanted || wanted.size === 0) return undefined;
    return { type: "asked", run: this.name, wanted: Object.fromEntries(wanted) };
  }

  /** Aborts the handler's signal. Its later result is discarded. */
  stop(reason: Error): void {
    if (this.#isStopped || this.isSettled) return;
    this.#isStopped = true;
    this.#handler?.cancel(reason);
    this.end();
  }

  /** Ends the run. */
  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.onEnd();
  }
}
