import { describe, expect, test } from "vitest";
import { readDocument } from "@mcpgen/engine";
import { validatorOf } from "@mcpgen/engine/interpreter";
import type { Judge } from "@mcpgen/protocol/model";
import { explainRefusal, schemaProblem } from "@mcpgen/engine/explain";
import { suiteDocuments, suiteFiles } from "../../support/json-schema-suite.js";

const explain = (schema: object, value: unknown): string =>
  explainRefusal(validatorOf(readDocument(schema as never)) as Judge, schema, value);

const city = { type: "string", description: "Where" };

test.each<[object, unknown, string]>([
  [{ properties: { city } }, { city: 5 }, "city: expected string, got 5 (number)"],
  [{ required: ["city"], properties: { city } }, {}, "city: expected string, got nothing"],
  [
    { required: ["city"], properties: { city } },
    { citi: "Bern" },
    'city: expected string, got nothing; did you mean "city" by "citi"?',
  ],
  [
    { additionalProperties: false, properties: { city } },
    { citi: "Bern" },
    'citi: expected no such key, got "Bern" (string); did you mean "city"?',
  ],
  [
    { additionalProperties: false, properties: { lat: {}, lot: {} } },
    { lat: 1, lon: 2 },
    'lon: expected no such key, got 2 (number); did you mean "lot"?',
  ],
  [
    { additionalProperties: false, properties: { lat: {} } },
    { lat: 1, lon: 2 },
    "lon: expected no such key, got 2 (number)",
  ],
  [
    { properties: { units: { enum: ["metric", "imperial"] } } },
    { units: "metrix" },
    'units: expected one of "metric", "imperial", got "metrix" (string); did you mean "metric"?',
  ],
  [
    { properties: { a: { type: ["integer", "null"] }, b: { minimum: 1 }, c: { maxLength: 2 } } },
    { a: 0.5, b: 0, c: "abc" },
    "a: expected integer or null, got 0.5 (number)\nb: expected at least 1, got 0 (number)\nc: expected at most 2 characters, got 3",
  ],
  [
    { items: { type: "string" } },
    [1, 2, 3, 4],
    "[0]: expected string, got 1 (number)\n[1]: expected string, got 2 (number)\nand 2 more",
  ],
  [
    { properties: { a: { exclusiveMinimum: 5 }, b: { exclusiveMaximum: 5 } } },
    { a: 3, b: 5 },
    "a: expected > 5, got 3 (number)\nb: expected < 5, got 5 (number)",
  ],
  [{ type: "number" }, NaN, "expected number, got NaN"],
  [
    {
      required: ["size"],
      properties: { size: { oneOf: [{ const: "s", title: "Small" }, { const: "m" }, { const: "l" }] } },
    },
    { size: undefined },
    'size: expected one of "s", "m", "l", got nothing',
  ],
  [
    {
      items: {
        anyOf: [
          { const: "small", title: "Small" },
          { const: "large", title: "Large" },
        ],
      },
    },
    ["small", "lrage"],
    '[1]: expected one of "small", "large", got "lrage" (string); did you mean "large"?',
  ],
  [{ uniqueItems: true }, ["a", 1, "a"], "[2]: expected no item twice, got item 0 again"],
  [
    { properties: { code: { type: "string", pattern: "^[A-Z]+$" } } },
    { code: "abc" },
    'code: expected a string that matches "^[A-Z]+$", got "abc" (string)',
  ],
  [
    { $defs: { node: { properties: { next: { $ref: "#/$defs/node" }, at: city } } }, $ref: "#/$defs/node" },
    { next: { next: { at: 1 } } },
    "next.next.at: expected string, got 1 (number)",
  ],
  [
    { $defs: { "a b": { minimum: 3 } }, properties: { n: { $ref: "#/$defs/a%20b" } } },
    { n: 1 },
    "n: expected at least 3, got 1 (number)",
  ],
  [
    {
      anyOf: [
        { properties: { kind: { const: "line" }, to: { type: "number" } }, required: ["kind", "to"] },
        {
          properties: { kind: { const: "circle" }, radius: { type: "number" } },
          required: ["kind", "radius"],
        },
      ],
    },
    { kind: "circle", radius: "1" },
    'radius: expected number, got "1" (string)',
  ],
  [
    {
      oneOf: [
        { properties: { kind: { const: "line" } }, required: ["kind"] },
        { properties: { kind: { const: "circle" } }, required: ["kind"] },
      ],
    },
    { kind: "circel" },
    'kind: expected one of "line", "circle", got "circel" (string); did you mean "circle"?',
  ],
  [{ anyOf: [{ type: "string" }, { type: "null" }] }, 3, "expected string or null, got 3 (number)"],
  // The validator gives the place of other faults.
  [
    { properties: { a: { not: { type: "string" } } } },
    { a: "b" },
    'a: expected another string, got "b" (string)',
  ],
  [
    { if: { properties: { a: { const: 1 } } }, then: { required: ["b"] } },
    { a: 1 },
    "b: expected a value, got nothing",
  ],
  [
    { properties: { a: { contains: { type: "string" } } } },
    { a: [1] },
    "a: expected another array, got array",
  ],
  [
    { properties: { a: { patternProperties: { "^x": city } } } },
    { a: { x: 1 } },
    "a.x: expected string, got 1 (number)",
  ],
])("by %j, %j is explained", (schema, value, text) => {
  expect(explain(schema, value)).toBe(text);
});

test("a missing value is reported as missing", () => {
  expect(explain({ type: "object" }, undefined)).toBe("it is missing");
});

test("hostile values and schemas take bounded time, and invisible characters are escaped", () => {
  const tree: Record<string, unknown> = {};
  const schema = {
    $defs: { tree: { anyOf: [{ $ref: "#/$defs/tree" }, { $ref: "#/$defs/tree" }] } },
    $ref: "#/$defs/tree",
  };
  const large = "it is too large to be checked";
  expect(schemaProblem(schema, tree)).toBe(large);
  let deep: unknown = 1;
  for (let level = 0; level < 50_000; level++) deep = { next: deep };
  const list = {
    $defs: { list: { properties: { next: { $ref: "#/$defs/list" } }, type: "object" } },
    $ref: "#/$defs/list",
  };
  expect(schemaProblem(list, deep)).toBe(large);
  const wide = Array.from({ length: 200_000 }, () => 1);
  expect(schemaProblem({ items: { type: "string" } }, wide)).toContain("and 14 more");
  const many = Array.from({ length: 100_001 }, () => 1);
  expect(schemaProblem({ items: { type: "number" } }, many)).toBe(large);
  const values = Array.from({ length: 100_000 }, (_, index) => index);
  const texts = wide.map(() => "x");
  expect(schemaProblem({ items: { enum: values } }, texts)).toContain('99957 more), got "x"');
  expect(schemaProblem({ items: { oneOf: values.map((value) => ({ const: value })) } }, texts)).toContain(
    "99957 more",
  );
  expect(explain({ type: "number" }, "\u001b[2J\u202e")).toBe(
    'expected number, got "\\u001b[2J\\u202e" (string)',
  );
});

describe("the official tests of JSON Schema", () => {
  const files = [...suiteFiles("2020-12"), ...suiteFiles("draft-07")].filter(({ optional }) => !optional);
  const cases = files.flatMap(({ dialect, path, groups }) =>
    groups.flatMap(({ description, schema, tests }) =>
      tests.map((one) => ({
        ...one,
        dialect,
        schema,
        name: `${dialect} ${path}: ${description}: ${one.description}`,
      })),
    ),
  );

  test("a valid value has no problem, except for keywords that a dialect does not have", () => {
    const wrong = cases.filter(
      ({ schema, data, valid }) => valid && schemaProblem(schema, data) !== undefined,
    );
    expect(wrong.map(({ name }) => name)).toEqual([
      "2020-12 vocabulary.json: schema that uses custom metaschema with with no validation vocabulary: no validation: invalid number, but it still validates",
      "draft-07 ref.json: ref overrides any sibling keywords: ref valid, maxItems ignored",
    ]);
  });

  test("each invalid value is explained", () => {
    const mute = cases.filter(({ schema, dialect, data, valid }) => {
      if (valid) return false;
      const judge = validatorOf(readDocument(schema, { dialect, documents: suiteDocuments })) as Judge;
      return !/./.test(explainRefusal(judge, schema, data));
    });
    expect(mute).toEqual([]);
  });
});
