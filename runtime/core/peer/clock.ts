/** Time, so that tests can own it. */
export interface Clock {
  /** Milliseconds since any fixed point. */
  now(): number;
  /** Calls once after `delay` milliseconds; the result goes to `clear`. */
  schedule(callback: () => void, delay: number): unknown;
  clear(timer: unknown): void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  schedule: (callback, delay) => setTimeout(callback, delay),
  clear: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
};
