/** Time, so that tests can own it. */
export interface Clock {
  /** Milliseconds since any fixed point; never set back or forward, as a wall clock is. */
  now(): number;
  /** Milliseconds since 1970, for dates that leave the process; the platform's without it. */
  wallTime?(): number;
  /** Calls once after `delay` milliseconds; the result goes to `clear`. */
  schedule(callback: () => void, delay: number): unknown;
  clear(timer: unknown): void;
}

/** Longest wait that timers of the platform take, in milliseconds; a longer one would fire at once. */
export const longestWait = 2 ** 31 - 1;

export const systemClock: Clock = {
  // Whole milliseconds: they stand in error texts and recordings.
  now: () => Math.floor(performance.now()),
  schedule: (callback, delay) => setTimeout(callback, Math.min(delay, longestWait)),
  clear: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
};

/** Milliseconds since 1970, for dates that leave the process: other processes compare them with theirs. */
export function wallTimeOf(clock: Clock): number {
  return clock.wallTime?.() ?? Date.now();
}
