import { McpError } from "@mcpgen/runtime";
import { type Created, type Outcome, type TaskState, statuses } from "./form.js";
import type { StoredHandle } from "./handle-store.js";
import type { Answers } from "./input.js";
import type { HandleSetup } from "./task-polls.js";

/** The handle of a task of a server. */
export class TaskHandle {
  readonly id: string;
  /** Text of the server for the model to read until there is a result. */
  readonly immediate: string | undefined;
  readonly #setup: HandleSetup;
  readonly #stored: StoredHandle;
  readonly #answers: Answers;
  readonly #listeners = new Set<(task: TaskState) => void>();
  readonly #controller = new AbortController();
  #driven: Promise<Outcome> | undefined;
  readonly #created: Created | undefined;

  /** @internal */
  constructor(setup: HandleSetup, stored: StoredHandle, created?: Created) {
    this.id = stored.taskId;
    this.immediate = created?.immediate;
    this.#setup = setup;
    this.#stored = stored;
    // The previous process may have ended before it sent its answers, so all count as unsent. The object has no
    // prototype, because servers choose the keys, and a key may be `constructor`.
    const given = Object.assign(Object.create(null) as Record<string, object>, stored.answers);
    this.#answers = { given, unsent: new Set(Object.keys(given)) };
    this.#created = created;
  }

  /** Requests the current state of the task. @throws {McpError} */
  async status(): Promise<TaskState> {
    const task = await (await this.#setup.form()).read(this.id);
    if (task.taskId !== this.id)
      throw new McpError("invalid-result", `the server shows task ${task.taskId} in place of ${this.id}`);
    if (!statuses.includes(task.status))
      throw new McpError("invalid-result", `the status of the task is unknown: ${task.status as string}`);
    return task;
  }

  /** Yields each changed state of the task, including the final one. @throws {McpError} */
  async *updates(): AsyncGenerator<TaskState, void, undefined> {
    const waiting: TaskState[] = [];
    let wake = (): void => {};
    const listener = (task: TaskState): void => {
      waiting.push(task);
      wake();
    };
    this.#listeners.add(listener);
    const state = { isOver: false };
    const end = (): void => {
      state.isOver = true;
      wake();
    };
    const driven = this.#drive();
    driven.then(end, end);
    try {
      while (!state.isOver || waiting.length > 0) {
        const task = waiting.shift();
        if (task) yield task;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
      await driven;
    } finally {
      this.#listeners.delete(listener);
    }
  }

  /**
   * Waits for the result of the call. The client's handlers answer requests for input.
   *
   * @throws {McpError} `remote-error`: the task failed; `cancelled`: the task was cancelled, or `detach` was called
   */
  async result<Result = object>(): Promise<Result> {
    const outcome = await this.#drive();
    if ("error" in outcome) throw outcome.error;
    return outcome.result as Result;
  }

  /** Asks the server to cancel the task. @throws {McpError} */
  async cancel(): Promise<void> {
    await (await this.#setup.form()).cancel(this.id);
    this.#setup.active.get(this.id)?.wake();
  }

  /** Stops polling; the task continues. `result` and `updates` reject. */
  detach(): void {
    this.#controller.abort(new McpError("cancelled", "the task was detached"));
    this.#created?.ended?.();
  }

  /** The data with which another process can continue the task. */
  toJSON(): StoredHandle {
    return { ...this.#stored, answers: { ...this.#answers.given } };
  }

  /** Stores the handle. A task whose handle cannot be stored is cancelled. @throws {McpError} `store-failed` @internal */
  async keep(): Promise<void> {
    try {
      await this.#setup.options.handles?.put(this.toJSON());
    } catch (cause) {
      this.cancel().catch(() => undefined);
      throw new McpError("store-failed", "the handle of the task could not be stored", { cause });
    }
  }

  /** Polls until the task has ended. All callers share one poll. */
  #drive(): Promise<Outcome> {
    return (this.#driven ??= this.#toEnd().finally(this.#created?.ended));
  }

  async #toEnd(): Promise<Outcome> {
    const { handles } = this.#setup.options;
    await this.keep();
    const { TaskPolls } = await import("./task-polls.js");
    const polls = new TaskPolls(this.#setup, this, {
      answers: this.#answers,
      signal: this.#controller.signal,
      created: this.#created,
      show: (task) => this.#listeners.forEach((listener) => listener(task)),
      isWatched: () => this.#listeners.size > 0,
    });
    const outcome = await polls.toEnd();
    await handles?.delete(this.toJSON());
    return outcome;
  }
}
