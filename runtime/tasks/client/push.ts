import type { Client, Subscription } from "@mcpgen/runtime";
import type { TaskPolls } from "./task-polls.js";
import type { TaskState } from "./form.js";

/** Milliseconds to collect new tasks before the client subscribes to them. */
const burst = 50;
/** Milliseconds before an ended subscription is opened again. */
const pause = 30_000;

/** One subscription to all tasks of a client (2026-07-28, tasks extension, `taskIds`). */
export class Push {
  readonly #client: Client;
  readonly #active: ReadonlyMap<string, TaskPolls>;
  #current: Subscription | undefined;
  /** Ids in the current subscription. */
  #asked: readonly string[] = [];
  #isWaiting = false;
  #isOpening = false;
  /** The server does not support these subscriptions. */
  #isOff = false;

  constructor(client: Client, active: ReadonlyMap<string, TaskPolls>) {
    this.#client = client;
    this.#active = active;
  }

  /** Called when the client starts or stops polling a task. */
  changed(delay = burst): void {
    if (this.#isWaiting || this.#isOff) return;
    this.#isWaiting = true;
    this.#client.clock.schedule(() => {
      this.#isWaiting = false;
      void this.#renew();
    }, delay);
  }

  /** Subscribes to the current tasks. Ends the old subscription when the new one has begun. */
  async #renew(): Promise<void> {
    if (this.#isOpening) return this.changed();
    const taskIds = [...this.#active.keys()];
    const old = this.#current;
    const asked = new Set(this.#asked);
    if (taskIds.length > 0 && taskIds.every((id) => asked.has(id))) return;
    this.#isOpening = true;
    this.#current = undefined;
    this.#asked = taskIds;
    try {
      if (taskIds.length > 0) await this.#open(taskIds);
    } catch (error) {
      const { code } = error as { readonly code?: unknown };
      this.#isOff = code === "method-not-found" || code === "missing-capability";
      this.#lost();
    } finally {
      this.#isOpening = false;
    }
    await old?.close().catch(() => undefined);
  }

  async #open(taskIds: readonly string[]): Promise<void> {
    const opened = await this.#client.subscribe<{ readonly taskIds: readonly string[] }>({ taskIds });
    this.#current = opened;
    const { taskIds: agreed = [] } = opened.honoured as { readonly taskIds?: readonly string[] };
    const covered = new Set(agreed);
    for (const [id, handle] of this.#active) handle.cover(covered.has(id));
    void this.#read(opened);
  }

  async #read(subscription: Subscription): Promise<void> {
    try {
      for await (const { params } of subscription) {
        const task = params as object as Partial<TaskState>;
        this.#active.get(task.taskId!)?.heard(task.status === undefined ? undefined : (task as TaskState));
      }
    } catch {
      // Polling continues without the subscription.
    }
    if (this.#current !== subscription) return;
    this.#current = undefined;
    this.#lost();
    this.changed(pause);
  }

  #lost(): void {
    this.#asked = [];
    for (const handle of this.#active.values()) handle.cover(false);
  }
}
