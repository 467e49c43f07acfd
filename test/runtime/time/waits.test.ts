import { pause, waitAsked } from "@mcpgen/runtime/extending";
import * as fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { cases, seed } from "../../support/cases.mjs";

afterEach(() => void vi.useRealTimers());

const longest = 2 ** 31 - 1;

/** All that JSON can hold, and what it cannot. */
const anything = fc.oneof(fc.anything(), fc.double(), fc.constantFrom(Infinity, NaN, -0, 1e308, longest + 1));

test("a wait that another side asks for is one that a timer can take", () => {
  fc.assert(
    fc.property(anything, fc.nat(1000), fc.nat(10_000), (asked, least, more) => {
      const wait = waitAsked(asked, { least, most: least + more, usual: least });
      expect(wait).toBeGreaterThanOrEqual(least);
      expect(wait).toBeLessThanOrEqual(least + more);
      // A timer takes -0 as 0.
      if (typeof asked === "number" && asked >= least && asked <= least + more)
        expect(wait === asked).toBe(true);
      expect(waitAsked(asked, { usual: 5 })).toBeLessThanOrEqual(longest);
    }),
    { seed, numRuns: cases(10_000) },
  );
});

test.each([longest + 1, 1e12, Infinity])("a pause of %d ms does not end at once", async (ms) => {
  vi.useFakeTimers();
  const controller = new AbortController();
  const ended = vi.fn();
  const paused = pause(ms, controller.signal).then(ended, ended);
  await vi.advanceTimersByTimeAsync(1_000_000);
  expect(ended).not.toHaveBeenCalled();
  controller.abort(new Error("enough"));
  await paused;
  expect(ended).toHaveBeenCalledWith(new Error("enough"));
  expect(vi.getTimerCount()).toBe(0);
});
