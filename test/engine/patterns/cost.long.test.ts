import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { exampleOf, isAutomaton, matcherOf } from "@mcpgen/engine";
import { LinearMatcher } from "../../../engine/patterns/linear-matcher.js";
import { parsePattern } from "../../../engine/patterns/parse.js";
import { type Program, programOf } from "../../../engine/patterns/program.js";
import { cases } from "../../support/cases.mjs";
import { searchOf } from "./backtracking-steps.js";
import { libraryFormats } from "./library-formats.js";
import { patternsOf } from "./random-patterns.js";

const size = 100_000;

/** A text of `length` that repeats a unit, and then a character that no pattern here matches. */
function textOf(unit: string, length: number): string {
  return `${unit.repeat(Math.ceil(length / unit.length)).slice(0, length)}\u0000`;
}

/** States that a matcher looks at for a text. */
function looksOf(program: Program, text: string): number {
  let looks = 0;
  const steps = new Proxy(program.steps, {
    get(target, key, receiver) {
      looks++;
      return Reflect.get(target, key, receiver) as unknown;
    },
  });
  new LinearMatcher({ ...program, steps }).test(text);
  return looks;
}

/** Judges the time of an accepted pattern by steps, with the matcher that was chosen for it. */
function expectLinear(pattern: string, unit: string): void {
  const expression = parsePattern(pattern)!;
  if (isAutomaton(matcherOf(pattern))) {
    const program = programOf(expression)!;
    const readings = program.looks.length + 1;
    // Two looks for each state at each place: one at the transitions without a code point, one at those with a code
    // point.
    expect(looksOf(program, textOf(unit, size)), pattern).toBeLessThanOrEqual(
      2 * program.steps.length * readings * (size + 2),
    );
    return;
  }
  const [some, all] = [size / 4, size].map(
    (length) => searchOf(expression, textOf(unit, length), 200_000_000).steps,
  ) as [number, number];
  expect(all, `${pattern} on ${unit}`).toBeLessThanOrEqual(4.2 * some + 10_000);
}

describe(`a text of ${size} code units takes linear time`, () => {
  const patterns = Object.entries(libraryFormats).flatMap(([library, formats]) =>
    [...formats].flatMap(([name, list]) => list.map((pattern) => [library, name, pattern] as const)),
  );
  const accepted = patterns.filter(([, , pattern]) => {
    try {
      return matcherOf(pattern) !== undefined;
    } catch {
      return false;
    }
  });

  test.each(accepted)("for %s %s", (_, __, pattern) => {
    const example = exampleOf(pattern) ?? "";
    for (const unit of [example, "0", "a.", "1:"].filter((each) => each !== "")) expectLinear(pattern, unit);
  });

  test("for random patterns", () => {
    const pattern = patternsOf({
      atoms: fc.constantFrom(..."ab", ".", "[ab]", "[^a]", "^", ""),
      looks: ["?=", "?!", "?<=", "?<!"],
      captures: true,
    });
    let judged = 0;
    fc.assert(
      fc.property(
        pattern,
        fc.constantFrom("", "^"),
        fc.constantFrom("a", "ab", "aab"),
        (part, start, unit) => {
          const source = `${start}(?:${part})$`;
          if (matcherOf(source) === undefined) return;
          judged++;
          expectLinear(source, unit);
        },
      ),
      { numRuns: cases(500, 40) },
    );
    expect(judged).toBeGreaterThan(cases(500, 40) / 3);
  });
});
