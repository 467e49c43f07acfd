import type { StoreLimits, TaskUsage } from "../store/store.js";

/** What one client may have. `Infinity` lifts a limit. */
export interface ClientLimits {
  /**
   * Maximum number of tasks that run in this process, or wait in the queue of an `executor`. A cancelled task counts until its
   * handler has ended. Six times as many tasks may be made in a minute, and the store may have a hundred times as many.
   * Default: 100.
   */
  readonly work?: number;
  /**
   * Maximum size of a client's stored tasks in characters: results and errors, and the calls, requests for input, answers
   * and effects of unfinished tasks. Above the limit, a call does not become a task, an answer is refused, and a task
   * whose result or effect does not fit fails. One result may have a tenth of it. All clients together may have two and a
   * half times as much, and one of them no more than then stays free for others; a single client at most half. Default:
   * 100,000,000.
   */
  readonly memory?: number;
}

/** The limit that a client has reached, as errors and events name it. */
export type ReachedLimit = "limits.work" | "limits.memory";

export const minute = 60_000;

/** Number of polls of a task that may come too early: sooner than half of `pollMs` after the previous poll. */
const mostEarlyPolls = 60;

/** Counts the tasks of each client, and the polls of each task. */
export class QuotaCounter {
  readonly #work: number;
  /** Maximum size of one result in characters of its JSON. A larger result fails the task. */
  readonly resultBytes: number;
  /** The limits for the store. */
  readonly limits: StoreLimits;
  readonly #running = new Map<string, number>();
  /** Owners of the tasks that this process has put into the queue, by id, oldest first. These tasks count as running. */
  readonly queued = new Map<string, string>();
  /** Creation times of tasks, by client, oldest first. */
  readonly creations = new Map<string, number[]>();
  /**
   * Rate-limit state of polls by task id: the time at which the count of early polls is 0 again, if that is in the future.
   */
  readonly polls = new Map<string, number>();

  constructor({ work = 100, memory = 100_000_000 }: ClientLimits = {}) {
    this.#work = work;
    this.resultBytes = Math.floor(memory / 10);
    this.limits = { bytes: memory, totalBytes: 2.5 * memory };
  }

  /** Returns the limit that another task of a client would exceed, by the counts of this process. */
  exceeded(owner: string, now: number): ReachedLimit | undefined {
    const made = this.creations.get(owner) ?? [];
    while (made.length > 0 && made[0]! <= now - minute) made.shift();
    return this.isFull(owner) || made.length >= 6 * this.#work ? "limits.work" : undefined;
  }

  /** Returns the limit that another task would exceed, by the content of the store. */
  exceededBy(usage: TaskUsage | undefined): ReachedLimit | undefined {
    if (!usage) return undefined;
    if (usage.tasks >= 100 * this.#work) return "limits.work";
    return usage.bytes >= this.limits.bytes ? "limits.memory" : undefined;
  }

  made(owner: string, now: number): void {
    const made = this.creations.get(owner);
    if (made) made.push(now);
    else this.creations.set(owner, [now]);
  }

  /** @param more 1 when a run begins, -1 when it ends */
  ran(owner: string, more: 1 | -1): void {
    const running = (this.#running.get(owner) ?? 0) + more;
    if (running > 0) this.#running.set(owner, running);
    else this.#running.delete(owner);
  }

  /** Stops counting a task that has left the queue. */
  unqueued(id: string): void {
    const owner = this.queued.get(id);
    if (this.queued.delete(id)) this.ran(owner!, -1);
  }

  /** Whether a client has the maximum number of runs in this process. */
  isFull(owner: string): boolean {
    return (this.#running.get(owner) ?? 0) >= this.#work;
  }

  /**
   * Counts a poll, by the algorithm of `rateLimit`: stores the time at which the count is 0 again.
   *
   * @returns milliseconds until the task may be polled again, if the poll came too early
   */
  polled(id: string, pollMs: number, now: number): number | undefined {
    const least = pollMs / 2;
    const known = Math.max(this.polls.get(id) ?? now, now);
    const excess = known - now - least * mostEarlyPolls;
    if (excess > 0 && this.#work < Infinity) return Math.ceil(excess);
    this.polls.set(id, known + least);
    return undefined;
  }
}
