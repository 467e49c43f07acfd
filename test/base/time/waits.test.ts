import { attempts, growing, waitAsked } from "@mcpgen/base";
import { VirtualClock } from "@mcpgen/testing";
import * as fc from "fast-check";
import { expect, test, vi } from "vitest";
import { cases, seed } from "../../support/cases.mjs";

const longest = 2 ** 31 - 1;

type Pace = Parameters<typeof attempts>[0];

/** The attempts that are made until `isDone`, or until there are no more. */
async function made(pace: Pace, isDone: (attempt: number) => boolean = () => false): Promise<number[]> {
  const all: number[] = [];
  for await (const attempt of attempts(pace)) {
    all.push(attempt);
    if (isDone(attempt)) break;
  }
  return all;
}

/** Any values, also such that JSON cannot represent. */
const anything = fc.oneof(fc.anything(), fc.double(), fc.constantFrom(Infinity, NaN, -0, 1e308, longest + 1));

test("a wait that the other side requests is limited to what a timer supports", () => {
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
  const { signal } = controller;
  const paused = made({ pauses: [ms], waitsFirst: true, signal }).then(ended, ended);
  await vi.advanceTimersByTimeAsync(1_000_000);
  expect(ended).not.toHaveBeenCalled();
  controller.abort(new Error("enough"));
  await paused;
  expect(ended).toHaveBeenCalledWith(new Error("enough"));
  expect(vi.getTimerCount()).toBe(0);
});

test("there is one attempt more than pauses, or the same number if a pause comes first", async () => {
  const clock = new VirtualClock();
  for (const waitsFirst of [false, true]) {
    const times: number[] = [];
    const began = clock.now();
    const done = made({ pauses: [0, 10, 300], waitsFirst, clock }, () => {
      times.push(clock.now() - began);
      return false;
    });
    await clock.advance(1000);
    expect(await done).toEqual(waitsFirst ? [0, 1, 2] : [0, 1, 2, 3]);
    expect(times).toEqual(waitsFirst ? [0, 10, 310] : [0, 0, 10, 310]);
  }
  expect(await made({ pauses: [10], clock }, () => true)).toEqual([0]);
  expect(clock.waiting).toBe(0);
});

test("a wake callback ends one pause, and is removed with it", async () => {
  const clock = new VirtualClock();
  const wakes = new Set<() => void>();
  const register = (wake: () => void): (() => void) => {
    wakes.add(wake);
    return () => void wakes.delete(wake);
  };
  const done = made({ pauses: [1000, 50], clock, wakes: [register] });
  await clock.advance(1);
  for (const wake of wakes) wake();
  await clock.advance(49);
  expect([clock.waiting, wakes.size]).toEqual([1, 1]);
  await clock.advance(1);
  expect(await done).toEqual([0, 1, 2]);
  expect([clock.waiting, wakes.size]).toEqual([0, 0]);
  // If `wakes` calls the listener during its registration, the pause ends, too.
  const called = (wake: () => void): (() => void) => (wake(), () => {});
  expect(await made({ pauses: [1000], clock, wakes: [called, register] })).toEqual([0, 1]);
  expect([clock.waiting, wakes.size]).toEqual([0, 0]);
});

test("a signal that has aborted ends the attempts at the first pause, a pause of 0 too", async () => {
  const signal = AbortSignal.abort(new Error("enough"));
  for (const pause of [0, 1000]) {
    await expect(made({ pauses: [pause], signal })).rejects.toThrow("enough");
    const reason = (): Error => new Error("closed");
    await expect(made({ pauses: [pause], signal, reason })).rejects.toThrow("closed");
  }
});

test("pauses grow up to the longest, within their spread and their number", () => {
  const amount = fc.integer({ min: 1, max: 1000 });
  const factor = fc.constantFrom(1, 1.5, 2, 3);
  const spread = fc.tuple(
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.double({ min: 1, max: 2, noNaN: true }),
  );
  fc.assert(
    fc.property(amount, factor, fc.nat(5000), fc.nat(20), spread, (first, factor, more, count, spread) => {
      const most = first + more;
      const next = growing({ first, factor, most, count, spread });
      for (let at = 0; at < count; at++) {
        const usual = Math.min(first * factor ** at, most);
        const pause = next()!;
        expect(pause).toBeGreaterThanOrEqual(usual * spread[0] - 1e-6);
        expect(pause).toBeLessThanOrEqual(usual * spread[1] + 1e-6);
      }
      expect(next()).toBeUndefined();
    }),
    { seed, numRuns: cases(1000) },
  );
});

test("pauses end with their total time, at which the last attempt is made", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const next = growing({ first: 40, within: 100 });
  const pauses: number[] = [];
  for (let pause = next(); pause !== undefined; pause = next()) {
    pauses.push(pause);
    vi.advanceTimersByTime(pause);
  }
  expect(pauses).toEqual([40, 60]);
});
