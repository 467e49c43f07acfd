import fc from "fast-check";
import { expect, test } from "vitest";
import { cases } from "../support/cases.mjs";
import { uncaughtErrors } from "../support/uncaught.js";
import { casesOn, examine } from "./examination.js";
import { endings } from "./plan.js";
import { modes, wires } from "./site.js";

const runs = cases(20_000, 500);

test("no handler that asks has an effect twice, on no transport", async () => {
  const uncaught = uncaughtErrors();
  /** How often something happened, to know that the cases are not all alike. */
  const seen = new Map<string, number>();
  const count = (...names: readonly (string | undefined)[]): void => {
    for (const name of names) if (name !== undefined) seen.set(name, (seen.get(name) ?? 0) + 1);
  };
  let rounds = 0;
  const property = fc.asyncProperty(casesOn(fc.constantFrom(...wires)), async (each) => {
    const course = await examine(each);
    rounds += course.rounds;
    count(course.ending, each.setting.wire);
    if (course.rounds > 0) count(each.setting.mode);
  });
  await fc.assert(property, { numRuns: runs });
  expect(uncaught).toEqual([]);
  expect(rounds).toBeGreaterThan(runs);
  for (const name of [...endings, ...wires, ...Object.keys(modes).filter((mode) => mode !== "neither")])
    expect([name, (seen.get(name) ?? 0) > runs / 200]).toEqual([name, true]);
});
