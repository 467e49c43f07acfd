import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type JsonObject,
  type JsonValue,
  PatternBudget,
  type Schema,
  isAutomaton,
  readDocument,
} from "@mcpgen/engine";
import { validatorOf } from "@mcpgen/engine/interpreter";
import { Memory } from "../../../engine/patterns/memory.js";
import { parsePattern } from "../../../engine/patterns/parse.js";
import { programOf } from "../../../engine/patterns/program.js";
import { hasProgram } from "../../../engine/patterns/states.js";
import { hardPatterns, judgingSteps } from "../../support/hard-patterns.js";
import { cases } from "../../support/cases.mjs";

/** A document whose members `p0`, `p1` … have the patterns, in this order. */
const documentOf = (patterns: readonly string[]): JsonObject => ({
  properties: Object.fromEntries(
    patterns.map((pattern, index) => [`p${index}`, { type: "string", pattern }]),
  ),
});

/** For each pattern, whether an automaton matches it. */
const automata = ({ patterns }: Schema, given: readonly string[]): boolean[] =>
  given.map((pattern) => isAutomaton(patterns!.get(pattern)));

describe("the analysis of the patterns of a document", () => {
  test.each([100, 1000])("is bounded, however many there are: %i", async (count) => {
    let isValid: (value: JsonValue) => boolean = () => false;
    const steps = await judgingSteps(() => {
      isValid = validatorOf(readDocument(documentOf(hardPatterns(count, `bounded${count}x`))));
    });
    expect(steps).toBeGreaterThan(900_000);
    expect(steps).toBeLessThanOrEqual(1_000_000);
    expect(isValid({ p0: `aabounded${count}x0`, p99: `bounded${count}x99` })).toBe(true);
    expect(isValid({ p0: `aabounded${count}x1` })).toBe(false);
    expect(isValid({ p99: `aabounded${count}x0` })).toBe(false);
  });

  test("has a budget of steps; after it is used up, an automaton matches the patterns that were not analysed", () => {
    const ordinary = "^[a-z]+(-[a-z]+)*$";
    const hard = hardPatterns(20, "order");
    const [first, last] = [
      readDocument(documentOf([ordinary, ...hard])),
      readDocument(documentOf([...hard, ordinary])),
    ];
    expect(automata(first, [ordinary])).toEqual([false]);
    expect(automata(last, [ordinary])).toEqual([true]);
    for (const [schema, member] of [
      [first, "p0"],
      [last, "p20"],
    ] as const) {
      expect(validatorOf(schema)({ [member]: "a-b-c" })).toBe(true);
      expect(validatorOf(schema)({ [member]: "a-" })).toBe(false);
    }
  });

  test("analyses in the next document a pattern for which no steps were left", () => {
    const late = "^(x[a-z]+-)*late$";
    expect(automata(readDocument(documentOf([...hardPatterns(20, "want"), late])), [late])).toEqual([true]);
    expect(automata(readDocument(documentOf([late])), [late])).toEqual([false]);
  });

  test("accepts a pattern without an automaton, but refuses it when the budget is used up", () => {
    const backreference = "^([a-z]{4})-\\1$";
    const hard = hardPatterns(20, "refused");
    expect(() => readDocument(documentOf([backreference, ...hard]))).not.toThrow();
    expect(() => readDocument(documentOf([...hard, backreference]))).toThrow(
      expect.objectContaining({
        code: "unsafe-pattern",
        pointer: "/properties/p20/pattern",
        message: expect.stringContaining("too much work"),
      }),
    );
    expect(() => readDocument(documentOf([backreference]))).not.toThrow();
  });

  test("does not depend on the documents that were read before", () => {
    const patterns = [
      ...hardPatterns(8, "again"),
      ...Array.from({ length: 40 }, (_, at) => `^(a{${at}}b)*$`),
    ];
    const verdicts = [1, 2, 3].map(() => automata(readDocument(documentOf(patterns)), patterns));
    expect(verdicts[1]).toEqual(verdicts[0]);
    expect(verdicts[2]).toEqual(verdicts[0]);
    // Judges each pattern alone in a separate document. The verdicts must not be reused in a document with all of them.
    for (const pattern of patterns) readDocument(documentOf([pattern]));
    expect(automata(readDocument(documentOf(patterns)), patterns)).toEqual(verdicts[0]);
  });

  test("shares its steps between documents that are read with one budget", async () => {
    const patternBudget = new PatternBudget();
    const steps = await judgingSteps(() => {
      for (const pattern of hardPatterns(100, "shared"))
        readDocument({ patternProperties: { [pattern]: true } }, { patternBudget });
    });
    expect(steps).toBeLessThanOrEqual(1_000_000);
  });

  test("takes steps only once for the same pattern", () => {
    const pattern = "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$";
    const patternBudget = new PatternBudget();
    for (let count = 0; count < 300; count++) {
      const schema = readDocument(documentOf([pattern, pattern]), { patternBudget });
      expect(automata(schema, [pattern])).toEqual([false]);
    }
  });
});

test("the memory of patterns drops the least recently used pattern", () => {
  const memory = new Memory<number>(3);
  for (const [index, pattern] of ["a", "b", "c"].entries()) memory.set(pattern, index);
  expect(memory.get("a")).toBe(0);
  memory.set("d", 3);
  expect(["a", "b", "c", "d"].map((pattern) => memory.get(pattern))).toEqual([0, undefined, 2, 3]);
  memory.set("long".repeat(10_000), 4);
  expect(memory.get("long".repeat(10_000))).toBeUndefined();
  expect(memory.get("d")).toBe(3);
});

describe("hasProgram says whether a pattern has an automaton, without making it", () => {
  test.each([
    ["(?:a{1000}){19}", true],
    ["(?:a{1000}){20}", false],
    ["(?:a?){0,9999}", false],
    ["(?:){1000000000}a", true],
    ["(?:(?:(?:){1000}){1000}){1000}a", true],
    ["(?:){0,1000000000}", false],
    ["(?=a)b", true],
    ["(?=a{9998})b{9999}", true],
    ["(?=a{9998})b{10000}", false],
    ["(?:(?=a)b){0}c", true],
    ["(?:(a)\\1){2}", true],
    ["(?:(a+)\\1){2}", false],
  ])("%s: %s", (pattern, is) => {
    const expression = parsePattern(pattern)!;
    expect(hasProgram(expression)).toBe(is);
    expect(programOf(expression) !== undefined).toBe(is);
  });

  test("for random patterns", () => {
    const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
      pattern: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom("a", "", "^", "\\b", "(?=a)", "(?<!a+)", "([ab])", "\\1", "[a-c]"),
        fc.tuple(tie("pattern"), tie("pattern")).map(([a, b]) => `(?:${a}|${b})${a}`),
        fc
          .tuple(tie("pattern"), fc.constantFrom("*", "+", "?", "{0}", "{3}", "{2,40}", "{90}", "{30,}"))
          .map(([part, bounds]) => `(?:${part})${bounds}`),
      ),
    }));
    fc.assert(
      fc.property(pattern, (source) => {
        const expression = parsePattern(source)!;
        expect(hasProgram(expression), source).toBe(programOf(expression) !== undefined);
      }),
      { numRuns: cases(3000) },
    );
  });
});
