import { BoundedMap } from "@mcpgen/base";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { cases, seed } from "../../support/cases.mjs";

const steps = fc.array(
  fc.oneof(
    fc.record({
      type: fc.constant("set" as const),
      key: fc.nat(9),
      bytes: fc.nat(40),
      lifeMs: fc.integer({ min: 1, max: 5000 }),
      principal: fc.constantFrom("a", "b", undefined),
    }),
    fc.record({ type: fc.constant("get" as const), key: fc.nat(9) }),
    fc.record({ type: fc.constant("delete" as const), key: fc.nat(9) }),
    fc.record({ type: fc.constant("wait" as const), ms: fc.nat(3000) }),
  ),
  { maxLength: 80 },
);

test.each(["evict", "refuse"] as const)("a map with the policy %s stays within its limits", (full) => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 1, max: 100 }),
      steps,
      (count, bytes, all) => {
        let now = 0;
        const map = new BoundedMap<number, object>({ full, count, bytes, now: () => now });
        /** The newest value of each key, and when it ends. */
        const model = new Map<number, { value: object; until: number; bytes: number }>();
        for (const step of all) {
          if (step.type === "wait") now += step.ms;
          else if (step.type === "delete") {
            map.delete(step.key);
            model.delete(step.key);
          } else if (step.type === "get") {
            const found = map.get(step.key);
            const known = model.get(step.key);
            const isAlive = known !== undefined && known.until > now;
            // A map that evicts may have lost the entry. No map returns an expired entry or a wrong value.
            if (full === "refuse" || !isAlive) expect(found).toBe(isAlive ? known.value : undefined);
            else expect([known.value, undefined]).toContain(found);
          } else {
            const { key, bytes, lifeMs, principal } = step;
            const value = {};
            const options = { bytes, lifeMs, ...(principal !== undefined && { principal }) };
            if (map.set(key, value, options)) {
              model.set(key, { value, bytes, until: now + lifeMs });
              expect(map.get(key)).toBe(value);
            }
          }
          expect(map.size).toBeLessThanOrEqual(count);
          expect(map.bytes).toBeLessThanOrEqual(bytes);
          // The count may include expired entries.
          const alive = [...model].filter(([key, { until }]) => until > now && map.get(key) !== undefined);
          const sum = alive.reduce((total, [, each]) => total + each.bytes, 0);
          expect(map.size).toBeGreaterThanOrEqual(alive.length);
          expect(map.bytes).toBeGreaterThanOrEqual(sum);
        }
        for (const key of [...model.keys()]) map.delete(key);
        expect([map.size, map.bytes]).toEqual([0, 0]);
      },
    ),
    { seed, numRuns: cases(10_000) },
  );
});

test("the least recently used entry is evicted first", () => {
  const map = new BoundedMap<string, number>({ full: "evict", count: 3, bytes: 30 });
  for (const [at, key] of ["a", "b", "c"].entries()) map.set(key, at, { bytes: 10 });
  expect(map.get("a")).toBe(0);
  map.set("d", 3, { bytes: 10 });
  expect(["a", "b", "c", "d"].map((key) => map.get(key))).toEqual([0, undefined, 2, 3]);
  map.set("e", 4, { bytes: 21 });
  expect(map.size).toBe(1);
  expect(map.set("f", 5, { bytes: 31 })).toBe(false);
  expect(map.get("e")).toBe(4);
});

test("one principal evicts its own entries, not entries of another", () => {
  const map = new BoundedMap<string, number>({ full: "evict", count: 100, bytes: 100_000 });
  map.set("mine", 1, { bytes: 100, principal: "a" });
  for (let at = 0; at < 1000; at++) map.set(`${at}`, at, { bytes: 100, principal: "b" });
  expect(map.get("mine")).toBe(1);
  expect(map.get("999")).toBe(999);
  expect(map.size).toBeLessThanOrEqual(51);
});

test("a replaced entry keeps its room, even if its principal would get no more", () => {
  const map = new BoundedMap<string, number>({ full: "refuse", count: 10, bytes: 1000 });
  for (let at = 0; at < 5; at++) map.set(`a${at}`, at, { bytes: 80, principal: "a" });
  for (let at = 0; at < 3; at++) map.set(`b${at}`, at, { bytes: 80, principal: "b" });
  expect(map.set("a5", 5, { bytes: 80, principal: "a" })).toBe(false);
  expect(map.set("a0", 10, { bytes: 80, principal: "a" })).toBe(true);
  expect(map.set("a1", 11, { bytes: 10, principal: "a" })).toBe(true);
  expect(map.set("a2", 12, { bytes: 500, principal: "a" })).toBe(false);
  expect([map.get("a0"), map.get("a1"), map.get("a2")]).toEqual([10, 11, 2]);
  expect([map.size, map.bytes]).toEqual([7, 7 * 80 - 70]);
});

test("a full map that refuses leaves room for other principals, and has room again after its entries expire", () => {
  let now = 0;
  const map = new BoundedMap<number, true>({ full: "refuse", count: 10, lifeMs: 5000, now: () => now });
  let kept = 0;
  while (map.set(kept, true, { principal: "a" })) kept++;
  expect(kept).toBe(5);
  expect(map.set(-1, true, { principal: "b" })).toBe(true);
  now += 5000;
  expect(map.set(kept, true, { principal: "a" })).toBe(true);
  expect(map.size).toBe(1);
});

test("entries are iterated in the order of their use, and peek does not count as use", () => {
  let now = 0;
  const map = new BoundedMap<string, number>({ full: "evict", count: 3, now: () => now });
  map.set("a", 1);
  map.set("b", 2, { lifeMs: 10 });
  map.set("c", 3);
  expect([map.peek("a"), map.peek("x")]).toEqual([1, undefined]);
  expect([...map]).toEqual([
    ["a", 1],
    ["b", 2],
    ["c", 3],
  ]);
  map.get("a");
  now = 10;
  expect([...map].map(([key]) => key)).toEqual(["c", "a"]);
  expect(map.peek("b")).toBeUndefined();
  for (const [key] of map) map.delete(key);
  expect(map.size).toBe(0);
});

test("an expired or evicted entry is reported once", () => {
  let now = 0;
  const left: string[] = [];
  const gone = (key: string): void => void left.push(key);
  const map = new BoundedMap<string, number>({ full: "evict", count: 2, now: () => now, gone });
  map.set("replaced", 1);
  map.set("replaced", 2);
  map.set("deleted", 1);
  map.delete("deleted");
  map.set("ended", 1, { lifeMs: 10 });
  expect(left).toEqual([]);
  map.set("newest", 1, { lifeMs: 20 });
  expect(left).toEqual(["replaced"]);
  now = 10;
  expect(map.get("ended")).toBeUndefined();
  now = 5000;
  // The sweep finds it.
  map.set("other", 1);
  expect(left).toEqual(["replaced", "ended", "newest"]);
});
