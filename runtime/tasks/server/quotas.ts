import type { StoreLimits, TaskUsage } from "../store/store.js";

/** Limits for one client. Each process counts separately, unless stated otherwise. `Infinity` means no limit. */
export interface Quotas {
  /**
   * Maximum number of tasks that run, or wait in the queue of an `executor`. A cancelled task counts until its handler has
   * ended. Default: 100.
   */
  readonly running?: number;
  /** Maximum number of new tasks per minute. Default: 600. */
  readonly perMinute?: number;
  /** Maximum number of stored tasks, including ended ones. The store counts them. Default: 10,000. */
  readonly stored?: number;
  /**
   * Maximum size of a client's stored tasks in characters: results and errors, and the calls, requests for input, answers
   * and effects of unfinished tasks. Above the limit, a call does not become a task, an answer is refused, and a task
   * whose result or effect does not fit fails. Default: 100,000,000.
   */
  readonly storedBytes?: number;
  /**
   * The same for all clients together. A client may use at most as much as then stays free for others; a single client at
   * most half. Default: 250,000,000.
   */
  readonly totalBytes?: number;
  /** Maximum size of one result in characters of its JSON. A larger result fails the task. Default: 10,000,000. */
  readonly resultBytes?: number;
  /**
   * Number of polls of a task that may come too early: sooner than half of `pollMs` after the previous poll. More are
   * refused with `rate-limited`. Default: 60.
   */
  readonly earlyPolls?: number;
}

export const minute = 60_000;

/** Counts the tasks of each client, and the polls of each task. */
export class QuotaCounter {
  readonly #most: Required<Quotas>;
  readonly #running = new Map<string, number>();
  /** Owners of the tasks that this process has put into the queue, by id, oldest first. These tasks count as running. */
  readonly queued = new Map<string, string>();
  /** Creation times of tasks, by client, oldest first. */
  readonly creations = new Map<string, number[]>();
  /**
   * Rate-limit state of polls by task id: the time at which the count of early polls is 0 again, if that is in the future.
   */
  readonly polls = new Map<string, number>();

  constructor(quotas: Quotas = {}) {
    this.#most = {
      running: 100,
      perMinute: 600,
      stored: 10_000,
      storedBytes: 100_000_000,
      totalBytes: 250_000_000,
      resultBytes: 10_000_000,
      earlyPolls: 60,
      // An `undefined` option keeps the default.
      ...Object.fromEntries(Object.entries(quotas).filter(([, most]) => most !== undefined)),
    };
  }

  get resultBytes(): number {
    return this.#most.resultBytes;
  }

  /** The limits for the store. */
  get limits(): StoreLimits {
    const { storedBytes, totalBytes } = this.#most;
    return { bytes: storedBytes, totalBytes };
  }

  /** Returns the quota that another task of a client would exceed, by the counts of this process. */
  exceeded(owner: string, now: number): keyof Quotas | undefined {
    if (this.isFull(owner)) return "running";
    const made = this.creations.get(owner) ?? [];
    while (made.length > 0 && made[0]! <= now - minute) made.shift();
    return made.length >= this.#most.perMinute ? "perMinute" : undefined;
  }

  /** Returns the quota that another task would exceed, by the content of the store. */
  exceededBy(usage: TaskUsage | undefined): keyof Quotas | undefined {
    if (!usage) return undefined;
    if (usage.tasks >= this.#most.stored) return "stored";
    return usage.bytes >= this.#most.storedBytes ? "storedBytes" : undefined;
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
    return (this.#running.get(owner) ?? 0) >= this.#most.running;
  }

  /**
   * Counts a poll, by the algorithm of `rateLimit`: stores the time at which the count is 0 again.
   *
   * @returns milliseconds until the task may be polled again, if the poll came too early
   */
  polled(id: string, pollMs: number, now: number): number | undefined {
    const least = pollMs / 2;
    const known = Math.max(this.polls.get(id) ?? now, now);
    const excess = known - now - least * this.#most.earlyPolls;
    if (excess > 0) return Math.ceil(excess);
    this.polls.set(id, known + least);
    return undefined;
  }
}
