import { expect, test } from "vitest";
import { randomFrom, shuffled } from "../../generator/sample/values.js";

test("the same seed gives the same stream, another seed another", () => {
  const stream = (seed: string): number[] => {
    const random = randomFrom(seed);
    return Array.from({ length: 20 }, () => random.fraction());
  };
  expect(stream("Tool")).toEqual(stream("Tool"));
  expect(stream("Tool")).not.toEqual(stream("Took"));
});

test("fractions spread over [0, 1)", () => {
  const random = randomFrom("spread");
  const buckets = Array.from({ length: 10 }, () => 0);
  for (let draw = 0; draw < 10_000; draw++) {
    const fraction = random.fraction();
    expect(fraction >= 0 && fraction < 1).toBe(true);
    buckets[Math.floor(fraction * 10)]!++;
  }
  for (const count of buckets) expect(count).toBeGreaterThan(800);
});

test("shuffling keeps every value and does not change the list", () => {
  const values = Array.from({ length: 50 }, (_, index) => index);
  const result = shuffled(values, randomFrom("shuffle"));
  expect(result).not.toEqual(values);
  expect(result.toSorted((a, b) => a - b)).toEqual(values);
  expect(values[0]).toBe(0);
});
