import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { type Hazard, hazardOf, isAutomaton, matcherOf } from "@mcpgen/engine";
import { overlap, setOfClass } from "../../../engine/patterns/character-set.js";
import { LinearMatcher } from "../../../engine/patterns/linear-matcher.js";
import { parsePattern } from "../../../engine/patterns/parse.js";
import { programOf } from "../../../engine/patterns/program.js";
import { Work } from "../../../engine/patterns/work.js";
import { stepsOf } from "./backtracking-steps.js";
import { cases } from "../../support/cases.mjs";

describe("the hazard of", () => {
  test.each<[string, Hazard]>([
    ["foo", "none"],
    ["^x-", "none"],
    ["^a+$", "none"],
    ["^[a-z]+(-[a-z]+)*$", "none"],
    ["^([0-9a-f]{2})*$", "none"],
    ["^(\\d{1,3}\\.){3}\\d{1,3}$", "none"],
    ["^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$", "none"],
    ["^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$", "none"],
    ["^(foo|foobar|fo)*$", "none"],
    ["^.{1,4096}$", "none"],
    ["^(?!foo)(?=.*\\d)[a-z0-9]+(?<!-)$", "none"],
    ["\\d+px", "polynomial"],
    ["^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$", "polynomial"],
    ["^\\s+|\\s+$", "polynomial"],
    ["^a*b?a*$", "polynomial"],
    ["(a*)*", "exponential"],
    ["^(a+)+$", "exponential"],
    ["^(a|a)*$", "exponential"],
    ["^(a|b|ab)*c$", "exponential"],
    ["^(\\w+\\s?)*$", "exponential"],
    ["^(?=(a+)+b)", "exponential"],
    ["^(a?){25}a{25}$", "exponential"],
    ["^(a{1,50}){1,50}$", "exponential"],
    ["^(a+)\\1$", "exponential"],
    [`^${"a?".repeat(30)}${"a".repeat(30)}$`, "exponential"],
  ])("%s is %s", (pattern, hazard) => {
    expect(hazardOf(pattern)).toBe(hazard);
  });

  // Time without bound would run into the time limit of the test.
  test.each([
    ["wide", "(a|b)".repeat(5_000)],
    ["deep", `${"(".repeat(5_000)}a*${")".repeat(5_000)}`],
    ["full of loops", "(a*b*c*)*".repeat(300)],
  ])("a pattern that is %s is not worked out without end", (_, pattern) => {
    expect(hazardOf(pattern)).toBe("exponential");
  });
});

/** Patterns made of some atoms. */
function patternsOf(atom: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.letrec<{ any: string }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      atom,
      fc.tuple(tie("any"), tie("any")).map(([a, b]) => a + b),
      fc.tuple(tie("any"), tie("any")).map(([a, b]) => `(${a}|${b})`),
      fc
        .tuple(tie("any"), fc.constantFrom("*", "+", "?", "{2}", "{1,3}", "{2,}", "*?"))
        .map(([part, bounds]) => `(?:${part})${bounds}`),
    ),
  })).any;
}

const anyPattern = patternsOf(
  fc.constantFrom(..."abc_-é😀", ".", "\\w", "\\D", "[^a]", "[a-c\\-]", "\\p{L}", "\\u0061", "\\b", "^", "$"),
);

test("without a hazard, the steps of a backtracking matcher grow linearly with the text", () => {
  const body = patternsOf(fc.constantFrom(..."abc", ".", "[ab]", "[^a]", "\\w"));
  const seen = new Set<Hazard>();
  fc.assert(
    fc.property(body, fc.constantFrom("^", ""), fc.constantFrom("$", "!"), (part, before, after) => {
      const source = `${before}(?:${part})${after}`;
      seen.add(hazardOf(source));
      if (hazardOf(source) !== "none") return;
      const expression = parsePattern(source)!;
      for (const unit of ["a", "ab", "abc", "aab", "c"]) {
        const [some, more, most] = [12, 24, 48].map((times) =>
          stepsOf(expression, `${unit.repeat(times * 3)}\n`),
        ) as [number, number, number];
        // In proportion, what the second half adds is what the first two quarters add.
        expect(most - more, `${source} on ${unit}`).toBeLessThanOrEqual(2.2 * (more - some) + 200);
      }
    }),
    { numRuns: cases(3000) },
  );
  expect([...seen].sort()).toEqual(["exponential", "none", "polynomial"]);
});

test("the automaton says what the platform's own matcher says", () => {
  const text = fc.string({ unit: fc.constantFrom(..."abc_-1é😀 \n"), maxLength: 8 });
  fc.assert(
    fc.property(anyPattern, fc.array(text, { minLength: 4, maxLength: 8 }), (source, texts) => {
      const matcher = new LinearMatcher(programOf(parsePattern(source)!)!);
      const native = new RegExp(source, "u");
      for (const each of texts) expect(matcher.test(each), each).toBe(native.test(each));
    }),
    { numRuns: cases(4000) },
  );
});

test("patterns that would take exponential time are matched in linear time", () => {
  const long = "a".repeat(200_000);
  for (const source of ["^(a+)+$", "^(a|a)*$", "^(\\w+\\s?)*$", "(x+x+)+y", "a+b"]) {
    const matcher = matcherOf(source)!;
    expect(matcher.test(`${long}!`), source).toBe(false);
  }
  expect(matcherOf("^(a+)+$")!.test(long)).toBe(true);
});

test("backreferences, lookaheads and huge repetitions have no matcher", () => {
  for (const source of ["^(a+)+\\1$", "(?=(a+)+b)", "^((a{1000}){1000})+$"]) {
    expect(matcherOf(source), source).toBeUndefined();
  }
  expect(() => matcherOf("(")).toThrow(SyntaxError);
});

describe("patterns that are hard to judge", () => {
  const many = (count: number, made: (index: number) => string): string[] =>
    Array.from({ length: count }, (_, index) => made(index));
  const letters = (index: number): string =>
    many(60, (at) => String.fromCodePoint(0x100 + ((index * 7 + at * 13) % 5000))).join("");
  const hard: readonly (readonly [string, string])[] = [
    ["290 that may be left out", `^${"a?".repeat(290)}$`],
    ["590 loops", "a*".repeat(590)],
    ["40 loops of two letters", `^${"(?:a|b)*".repeat(40)}$`],
    ["100 loops of anything", `${".*".repeat(100)}x`],
    ["a choice of 200", `^(?:${many(200, (index) => `[a-z]{1,2}${letters(index)[0]}`).join("|")})*$`],
    ["a choice of 300 classes of 60", `^(?:${many(300, (index) => `[${letters(index)}]`).join("|")})*$`],
  ];

  test.each(hard)("%s: the work is bounded, and an automaton matches", (_, pattern) => {
    const steps = vi.spyOn(Work.prototype, "step");
    try {
      hazardOf(pattern);
      const work = steps.mock.calls.reduce((sum, [count = 1]) => sum + count, 0);
      // What passes the bound is the last step alone; it may be judged twice.
      expect(work).toBeLessThan(201_000);
    } finally {
      steps.mockRestore();
    }
    expect(isAutomaton(matcherOf(pattern))).toBe(true);
  });

  test.each([
    "^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$",
    "^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(?:-((?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\\.(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\\+([0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*))?$",
    "^(([0-9a-fA-F]{1,4}:){7,7}[0-9a-fA-F]{1,4}|([0-9a-fA-F]{1,4}:){1,7}:|([0-9a-fA-F]{1,4}:){1,6}:[0-9a-fA-F]{1,4})$",
    "^[a-zA-Z0-9_-]{1,128}$",
  ])("%s, which people write, is still left to the platform", (pattern) => {
    expect(hazardOf(pattern)).toBe("none");
  });

  test("code points of classes are compared in the order they have", () => {
    expect(overlap(setOfClass("[z-za-c]"), setOfClass("[b]"))).toBe(true);
    expect(overlap(setOfClass("[xyzabc]"), setOfClass("[d-w]"))).toBe(false);
    expect(overlap(setOfClass("[\\d_]"), setOfClass("[^\\w]"))).toBe(false);
    expect(setOfClass("[cabbd-f]")).toEqual([[0x61, 0x66]]);
  });
});
