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

/** Milliseconds between two reports of progress that are stored. */
const noteInterval = 1000;

/** Characters of the longest message that a task keeps of a report. */
const longestMessage = 1000;

/** What a run needs of the engine that has its task. */
interface RunKeeper {
  readonly server: Server;
  readonly clock: Clock;
  /** By the id of their task. */
  readonly voices: ReadonlyMap<string, Voice>;
  /** Whether records tell which part of the work is done. */
  readonly keepsProgress: boolean;
  readonly quotas: { readonly resultBytes: number };
  /** Milliseconds since 1970. */
  now(): number;
  leaseOf(run: { readonly name: string }): Lease;
  apply(id: string, event: TaskEvent, known?: TaskRecord): Promise<TaskRecord | undefined>;
}

/** One run of a handler as a task, or as a call that may become one. */
export class Run {
  /** Names the run in leases. */
  readonly name = crypto.randomUUID();
  /** By the clock of the server. */
  deadline = Infinity;
  /** The handler has ended. */
  isSettled = false;
  /** What the handler gives has no effect. */
  isAbandoned = false;
  /** It was stopped, or the end of the handler is stored. */
  isOver = false;
  /** As this run saw it last. */
  record: TaskRecord | undefined;
  /** The end of the handler; it may not be stored yet. */
  outcome: TaskEvent | undefined;
  onEnd: () => void = () => {};
  /** Called once, when the handler has ended: a handler that does not heed its signal goes on after the end of its task. */
  onSettled: () => void = () => {};
  readonly #engine: RunKeeper;
  #id: string | undefined;
  #handler: DetachableRequest | undefined;
  readonly #done: Done[] = [];
  #created: Promise<unknown> | undefined;
  /** Changes of the record follow one another. */
  #changes: Promise<unknown> = Promise.resolve();
  /** What the handler has reported last. */
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

  /** The context for the handler. @param task the member `task` of it */
  handler(context: HandlerContext, task: object): DetachableRequest {
    this.#handler = new DetachableRequest(context, this.#hooks(), { task }, this.record?.journal);
    return this.#handler;
  }

  #hooks() {
    return {
      begins: (): void | Promise<void> => {
        this.#requireTask();
        // Another run may have the task: its effects, too, would be of this one.
        if (this.leasedUntil <= this.#engine.now()) return this.prolong().then(() => this.#requireTask());
      },
      done: async (effect: Done): Promise<void> => {
        this.#done.push(effect);
        // What a task has done once is stored before its handler goes on.
        await this.#created;
        if (this.record)
          await this.apply({ type: "done", run: this.name, effect }).catch(async (error: unknown) => {
            // Work that cannot be stored would be repeated.
            await this.apply(await this.#failureFor(error));
            throw error;
          });
      },
      progressed: (...report: Report): void => {
        // No progress follows the end of a task.
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

  /** What the handler has reported last. */
  get note(): Note {
    return this.#note;
  }

  /** What the handler has asked and done. */
  journal(): Journal {
    return { answers: Object.fromEntries(this.#handler?.answers ?? []), once: [...this.#done] };
  }

  /** The task of this run is being stored: effects that end meanwhile wait for it. */
  becomes(created: Promise<unknown>): void {
    this.#created = created.catch(() => undefined);
  }

  /** The run belongs to a task from now on. */
  continues(record: TaskRecord): void {
    this.#id = record.id;
    this.record = record;
    this.#done.push(...(record.journal?.once ?? []).filter(({ key }) => !this.#has(key)));
    const report = this.#report;
    if (!report) return;
    this.#voice?.progressed?.(record.id, ...report);
    // What came while the task was being stored.
    if (this.#note.message !== record.message) this.#noted(report);
  }

  /** What the client hears; it knows the task once that is stored. */
  get #voice(): Voice | undefined {
    return this.#engine.voices.get(this.#id!);
  }

  #has(key: string): boolean {
    return this.#done.some((each) => each.key === key);
  }

  /** Applies an event to the task of this run, after the events before it. */
  apply(event: TaskEvent): Promise<TaskRecord | undefined> {
    const change = this.#changes.then(async () => {
      const { id = "" } = this.record ?? {};
      const after = await this.#engine.apply(id, event, this.record);
      if (after) this.record = after;
      // Another run has the task, or it has ended.
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

  /** Stores a report of progress: at most one in a second, the last one of those that came meanwhile. */
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

  /** Ends the task as its handler ends. */
  settle(outcome: Promise<object>, context: HandlerContext): void {
    this.counts(outcome);
    void outcome
      .then((result) => this.#endOf(result))
      // Also of a result that is no JSON.
      .catch((error: unknown) => this.#failureOf(error, context))
      .then((event) => {
        this.outcome = event;
        return this.save();
      })
      .catch((error: unknown) => reportTo(this.#engine.server, error, context.method));
  }

  /** The run has its place until the handler has ended. */
  counts(outcome: Promise<object>): void {
    const end = (): void => this.onSettled();
    outcome.then(end, end);
  }

  /** Stores how the handler has ended. If that fails, sweeps try again until the lease has lapsed. */
  async save(): Promise<void> {
    if (!this.isAbandoned) {
      await this.apply(this.outcome!).catch(async (error: unknown) => {
        this.outcome = await this.#failureFor(error);
        return this.apply(this.outcome);
      });
    }
    this.end();
  }

  /** The failure of a task that the store has no room for. @throws the error, if it is another one */
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

  /** The end of a handler, or a failure where that is too long to be kept. */
  #fitting(event: TaskEvent & { readonly size: number }): TaskEvent | Promise<TaskEvent> {
    const most = this.#engine.quotas.resultBytes;
    return event.size > most ? refusals().then(({ tooLong }) => tooLong(event, this.name, most)) : event;
  }

  /** The event for a handler that has ended, and waits for input: what it gave is void. */
  #asked(): TaskEvent | undefined {
    this.isSettled = true;
    const { wanted } = this.#handler ?? {};
    if (!wanted || wanted.size === 0) return undefined;
    return { type: "asked", run: this.name, wanted: Object.fromEntries(wanted) };
  }

  /** Aborts the signal of the handler; what it gives afterwards has no effect. */
  stop(reason: Error): void {
    if (this.#isStopped || this.isSettled) return;
    this.#isStopped = true;
    this.#handler?.cancel(reason);
    this.end();
  }

  /** Nothing of the run is left to do. */
  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.onEnd();
  }
}
