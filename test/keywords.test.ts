import {
  type JsonObject,
  type JsonValue,
  type JudgingKeyword,
  type Schema,
  judgingKeywords,
} from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { beforeAll, describe, expect, test } from "vitest";
import type { Contract } from "../generator/contract/contract.js";
import { diffContracts } from "../generator/diff/contract/diff-contracts.js";
import { levelFor } from "../generator/diff/finding.js";
import { definitionLines } from "../generator/targets/typescript/protocol-report/lines.js";
import { membersOf, ownType } from "../generator/page/schema-members.js";
import { minimallyInvalid } from "../generator/sample/invalid.js";
import { sampleValid } from "../generator/sample/sample.js";
import { randomFrom } from "../generator/sample/values.js";
import { type Compiled, compile } from "./support/compiled-schema.js";
import { schemaFrom } from "./support/revisions.js";

// The parts that every keyword for validation needs: CONTRIBUTING.md, "A keyword", lists their places.

interface Case {
  /** A schema with the keyword, of which few values are valid by chance. */
  readonly schema: JsonObject;
  /** A value that is valid. */
  readonly fits: JsonValue;
  /** A value that is valid without the keyword, and not with it. */
  readonly breaks: JsonValue;
}

const text = { type: "string" };
const word = { type: "string", enum: ["one", "two"] };

const cases: { readonly [Name in JudgingKeyword]: Case } = {
  $ref: { schema: { $ref: "#/$defs/Word" }, fits: "one", breaks: 1 },
  allOf: { schema: { allOf: [word] }, fits: "one", breaks: 1 },
  anyOf: { schema: { anyOf: [word, { type: "null" }] }, fits: null, breaks: 1 },
  oneOf: { schema: { oneOf: [word, { type: "null" }] }, fits: "two", breaks: "three" },
  not: { schema: { type: ["string", "null"], not: { type: "null" } }, fits: "one", breaks: null },
  if: { schema: { if: text, then: word }, fits: "one", breaks: "three" },
  then: { schema: { if: text, then: word }, fits: "one", breaks: "three" },
  else: { schema: { if: { type: "null" }, else: word }, fits: "one", breaks: 1 },
  dependentSchemas: {
    schema: { type: "object", properties: { a: text }, dependentSchemas: { a: { required: ["b"] } } },
    fits: { a: "", b: 1 },
    breaks: { a: "" },
  },
  prefixItems: { schema: { type: "array", prefixItems: [word], minItems: 1 }, fits: ["one"], breaks: [1] },
  items: { schema: { type: "array", items: word, minItems: 1 }, fits: ["one"], breaks: [1] },
  contains: { schema: { type: "array", contains: word }, fits: ["one"], breaks: [1] },
  properties: {
    schema: { type: "object", properties: { a: word }, required: ["a"] },
    fits: { a: "one" },
    breaks: { a: 1 },
  },
  patternProperties: {
    schema: { type: "object", patternProperties: { "^a": word }, required: ["a"] },
    fits: { a: "one" },
    breaks: { a: 1 },
  },
  additionalProperties: {
    schema: { type: "object", properties: { a: text }, additionalProperties: word, required: ["b"] },
    fits: { b: "one" },
    breaks: { b: 1 },
  },
  propertyNames: {
    schema: { type: "object", properties: { a: text }, propertyNames: { enum: ["a", "b"] } },
    fits: { a: "" },
    breaks: { c: 1 },
  },
  unevaluatedItems: {
    schema: { type: "array", prefixItems: [text], minItems: 1, unevaluatedItems: false },
    fits: ["one"],
    breaks: ["one", 1],
  },
  unevaluatedProperties: {
    schema: { type: "object", properties: { a: text }, unevaluatedProperties: false },
    fits: { a: "one" },
    breaks: { b: 1 },
  },
  type: { schema: { type: "null" }, fits: null, breaks: 1 },
  const: { schema: { const: "one" }, fits: "one", breaks: "two" },
  enum: { schema: { enum: ["one", 2] }, fits: 2, breaks: 3 },
  minimum: { schema: { type: "number", minimum: 1e6 }, fits: 1e6, breaks: 1 },
  maximum: { schema: { type: "number", maximum: -1e6 }, fits: -1e6, breaks: 1 },
  exclusiveMinimum: { schema: { type: "number", exclusiveMinimum: 1e6 }, fits: 1e7, breaks: 1e6 },
  exclusiveMaximum: { schema: { type: "number", exclusiveMaximum: -1e6 }, fits: -1e7, breaks: -1e6 },
  multipleOf: { schema: { type: "number", minimum: 1, multipleOf: 977 }, fits: 977, breaks: 978 },
  minLength: { schema: { type: "string", minLength: 400 }, fits: "x".repeat(400), breaks: "x" },
  maxLength: { schema: { type: "string", maxLength: 2 }, fits: "ab", breaks: "abc" },
  pattern: { schema: { type: "string", pattern: "^qu[ae]y$" }, fits: "quay", breaks: "key" },
  minItems: { schema: { type: "array", minItems: 9 }, fits: Array(9).fill(1), breaks: [] },
  maxItems: { schema: { type: "array", maxItems: 1 }, fits: [1], breaks: [1, 2] },
  uniqueItems: {
    schema: { type: "array", items: { type: "boolean" }, minItems: 2, uniqueItems: true },
    fits: [true, false],
    breaks: [true, true],
  },
  minContains: {
    schema: { type: "array", contains: word, minContains: 3 },
    fits: ["one", "one", "two"],
    breaks: ["one"],
  },
  maxContains: {
    schema: { type: "array", items: word, contains: word, maxContains: 1 },
    fits: ["one"],
    breaks: ["one", "two"],
  },
  minProperties: { schema: { type: "object", minProperties: 3 }, fits: { a: 1, b: 2, c: 3 }, breaks: {} },
  maxProperties: {
    schema: { type: "object", properties: { a: text }, maxProperties: 1 },
    fits: { a: "one" },
    breaks: { a: "one", b: 2 },
  },
  required: {
    schema: { type: "object", properties: { a: text }, required: ["a"] },
    fits: { a: "one" },
    breaks: {},
  },
  dependentRequired: {
    schema: { type: "object", properties: { a: text }, dependentRequired: { a: ["b"] } },
    fits: { a: "one", b: 2 },
    breaks: { a: "one" },
  },
};

test("each keyword that affects validity has a case here", () => {
  const missing = judgingKeywords.filter((keyword) => !Object.hasOwn(cases, keyword));
  expect(missing, "keywords without a row in `cases`; see CONTRIBUTING.md, A keyword").toEqual([]);
});

const conditions = [
  "if",
  "then",
  "else",
  "contains",
  "propertyNames",
  "dependentSchemas",
  "dependentRequired",
];
const unevaluated = ["unevaluatedItems", "unevaluatedProperties"];

/** Keywords that `PROTOCOL.md` does not show, and those that the pages of `mcpgen docs` do not show. */
const unshown = {
  report: [...conditions, ...unevaluated, "patternProperties"],
  page: [...conditions, ...unevaluated],
};

let compiled: ReadonlyMap<string, Compiled>;
let schema: Schema;

beforeAll(async () => {
  const rows = Object.entries(cases).flatMap(([keyword, { schema: own }]) => [
    [`With-${keyword}`, own],
    [`Without-${keyword}`, without(own, keyword)],
  ]);
  schema = schemaFrom({ Word: word, ...(Object.fromEntries(rows) as JsonObject) });
  compiled = await compile(schema);
});

function without(schema: JsonObject, keyword: string): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name !== keyword));
}

/** A tool whose argument `value` has this schema. */
function contractOf(value: JsonObject): Contract {
  const inputSchema = { type: "object", properties: { value }, required: ["value"], $defs: { Word: word } };
  return { name: "n", version: "1", tools: [{ name: "t", inputSchema }] };
}

/** The levels of the findings of diff if a keyword is added or removed. */
function levels(keyword: JudgingKeyword, change: "added" | "removed"): string[] {
  const { schema: own } = cases[keyword];
  const [bare, whole] = [contractOf(without(own, keyword)), contractOf(own)];
  const findings = change === "added" ? diffContracts(bare, whole) : diffContracts(whole, bare);
  return findings.map((finding) => levelFor(finding, "both"));
}

describe.each(Object.entries(cases) as [JudgingKeyword, Case][])("%s", (keyword, { fits, breaks }) => {
  const name = `With-${keyword}`;
  const nodeOf = (which: "With" | "Without") => schema.definitions.get(`${which}-${keyword}`)!;
  const see = (place: string): string => `${keyword}: see ${place}; CONTRIBUTING.md, A keyword`;

  test("the interpreter judges it", () => {
    expect(isValid(schema, nodeOf("Without").node, breaks), "the case: `breaks` without the keyword").toBe(
      true,
    );
    expect(
      [fits, breaks].map((value) => isValid(schema, nodeOf("With").node, value)),
      see("engine/interpret"),
    ).toEqual([true, false]);
  });

  test("emitted validators judge it", () => {
    const { is, accepts } = compiled.get(name)!;
    expect([is(fits), accepts(fits)], see("generator/targets/typescript/validators")).toEqual([true, true]);
    expect([is(breaks), accepts(breaks)], see("generator/targets/typescript/validators")).toEqual([
      false,
      false,
    ]);
  });

  test("it is explained", () => {
    const { explain } = compiled.get(name)!;
    expect(explain(fits), see("engine/explain")).toEqual([]);
    expect(
      explain(breaks).length,
      see("engine/explain and generator/targets/typescript/explain/emit.ts"),
    ).toBeGreaterThan(0);
  });

  test("diff reports its addition and its removal", () => {
    expect(levels(keyword, "added"), see("generator/compare")).toContain("breaking");
    expect(levels(keyword, "removed").length, see("generator/compare")).toBeGreaterThan(0);
  });

  test("samples satisfy it", () => {
    const random = randomFrom(keyword);
    const samples = Array.from({ length: 10 }, () => sampleValid(schema, name, random));
    expect(samples.includes(undefined), see("generator/sample/build.ts and values.ts")).toBe(false);
  });

  test("some invalid sample violates only it", () => {
    const mutants = minimallyInvalid(schema, name, 500).map(({ value }) => value);
    const broken = mutants.filter((value) => isValid(schema, nodeOf("Without").node, value));
    expect(broken.length, see("generator/sample/invalid.ts")).toBeGreaterThan(0);
  });

  test("documents show it", () => {
    const page = (which: "With" | "Without"): unknown => {
      const { node } = nodeOf(which);
      return [...ownType(node, () => undefined), ...membersOf(node, () => undefined)];
    };
    const isIn = (list: readonly string[]): boolean => list.includes(keyword);
    const inReport =
      JSON.stringify(definitionLines(nodeOf("With"))) !== JSON.stringify(definitionLines(nodeOf("Without")));
    const onPage = JSON.stringify(page("With")) !== JSON.stringify(page("Without"));
    expect(inReport, see("generator/targets/typescript/protocol-report/lines.ts")).toBe(
      !isIn(unshown.report),
    );
    expect(onPage, see("generator/page/schema-members.ts")).toBe(!isIn(unshown.page));
  });
});
