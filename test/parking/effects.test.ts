import fc from "fast-check";
import { expect, test } from "vitest";
import { cases } from "../support/cases.mjs";
import { uncaughtErrors } from "../support/uncaught.js";
import { casesOn, examine } from "./examination.js";

// Random programs run as handlers: in a session, and at 2026-07-28 with clients that repeat states, forge them, answer wrongly,
// leave, and come late, while servers are killed and closed. The long test draws more of them, on all transports.

test("no handler that asks has an effect twice", async () => {
  const uncaught = uncaughtErrors();
  const wire = fc.constantFrom("memory", "memory", "stdio", "fetch");
  const property = fc.asyncProperty(casesOn(wire), async (each) => void (await examine(each)));
  await fc.assert(property, { numRuns: cases(1000, 100) });
  expect(uncaught).toEqual([]);
});
