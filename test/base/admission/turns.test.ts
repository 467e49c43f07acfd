import { Turns } from "@mcpgen/base";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { cases, seed } from "../../support/cases.mjs";

const busy = (): Error => new Error("busy");

/** Operations that end when the test says so. */
function operations() {
  const running: { readonly key: string; readonly end: () => void }[] = [];
  const started: string[] = [];
  const operation = (key: string) => (): Promise<void> => {
    started.push(key);
    return new Promise((resolve) => running.push({ key, end: resolve }));
  };
  return { running, started, operation };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("no more operations run than allowed, each admitted one runs once, and none is left over", async () => {
  const limits = fc.record({
    running: fc.integer({ min: 1, max: 5 }),
    perKey: fc.integer({ min: 1, max: 5 }),
    waiting: fc.nat(8),
  });
  const steps = fc.array(
    fc.record({
      key: fc.constantFrom("a", "b", "c"),
      ends: fc.nat(2),
      which: fc.nat(),
      aborts: fc.boolean(),
    }),
    { maxLength: 40 },
  );
  await fc.assert(
    fc.asyncProperty(limits, steps, async (limit, all) => {
      const turns = new Turns(limit, busy);
      const { running, operation } = operations();
      const results: Promise<string>[] = [];
      const check = (): void => {
        expect(running.length).toBeLessThanOrEqual(limit.running);
        expect(turns.counts.running).toBe(running.length);
        expect(turns.counts.waiting).toBeLessThanOrEqual(limit.waiting);
        for (const key of ["a", "b", "c"])
          expect(running.filter((each) => each.key === key).length).toBeLessThanOrEqual(limit.perKey);
      };
      const end = async (which: number): Promise<void> => {
        const [ended] = running.splice(which % running.length, 1);
        ended!.end();
        await settled();
        check();
      };
      for (const { key, ends, which, aborts } of all) {
        const controller = new AbortController();
        results.push(
          turns.run(key, operation(key), controller.signal).then(
            () => "ran",
            (error: unknown) => (error as Error).message,
          ),
        );
        await settled();
        if (aborts) controller.abort(new Error("aborted"));
        await settled();
        check();
        for (let at = 0; at < ends && running.length > 0; at++) await end(which);
      }
      while (running.length > 0) await end(0);
      for (const result of await Promise.all(results)) expect(["ran", "busy", "aborted"]).toContain(result);
      expect(turns.counts).toEqual({ running: 0, waiting: 0 });
    }),
    { seed, numRuns: cases(5000, 50) },
  );
});

test("keys take turns: one that has asked a hundred times does not delay another's first", async () => {
  const turns = new Turns({ running: 2, waiting: 200 }, busy);
  const { running, started, operation } = operations();
  const greedy = Array.from({ length: 80 }, () => turns.run("a", operation("a")));
  const other = turns.run("b", operation("b"));
  await settled();
  running.shift()!.end();
  await settled();
  running.shift()!.end();
  await settled();
  expect(started).toContain("b");
  while (running.length > 0) {
    running.shift()!.end();
    await settled();
  }
  await Promise.all([...greedy, other]);
});

test("a key that wants the whole queue leaves room for others", async () => {
  const turns = new Turns({ running: 1, waiting: 10 }, busy);
  const { running, operation } = operations();
  const greedy = Array.from({ length: 20 }, () => turns.run("a", operation("a")));
  const outcomes = Promise.allSettled(greedy);
  const other = turns.run("b", operation("b"));
  await settled();
  while (running.length > 0) {
    running.shift()!.end();
    await settled();
  }
  await other;
  expect((await outcomes).filter(({ status }) => status === "rejected")).toHaveLength(14);
});

test("a failing operation passes its turn on, and its error to its caller", async () => {
  const turns = new Turns({ running: 1, waiting: 1 }, busy);
  const first = turns.run("a", () => Promise.reject(new Error("failed")));
  const second = turns.run("a", async () => "done");
  await expect(first).rejects.toThrow("failed");
  expect(await second).toBe("done");
  await expect(turns.run("a", async () => 1, AbortSignal.abort(new Error("over")))).rejects.toThrow("over");
});
