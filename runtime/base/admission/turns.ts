import type * as platform from "../platform/platform.js";
import { Admission } from "./admission.js";

/** How many operations run, and how many wait for their turn. */
export interface TurnLimits {
  /** Operations that run at once. */
  readonly running: number;
  /** Operations of one key that run at once. Default: as many as of all keys. */
  readonly perKey?: number;
  /** Operations that wait at once; one key gets a fair share of them. */
  readonly waiting: number;
}

interface Waiter {
  readonly start: () => void;
}

/** Lets a bounded number of operations run at once. The others wait: keys take turns, and operations of one key keep their order. */
export class Turns {
  readonly #limits: Required<TurnLimits>;
  readonly #queue: Admission;
  readonly #busy: () => Error;
  readonly #running = new Map<string, number>();
  #total = 0;
  /** The key whose turn is next is first. */
  readonly #waiting = new Map<string, Set<Waiter>>();

  /** @param busy the error of an operation for which there is no room in the queue */
  constructor(limits: TurnLimits, busy: () => Error) {
    this.#limits = { perKey: limits.running, ...limits };
    this.#queue = new Admission({ count: limits.waiting });
    this.#busy = busy;
  }

  /** Operations that run, and that wait. */
  get counts(): { readonly running: number; readonly waiting: number } {
    return { running: this.#total, waiting: this.#queue.used.count };
  }

  /**
   * Runs an operation when its turn comes.
   *
   * @param key whose operation it is: a host, a principal
   * @param signal ends the wait, not the operation
   * @throws {Error} what `busy` makes: the queue is full; the signal's reason; or as the operation does
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
    // No more keys are passed over here than can run at once.
    for (const [next, waiters] of this.#waiting) {
      if (!this.#mayStart(next)) continue;
      const [first] = waiters;
      this.#leave(next, first!);
      // The key goes behind the others.
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
