import { vi } from "vitest";

/**
 * Stops the clock and the timers of this process until the test ends. Deadlines pass only when the test advances time,
 * however long other processes take.
 *
 * @returns a function that advances time
 */
export function stopTime(): (ms: number) => Promise<unknown> {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  return (ms) => vi.advanceTimersByTimeAsync(ms);
}
