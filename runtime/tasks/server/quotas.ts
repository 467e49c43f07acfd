import type { StoreLimits, TaskUsage } from "../store/store.js";

/** What one client may have. Each process counts for itself, unless stated otherwise. `Infinity` lifts a limit. */
export interface Quotas {
  /**
   * Tasks that run at once, or wait in the queue of an `executor`. A task that was cancelled runs until its handler has ended.
   * Default: 100.
   */
  readonly running?: number;
  /** Tasks that it makes in a minute. Default: 600. */
  readonly perMinute?: number;
  /** Tasks that the store has, those that have ended included. The store counts them. Default: 10,000. */
  readonly stored?: number;
  /**
   * Characters of what the store has: of results and errors, and of the calls, asks, answers and effects of tasks that have not
   * ended. The store never has more: a call does not become a task, an answer is refused, and a task fails whose result or
   * effect has no room. Default: 100,000,000.
   */
  readonly storedBytes?: number;
  /**
   * The same, of all clients together. One client gets no more than stays free for the others: alone, half of it. Default:
   * 250,000,000.
   */
  readonly totalBytes?: number;
  /** Characters of the JSON of one result. A longer one fails the task. Default: 10,000,000. */
  readonly resultBytes?: number;
  /**
   * Polls of one task that may come too early: sooner than half of `pollMs` after the one before. Further ones are refused
   * with `rate-limited`. Default: 60.
   */
  readonly earlyPolls?: number;
}

export const minute = 60_000;

/** Counts the tasks of each client, and the polls of each task. */
export class QuotaCounter {
  readonly #most: Required<Quotas>;
  readonly #running = new Map<string, number>();
  /** Owners of the tasks that this process gave to the queue, by id, the earliest first. They count as running. */
  readonly queued = new Map<string, string>();
  /** Times of creations, by client, the earliest first. */
  readonly creations = new Map<string, number[]>();
  /** The time from which a task may be polled without being too early, by id, if that is in the future. */
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
      // An option that is undefined lifts no limit.
      ...Object.fromEntries(Object.entries(quotas).filter(([, most]) => most !== undefined)),
    };
  }

  get resultBytes(): number {
    return this.#most.resultBytes;
  }

  /** What the store may have. */
  get limits(): StoreLimits {
    const { storedBytes, totalBytes } = this.#most;
    return { bytes: storedBytes, totalBytes };
  }

  /** The name of the quota that a further task of a client would exceed, as far as this process counts. */
  exceeded(owner: string, now: number): keyof Quotas | undefined {
    if (this.isFull(owner)) return "running";
    const made = this.creations.get(owner) ?? [];
    while (made.length > 0 && made[0]! <= now - minute) made.shift();
    return made.length >= this.#most.perMinute ? "perMinute" : undefined;
  }

  /** The name of the quota that a further task would exceed, by what the store has. */
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

  /** A task that was in the queue is in it no longer. */
  unqueued(id: string): void {
    const owner = this.queued.get(id);
    if (this.queued.delete(id)) this.ran(owner!, -1);
  }

  /** Whether a client has as many runs here as it may have. */
  isFull(owner: string): boolean {
    return (this.#running.get(owner) ?? 0) >= this.#most.running;
  }

  /**
   * Counts a poll (as `rateLimit` counts requests: by the time at which the count is 0 again).
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
