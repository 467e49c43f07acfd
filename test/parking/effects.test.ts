import fc from "fast-check";
import { expect, test } from "vitest";
import { seed } from "../support/cases.mjs";
import { uncaughtErrors } from "../support/uncaught.js";
import { cases, examine } from "./examination.js";

test("no effect happens twice", async () => {
  const uncaught = uncaughtErrors();
  const t = performance.now();
  let n = 0, rounds = 0;
  await fc.assert(
    fc.asyncProperty(cases(fc.constantFrom("memory", "stdio", "fetch", "HTTP")), async (each) => {
      n++;
      rounds += (await examine(each)).rounds;
    }),
    { seed, numRuns: Number(process.env.N ?? 100), verbose: 1 },
  );
  console.log(n, rounds, performance.now() - t);
  expect(uncaught).toEqual([]);
}, 600_000);
