import type * as platform from "../platform/platform.js";
import type { RequestOptions } from "@mcpgen/protocol/model";

/** A source of time, which tests can replace. */
export interface Clock {
  /** Milliseconds since any fixed point. Unlike a wall clock, it is never set back or forward. */
  now(): number;
  /** Milliseconds since 1970, for dates that leave the process. Default: `Date.now`. */
  wallTime?(): number;
  /** Calls once after `delay` milliseconds. `clear` takes the result. */
  schedule(callback: () => void, delay: number): unknown;
  clear(timer: unknown): void;
}

/** The longest delay of a timer in milliseconds: a longer one would fire at once. */
export const longestWait = 2 ** 31 - 1;

export const systemClock: Clock = {
  // Whole milliseconds, for error texts and recordings.
  now: () => Math.floor(performance.now()),
  schedule: (callback, delay) => setTimeout(callback, Math.min(delay, longestWait)),
  clear: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
};

/** Milliseconds since 1970, for dates that other processes read. */
export function wallTimeOf(clock: Clock): number {
  return clock.wallTime?.() ?? Date.now();
}

/** Lets the process exit while the timer is set, if the platform supports that. */
export function unref(timer: unknown): unknown {
  (timer as { unref?: () => void }).unref?.();
  return timer;
}

/** The value of `work`; `undefined` if it does not settle within `delay` milliseconds. Rejects if `work` rejects. */
export async function withTimeout<T>(
  delay: number,
  work: Promise<T>,
  clock: Clock = systemClock,
): Promise<T | undefined> {
  let timer: unknown;
  const late = new Promise<undefined>((resolve) => (timer = clock.schedule(() => resolve(undefined), delay)));
  try {
    return await Promise.race([work, late]);
  } finally {
    clock.clear(timer);
  }
}

/** Resolves when `work` settles, or after `delay` milliseconds. Never rejects. */
export async function settleWithin(delay: number, work: Promise<unknown>): Promise<void> {
  await withTimeout(delay, work).catch(() => undefined);
}

/**
 * The value of `work`. Rejects with `reason()` as soon as the signal aborts, because the user's code may never settle.
 */
export async function abortable<T>(
  signal: platform.AbortSignal,
  work: Promise<T>,
  reason: () => Error,
): Promise<T> {
  let abort!: () => void;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(reason());
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort);
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

type Signal = NonNullable<RequestOptions["signal"]>;

/** The callbacks of one signal, and the listener that calls them. */
interface Listener {
  readonly callbacks: Set<() => void>;
  readonly fire: () => void;
}

/**
 * Callbacks for abort signals, with one listener per signal: platforms warn of a leak if many calls add listeners to
 * the same signal.
 */
export class Aborts {
  readonly #bySignal = new Map<Signal, Listener>();

  /** Calls `callback` once when `signal` aborts. Returns a function that removes the callback. */
  on(signal: Signal, callback: () => void): () => void {
    let listener = this.#bySignal.get(signal);
    if (!listener) {
      const callbacks = new Set<() => void>();
      const fire = (): void => [...callbacks].forEach((each) => each());
      this.#bySignal.set(signal, (listener = { callbacks, fire }));
      signal.addEventListener("abort", fire);
    }
    listener.callbacks.add(callback);
    return () => this.#off(signal, callback);
  }

  #off(signal: Signal, callback: () => void): void {
    const listener = this.#bySignal.get(signal);
    if (!listener?.callbacks.delete(callback) || listener.callbacks.size > 0) return;
    this.#bySignal.delete(signal);
    signal.removeEventListener("abort", listener.fire);
  }
}
