import { Admission, type Quota } from "@mcpgen/base";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { cases, seed } from "../../support/cases.mjs";

const principals = ["a", "b", "c", undefined] as const;

const quotas = fc.record(
  {
    count: fc.integer({ min: 1, max: 12 }),
    bytes: fc.integer({ min: 1, max: 100 }),
    share: fc.record(
      { count: fc.integer({ min: 1, max: 12 }), bytes: fc.integer({ min: 1, max: 100 }) },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
);

const steps = fc.array(
  fc.record({
    principal: fc.constantFrom(...principals),
    bytes: fc.nat(60),
    isRelease: fc.boolean(),
    which: fc.nat(),
  }),
  { maxLength: 60 },
);

/** The expected verdict on one more request, from the list of all admitted ones. */
function modelled(
  { count: most = Infinity, bytes: mostBytes = Infinity, share }: Quota,
  held: readonly { readonly principal: string | undefined; readonly bytes: number }[],
  principal: string | undefined,
  bytes: number,
): "share" | "whole" | undefined {
  const sum = (list: typeof held): number => list.reduce((total, each) => total + each.bytes, 0);
  const own = held.filter((each) => each.principal === principal);
  if (held.length + 1 > most || (bytes > 0 && sum(held) + bytes > mostBytes)) return "whole";
  if (principal === undefined) return undefined;
  const half = { count: Math.ceil(most / 2), bytes: Math.ceil(mostBytes / 2) };
  const { count: shareCount, bytes: shareBytes } = share ? { count: most, bytes: mostBytes, ...share } : half;
  if (own.length + 1 > shareCount || (bytes > 0 && sum(own) + bytes > shareBytes)) return "share";
  if (share) return undefined;
  const isGreedy = own.length > 0 && own.length + 1 > most - held.length - 1;
  const isLarge = bytes > 0 && sum(own) > 0 && sum(own) + bytes > mostBytes - sum(held) - bytes;
  return isGreedy || isLarge ? "share" : undefined;
}

test("a quota decides like a list of all admitted amounts", () => {
  fc.assert(
    fc.property(quotas, steps, (quota, all) => {
      const admission = new Admission(quota as Quota);
      const held: { principal: string | undefined; bytes: number }[] = [];
      for (const { principal, bytes, isRelease, which } of all) {
        if (isRelease && held.length > 0) {
          const [left] = held.splice(which % held.length, 1);
          admission.release(left!.principal, left!.bytes);
        } else {
          const expected = modelled(quota as Quota, held, principal, bytes);
          expect(admission.admit(principal, bytes)).toBe(expected);
          if (!expected) held.push({ principal, bytes });
        }
        const sum = held.reduce((total, each) => total + each.bytes, 0);
        expect(admission.used).toEqual({ count: held.length, bytes: sum });
        for (const each of ["a", "b", "c"])
          expect(admission.usedBy(each).count).toBe(held.filter((one) => one.principal === each).length);
      }
    }),
    { seed, numRuns: cases(10_000) },
  );
});

test("one or two principals that want everything leave room for another principal", () => {
  const admission = new Admission({ count: 90, bytes: 9000 });
  const greed = (principal: string): number => {
    let admitted = 0;
    while (admission.admit(principal, 100) === undefined) admitted++;
    return admitted;
  };
  expect(greed("a")).toBe(45);
  expect(greed("b")).toBe(22);
  expect(greed("c")).toBe(11);
  expect(admission.admit("d", 100)).toBeUndefined();
});

test("an admitted amount may grow within the same limits", () => {
  const admission = new Admission({ bytes: 1000, share: { bytes: 300 } });
  expect(admission.admit("a", 100)).toBeUndefined();
  expect(admission.admit("a", 200, 0)).toBeUndefined();
  expect(admission.admit("a", 1, 0)).toBe("share");
  expect(admission.usedBy("a")).toEqual({ count: 1, bytes: 300 });
  admission.release("a", 300);
  expect(admission.used).toEqual({ count: 0, bytes: 0 });
});

test("principals that use nothing are forgotten in the end, and those that use something are not", () => {
  const admission = new Admission({ count: 10_000 });
  for (let index = 0; index < 500; index++) admission.take(`busy ${index}`, 1);
  for (let index = 0; index < 20_000; index++) {
    expect(admission.admit(`guest ${index}`, 5)).toBeUndefined();
    admission.release(`guest ${index}`, 5);
    expect(admission.records).toBeLessThanOrEqual(500 + 1001);
  }
  for (let index = 0; index < 500; index++)
    expect(admission.usedBy(`busy ${index}`)).toEqual({ count: 1, bytes: 1 });
  expect(admission.used).toEqual({ count: 500, bytes: 500 });
});
