import type * as platform from "../platform/platform.js";
import { Admission } from "./admission.js";

/** Limits for running and waiting operations. */
export interface TurnLimits {
  /** Number of operations that run at the same time. */
  readonly running: number;
  /** Number of operations of one key that run at the same time. Default: `running`. */
  readonly perKey?: number;
  /** Number of waiting operations; one key gets a fair share of them. */
  readonly waiting: number;
}

interface Waiter {
  readonly start: () => void;
}

/**
 * Limits the number of operations that run at the same time. Others wait: keys take turns, and operations of one key
 * keep their order.
 */
export class Turns {
  readonly #limits: Required<TurnLimits>;
  readonly #queue: Admission;
  readonly #busy: () => Error;
  readonly #running = new Map<string, number>();
  #total = 0;
  /** Waiting operations by key, in the order of their turns. */
  readonly #waiting = new Map<string, Set<Waiter>>();

  /** @param busy makes the error for an operation if the queue is full */
  constructor(limits: TurnLimits, busy: () => Error) {
    this.#limits = { perKey: limits.running, ...limits };
    this.#queue = new Admission({ count: limits.waiting });
    this.#busy = busy;
  }

  /** Numbers of running and of waiting operations. */
  get counts(): { readonly running: number; readonly waiting: number } {
    return { running: this.#total, waiting: this.#queue.used.count };
  }

  /**
   * Runs an operation when its turn comes.
   *
   * @param key the owner of the operation, such as a host or a principal
   * @param signal ends the wait, not the operation
   * @throws {Error} the error of `busy` if the queue is full; the signal's reason; or the error of the operation
   */
  async run<T>(key: string, operation: () => Promise<T>, signal?: platform.AbortSignal): Promise<T> {
    if (signal?.aborted) throw signal.reason;
    if (this.#mayStart(key)) this.#begin(key);
    else await this.#turn(key, signal);
    try {
      return await operation();
    } finally {
      this.#end(key);
    }
  }

  #mayStart(key: string): boolean {
    return this.#total < this.#limits.running && (this.#running.get(key) ?? 0) < this.#limits.perKey;
  }

  #begin(key: string): void {
    this.#total++;
    this.#running.set(key, (this.#running.get(key) ?? 0) + 1);
  }

  #end(key: string): void {
    this.#total--;
    const left = this.#running.get(key)! - 1;
    if (left > 0) this.#running.set(key, left);
    else this.#running.delete(key);
    // The loop skips at most as many keys as operations can run at the same time.
    for (const [next, waiters] of this.#waiting) {
      if (!this.#mayStart(next)) continue;
      const [first] = waiters;
      this.#leave(next, first!);
      // The key moves behind the others.
      if (waiters.size > 0) {
        this.#waiting.delete(next);
        this.#waiting.set(next, waiters);
      }
      this.#begin(next);
      first!.start();
      return;
    }
  }

  #turn(key: string, signal: platform.AbortSignal | undefined): Promise<void> {
    if (this.#queue.admit(key, 0)) return Promise.reject(this.#busy());
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.#leave(key, waiter);
        reject(signal!.reason as Error);
      };
      const waiter: Waiter = {
        start: () => {
          signal?.removeEventListener("abort", abort);
          resolve();
        },
      };
      const waiters = this.#waiting.get(key) ?? new Set();
      this.#waiting.set(key, waiters.add(waiter));
      signal?.addEventListener("abort", abort);
    });
  }

  #leave(key: string, waiter: Waiter): void {
    const waiters = this.#waiting.get(key)!;
    waiters.delete(waiter);
    if (waiters.size === 0) this.#waiting.delete(key);
    this.#queue.release(key, 0);
  }
}
