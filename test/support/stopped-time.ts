import { onTestFinished, vi } from "vitest";

/**
 * Stops timers and the time of this process until the test ends. What other processes do is then waited for, however long
 * it takes: no deadline passes before the test says so.
 *
 * @returns lets time pass
 */
export function stopTime(): (ms: number) => Promise<unknown> {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  return (ms) => vi.advanceTimersByTimeAsync(ms);
}
