import { type Client, McpError } from "@mcpgen/runtime";
import { answerFor, clockOfClient, sleep, untilAborted } from "@mcpgen/runtime/extending";
import {
  type ClientRequests,
  type DetailedTask,
} from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/client";
import type { HandleStore, StoredHandle } from "./handle-store.js";
import { type PollOptions, Waits } from "./polling.js";

/** A task as the server shows it. */
export type TaskState = DetailedTask;

/** Polls in a row in which a task waits for input that it has been given. */
const mostStuck = 60;

type Methods = keyof ClientRequests;

/** A task of a server. */
export class TaskHandle {
  readonly id: string;
  readonly #client: Client;
  readonly #stored: StoredHandle;
  readonly #store: HandleStore | undefined;
  readonly #options: PollOptions;
  readonly #answers: Record<string, object>;
  readonly #listeners = new Set<(task: TaskState) => void>();
  readonly #controller = new AbortController();
  #driven: Promise<TaskState> | undefined;
  /** Answers that the server has not acknowledged. */
  readonly #unsent = new Set<string>();
  #advised: number | undefined;

  constructor(
    client: Client,
    stored: StoredHandle,
    store: HandleStore | undefined,
    options: PollOptions & { readonly advised?: number | undefined },
  ) {
    this.id = stored.taskId;
    this.#client = client;
    this.#stored = stored;
    this.#answers = { ...stored.answers };
    // The process that gave them may have ended before they were sent.
    for (const key of Object.keys(stored.answers)) this.#unsent.add(key);
    this.#store = store;
    this.#options = options;
    this.#advised = options.advised;
  }

  /** The task as it is now. @throws {McpError} */
  status(): Promise<TaskState> {
    return this.#request("tasks/get", { taskId: this.id });
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
    const task = await this.#drive();
    if (task.status === "completed") return task.result as Result;
    if (task.status === "failed") {
      const { code: rpcCode, message, data } = task.error;
      throw new McpError("remote-error", message, { rpcCode, data });
    }
    throw new McpError("cancelled", "the task was cancelled");
  }

  /** Asks the server to cancel the task. @throws {McpError} */
  async cancel(): Promise<void> {
    await this.#request("tasks/cancel", { taskId: this.id });
  }

  /** Stops polling; the task goes on. `result` and `updates` reject. */
  detach(): void {
    this.#controller.abort(new McpError("cancelled", "the task was detached"));
  }

  /** What another process needs to go on with the task. */
  toJSON(): StoredHandle {
    return { ...this.#stored, answers: { ...this.#answers } };
  }

  #request<Method extends Methods>(
    method: Method,
    params: ClientRequests[Method]["params"],
  ): Promise<ClientRequests[Method]["result"]> {
    return this.#client.request(method as string, params);
  }

  /** Polls until the task has ended, once for all that wait. */
  #drive(): Promise<TaskState> {
    return (this.#driven ??= this.#toEnd());
  }

  async #toEnd(): Promise<TaskState> {
    await this.#store?.put(this.toJSON());
    const waits = new Waits(this.#options);
    let last = "";
    let stuck = 0;
    // The first poll comes after the wait that the server advises.
    let wait: number | undefined = waits.next(this.#advised);
    for (;;) {
      await this.#pause(wait);
      const task = await this.#poll(waits);
      if (typeof task === "number") {
        wait = task;
        continue;
      }
      const text = JSON.stringify({ ...task, ttlMs: undefined });
      if (text !== last) for (const listener of this.#listeners) listener(task);
      last = text;
      if (isFinal(task)) {
        await this.#store?.delete(this.toJSON());
        return task;
      }
      stuck = task.status === "input_required" && !(await this.#answer(task.inputRequests)) ? stuck + 1 : 0;
      if (stuck >= mostStuck) await this.#giveUp();
      wait = waits.next(task.pollIntervalMs);
    }
  }

  /** The task, or the wait before the next attempt. @throws {McpError} */
  async #poll(waits: Waits): Promise<TaskState | number> {
    try {
      return await this.status();
    } catch (error) {
      const { code, data } = error as McpError;
      const isPassing = code === "timeout" || code === "connection-closed" || code === "rate-limited";
      const { retryAfterMs } = (data ?? {}) as { readonly retryAfterMs?: number };
      const wait = isPassing ? waits.failed(retryAfterMs) : undefined;
      if (wait === undefined) throw error;
      return wait;
    }
  }

  async #pause(wait: number): Promise<void> {
    const { signal } = this.#controller;
    await sleep(wait, clockOfClient(this.#client), untilAborted(signal));
    if (signal.aborted) throw signal.reason;
  }

  /** Answers what is asked for the first time. @returns `false` if nothing was */
  async #answer(requests: { readonly [key: string]: object }): Promise<boolean> {
    const { signal } = this.#controller;
    const keys = Object.keys(requests);
    const fresh = keys.filter((key) => !Object.hasOwn(this.#answers, key));
    const given = await Promise.all(
      fresh.map(async (key) => [key, await answerFor(this.#client, requests[key] as never, signal)] as const),
    );
    for (const [key, answer] of given) {
      this.#answers[key] = answer;
      this.#unsent.add(key);
    }
    const unsent = keys.filter((key) => this.#unsent.has(key));
    if (unsent.length === 0) return false;
    // Stored first: a process that ends here does not ask its user again.
    if (fresh.length > 0) await this.#store?.put(this.toJSON());
    const inputResponses = Object.fromEntries(unsent.map((key) => [key, this.#answers[key]!]));
    await this.#request("tasks/update", { taskId: this.id, inputResponses: inputResponses as never });
    for (const key of unsent) this.#unsent.delete(key);
    return true;
  }

  /** @throws {McpError} `invalid-result` */
  async #giveUp(): Promise<never> {
    await this.cancel().catch(() => undefined);
    throw new McpError("invalid-result", `the task waits for input that it was given ${mostStuck} polls ago`);
  }
}

function isFinal({ status }: TaskState): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}
