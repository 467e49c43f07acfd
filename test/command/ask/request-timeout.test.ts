import { beforeEach, expect, test, vi } from "vitest";
import { RequestTimeout } from "../../../generator/command/ask/ask-server.js";

beforeEach(() => void vi.useFakeTimers());

/** A request that is ended by the signal alone. */
function request({ signal }: RequestTimeout): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(new Error("cancelled")));
  });
}

test("silence ends a request; a sign of life begins the wait again", async () => {
  const timeout = new RequestTimeout(1000);
  const over = timeout.over(request(timeout)).catch((error: unknown) => error);
  vi.advanceTimersByTime(900);
  timeout.restart();
  vi.advanceTimersByTime(900);
  expect(timeout.signal.aborted).toBe(false);
  vi.advanceTimersByTime(200);
  expect(await over).toMatchObject({ code: "timeout", message: "no answer to the request within 1000 ms" });
});

test("the time in which the user is asked does not count", async () => {
  const timeout = new RequestTimeout(1000);
  const over = timeout.over(request(timeout)).catch((error: unknown) => error);
  let answer = (): void => {};
  const asked = timeout.paused(() => new Promise<void>((resolve) => (answer = resolve)));
  timeout.restart();
  vi.advanceTimersByTime(3_600_000);
  expect(timeout.signal.aborted).toBe(false);
  answer();
  await asked;
  vi.advanceTimersByTime(1100);
  expect(await over).toMatchObject({ code: "timeout" });
});

test("no timer is left, and other failures stay unchanged", async () => {
  const timeout = new RequestTimeout(1000);
  expect(await timeout.over(Promise.resolve(7))).toBe(7);
  await expect(timeout.over(Promise.reject(new Error("other")))).rejects.toThrow("other");
  expect(vi.getTimerCount()).toBe(0);
});
