import { McpError } from "@mcpgen/runtime";
import { type Created, type Outcome, type TaskState, statuses } from "./form.js";
import type { StoredHandle } from "./handle-store.js";
import type { Answers } from "./input.js";
import type { HandleSetup } from "./task-polls.js";

/** A task of a server. */
export class TaskHandle {
  readonly id: string;
  /** Text of the server for the model, until there is a result. */
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
    // The process that gave the answers may have ended before they were sent.
    // Servers choose the keys: one may be the name of a member of objects.
    const given = Object.assign(Object.create(null) as Record<string, object>, stored.answers);
    this.#answers = { given, unsent: new Set(Object.keys(given)) };
    this.#created = created;
  }

  /** The task as it is now. @throws {McpError} */
  async status(): Promise<TaskState> {
    const task = await (await this.#setup.form()).read(this.id);
    if (task.taskId !== this.id)
      throw new McpError("invalid-result", `the server shows task ${task.taskId} in place of ${this.id}`);
    if (!statuses.includes(task.status))
      throw new McpError("invalid-result", `the status of the task is unknown: ${task.status as string}`);
    return task;
  }

  /** Each state of the task that differs from the one before, the last one included. @throws {McpError} */
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
   * The result of the call. Input that the task asks for comes from the handlers of the client.
   *
   * @throws {McpError} `remote-error`: the task failed; `cancelled`: it was cancelled, or `detach` was called
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

  /** Stops polling; the task goes on. `result` and `updates` reject. */
  detach(): void {
    this.#controller.abort(new McpError("cancelled", "the task was detached"));
    this.#created?.ended?.();
  }

  /** What another process needs to go on with the task. */
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

  /** Polls until the task has ended, once for all that wait. */
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
