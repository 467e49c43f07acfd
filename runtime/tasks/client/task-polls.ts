import { type AnswerContext, type Client, McpError } from "@mcpgen/runtime";
import { attempts } from "@mcpgen/base";
import { type Outcome, type TaskForm, type TaskState, statuses } from "./form.js";
import type { HandleStore, StoredHandle } from "./handle-store.js";
import type { Answers } from "./input.js";
import { Waits, mostFailures } from "../state/polling.js";

/** Maximum number of consecutive polls in which a task still requests input that it already has. */
const mostStuck = 60;

/** The dependencies of handles and polls. */
export interface HandleSetup {
  readonly client: Client;
  readonly options: { readonly handles?: HandleStore };
  /** Returns the task messages of the negotiated revision. */
  readonly form: () => TaskForm | Promise<TaskForm>;
  /** The polls by id of the task. */
  readonly active: Map<string, TaskPolls>;
  /** Called when `active` has changed. */
  changed(): void;
}

/** The part of a handle that polls use. */
interface PolledHandle {
  readonly id: string;
  status(): Promise<TaskState>;
  cancel(): Promise<void>;
  toJSON(): StoredHandle;
}

/** The internal data of a handle that polls use. */
export interface Polled {
  readonly answers: Answers;
  readonly signal: AnswerContext["signal"];
  /** The poll interval in the answer that created the task; `undefined` in another process. */
  readonly created: { readonly pollIntervalMs?: number } | undefined;
  /** Receives each changed state. */
  readonly show: (task: TaskState) => void;
  /** Whether the application listens to states. */
  readonly isWatched: () => boolean;
}

/** The polls of one task. */
export class TaskPolls {
  readonly #setup: HandleSetup;
  readonly #handle: PolledHandle;
  readonly #polled: Polled;
  /** The last poll interval that the server suggested. */
  #advised: number | undefined;
  /** The last state, as JSON. */
  #last = "";
  #shown: Partial<TaskState> = {};
  /** A state that the server has announced, to be used instead of a poll. */
  #heard: TaskState | undefined;
  /** Whether a subscription announces states. */
  #isCovered = false;
  /** The subscription was lost, so the current wait, chosen with it, is too long. */
  #isLost = false;
  /** Ends the current wait. */
  wake: () => void = () => {};

  constructor(setup: HandleSetup, handle: PolledHandle, polled: Polled) {
    this.#setup = setup;
    this.#handle = handle;
    this.#polled = polled;
    this.#advised = polled.created?.pollIntervalMs;
  }

  /** Called when the server announces a status. Polls at once if it is new. */
  announced(status: unknown): void {
    if (status !== this.#shown.status) this.wake();
  }

  /** Called when the server announces a state, which replaces a poll. Without a state, polls at once. */
  heard(task: TaskState | undefined): void {
    // Ignore states after the final one, and outdated states.
    if (this.#heard && isFinal(this.#heard)) return;
    if (task && task.lastUpdatedAt < (this.#shown.lastUpdatedAt ?? "")) return;
    this.#heard = task && statuses.includes(task.status) ? task : undefined;
    this.wake();
  }

  /** @param isCovered whether a subscription announces states from now on */
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
    // Wait before the first poll as the server suggested. A task from another process is polled at once.
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
      // Read before the poll: if the subscription begins during the poll, the state may change in between, so poll
      // again soon.
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

  /** Polls. Resolves with the task, or with the wait before the next attempt. @throws {McpError} */
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

  /** Gets the outcome, or the error if it cannot be fetched now. @throws the reason of `detach` */
  async #outcome(form: TaskForm, task: TaskState): Promise<Outcome | { readonly lost: unknown }> {
    const { signal, isWatched } = this.#polled;
    try {
      const outcome = await form.outcome(task, signal);
      // A task that waited for input has ended: show its final state.
      if (isWatched() && task.status === "input_required") this.#show(await this.#handle.status());
      return outcome;
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      return isPassing(error) ? { lost: error } : { error: error as McpError };
    }
  }

  /** Answers the task's requests for input. Cancels the task if that fails. @throws {McpError} */
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

/** Whether a request may succeed if it is repeated later. */
function isPassing(error: unknown): boolean {
  const { code } = error as McpError;
  return ["timeout", "connection-closed", "rate-limited", "session-lost"].includes(code);
}
