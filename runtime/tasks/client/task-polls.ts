import { type AnswerContext, type Client, McpError } from "@mcpgen/runtime";
import { attempts } from "@mcpgen/base";
import { type Outcome, type TaskForm, type TaskState, statuses } from "./form.js";
import type { HandleStore, StoredHandle } from "./handle-store.js";
import type { Answers } from "./input.js";
import { Waits, mostFailures } from "../state/polling.js";

/** Polls in a row in which a task waits for input that it has been given. */
const mostStuck = 60;

/** The dependencies of handles and of their polls. */
export interface HandleSetup {
  readonly client: Client;
  readonly options: { readonly handles?: HandleStore };
  /** The messages of the revision that is negotiated now. */
  readonly form: () => TaskForm | Promise<TaskForm>;
  /** The tasks that are polled, by id. */
  readonly active: Map<string, TaskPolls>;
  /** Called when `active` has changed. */
  changed(): void;
}

/** The handle whose task is polled. */
interface PolledHandle {
  readonly id: string;
  status(): Promise<TaskState>;
  cancel(): Promise<void>;
  toJSON(): StoredHandle;
}

/** What polls need of a handle beside what all can see. */
export interface Polled {
  readonly answers: Answers;
  readonly signal: AnswerContext["signal"];
  /** The wait that the server advised when it made the task; `undefined` in another process. */
  readonly created: { readonly pollIntervalMs?: number } | undefined;
  /** Gets each state that differs from the one before. */
  readonly show: (task: TaskState) => void;
  /** Whether anything reads the states. */
  readonly isWatched: () => boolean;
}

/** The polls of one task. */
export class TaskPolls {
  readonly #setup: HandleSetup;
  readonly #handle: PolledHandle;
  readonly #polled: Polled;
  /** That the server advises. */
  #advised: number | undefined;
  /** The last state, as JSON. */
  #last = "";
  #shown: Partial<TaskState> = {};
  /** A state that the server has announced. */
  #heard: TaskState | undefined;
  /** The server announces states. */
  #isCovered = false;
  /** It does no longer: the wait before a poll was too long. */
  #isLost = false;
  /** Ends the wait before a poll. */
  wake: () => void = () => {};

  constructor(setup: HandleSetup, handle: PolledHandle, polled: Polled) {
    this.#setup = setup;
    this.#handle = handle;
    this.#polled = polled;
    this.#advised = polled.created?.pollIntervalMs;
  }

  /** The server announces a status: a hint to poll. */
  announced(status: unknown): void {
    if (status !== this.#shown.status) this.wake();
  }

  /** The server announces a state, which stands in place of a poll; without one, the task is polled. */
  heard(task: TaskState | undefined): void {
    // The end of a task is its last state, and a state that has passed is none.
    if (this.#heard && isFinal(this.#heard)) return;
    if (task && task.lastUpdatedAt < (this.#shown.lastUpdatedAt ?? "")) return;
    this.#heard = task && statuses.includes(task.status) ? task : undefined;
    this.wake();
  }

  /** @param isCovered whether the server announces states from now on */
  cover(isCovered: boolean): void {
    this.#isLost = this.#isCovered && !isCovered;
    this.#isCovered = isCovered;
    if (this.#isLost) this.wake();
  }

  /** Polls until the task has ended. */
  async toEnd(): Promise<Outcome> {
    const { active } = this.#setup;
    const { id } = this.#handle;
    active.set(id, this);
    this.#setup.changed();
    try {
      return await this.#run();
    } finally {
      if (active.get(id) === this) active.delete(id);
      this.#setup.changed();
    }
  }

  async #run(): Promise<Outcome> {
    const { signal } = this.#polled;
    const { clock } = this.#setup.client;
    const waits = new Waits();
    const stuck = { polls: 0 };
    let failures = 0;
    let lost: unknown;
    // The first poll comes after the wait that the server advises; in another process, it has passed.
    let wait = this.#polled.created ? waits.next(this.#advised) : 0;
    const pauses = (): number => (this.#heard ? 0 : wait);
    const untilWoken = (wake: () => void): (() => void) => {
      this.wake = wake;
      return () => (this.wake = () => {});
    };
    for await (const _ of attempts({ pauses, waitsFirst: true, clock, signal, wakes: [untilWoken] })) {
      if (this.#isLost) {
        this.#isLost = false;
        wait = waits.next(this.#advised);
        continue;
      }
      // What happens before the server announces states, the poll before does not show.
      const isCovered = this.#isCovered;
      const task = this.#heard ?? (await this.#poll(waits));
      this.#heard = undefined;
      if (typeof task === "number") {
        wait = task;
        continue;
      }
      this.#show(task);
      wait = waits.next((this.#advised = task.pollIntervalMs), isCovered);
      const { status } = task;
      if (status === "working") continue;
      if (status === "cancelled") return { error: new McpError("cancelled", "the task was cancelled") };
      const form = await this.#setup.form();
      if (status === "input_required" && form.update) await this.#answer(form, task, stuck);
      else {
        const outcome = await this.#outcome(form, task);
        if (!("lost" in outcome)) return outcome;
        lost = outcome.lost;
        if (++failures > mostFailures) break;
      }
    }
    throw lost;
  }

  #show(task: TaskState): void {
    const text = JSON.stringify({ ...task, ttlMs: undefined });
    if (text !== this.#last) this.#polled.show(task);
    this.#last = text;
    this.#shown = task;
  }

  /** The task, or the wait before the next attempt. @throws {McpError} */
  async #poll(waits: Waits): Promise<TaskState | number> {
    try {
      return await this.#handle.status();
    } catch (error) {
      const { data } = error as McpError;
      const { retryAfterMs } = (data ?? {}) as { readonly retryAfterMs?: number };
      const wait = isPassing(error) ? waits.failed(retryAfterMs) : undefined;
      if (wait === undefined) throw error;
      return wait;
    }
  }

  /** The outcome, or why it could not be fetched now. @throws the reason of `detach` */
  async #outcome(form: TaskForm, task: TaskState): Promise<Outcome | { readonly lost: unknown }> {
    const { signal, isWatched } = this.#polled;
    try {
      const outcome = await form.outcome(task, signal);
      // A task that waited for input has ended meanwhile.
      if (isWatched() && task.status === "input_required") this.#show(await this.#handle.status());
      return outcome;
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      return isPassing(error) ? { lost: error } : { error: error as McpError };
    }
  }

  /** Answers what the task asks for the first time. A task that gets no answer is cancelled. @throws {McpError} */
  async #answer(form: TaskForm, { inputRequests = {} }: TaskState, stuck: { polls: number }): Promise<void> {
    const { client, options } = this.#setup;
    const { signal, answers } = this.#polled;
    const handle = this.#handle;
    const store = (): void | Promise<void> => options.handles?.put(handle.toJSON());
    const send = (given: { readonly [key: string]: object }): Promise<boolean> =>
      form.update!(handle.id, given).then(
        () => true,
        (error: unknown) => {
          if (isPassing(error)) return false;
          throw error;
        },
      );
    try {
      const { answerInput } = await import("./input.js");
      const isSent = await answerInput(client, inputRequests, { answers, signal, store, send });
      stuck.polls = isSent ? 0 : stuck.polls + 1;
      if (stuck.polls < mostStuck) return;
      throw new McpError(
        "invalid-result",
        `the task waits for input that it was given ${mostStuck} polls ago`,
      );
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      await handle.cancel().catch(() => undefined);
      await options.handles?.delete(handle.toJSON());
      throw error;
    }
  }
}

function isFinal({ status }: TaskState): boolean {
  return statuses.indexOf(status) > 1;
}

/** Whether the same request may succeed later. */
function isPassing(error: unknown): boolean {
  const { code } = error as McpError;
  return ["timeout", "connection-closed", "rate-limited", "session-lost"].includes(code);
}
