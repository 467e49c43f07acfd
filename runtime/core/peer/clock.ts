/** Time, so that tests can own it. */
export interface Clock {
  /** Milliseconds since any fixed point. */
  now(): number;
  /** Calls once after `delay` milliseconds; the result goes to `clear`. */
  schedule(callback: () => void, delay: number): unknown;
  clear(timer: unknown): void;
}

/** Longest wait that timers of the platform take, in milliseconds; a longer one would fire at once. */
export const longestWait = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  schedule: (callback, delay) => setTimeout(callback, Math.min(delay, longestWait)),
  clear: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
};
