import { describe, expect, test } from "vitest";
import type { JsonValue } from "@mcpgen/engine";
import { schemaFrom } from "../../../support/revisions.js";
import { loadExplanations } from "../../../support/emitted-explanations.js";

/** The exact text for a violated keyword: definition, value, text. */
const table: readonly (readonly [keyword: string, definition: JsonValue, value: unknown, said: string])[] = [
  ["type", { type: "integer" }, "3", 'expected integer, got "3" (string)'],
  ["type", { type: ["string", "null"] }, 3, "expected null or string, got 3 (number)"],
  ["type", { type: "number" }, NaN, "expected number, got NaN"],
  ["type", { type: "object" }, [], "expected object, got array"],
  ["type", { type: "string" }, undefined, "expected string, got nothing"],
  ["type", { type: "string" }, 10n, "expected string, got bigint"],
  ["const", { const: "2.0" }, "1.0", 'expected "2.0", got "1.0" (string)'],
  ["const", { const: { a: [1] } }, { a: [2] }, "expected object, got object"],
  [
    "enum",
    { enum: ["debug", "info", null] },
    "infos",
    'expected one of "debug", "info", null, got "infos" (string); did you mean "info"?',
  ],
  ["minimum", { minimum: 0 }, -1, "expected at least 0, got -1 (number)"],
  ["minimum", { minimum: 0 }, Infinity, "expected at least 0, got Infinity"],
  ["maximum", { maximum: 1 }, 1.5, "expected at most 1, got 1.5 (number)"],
  ["exclusiveMinimum", { exclusiveMinimum: 0 }, 0, "expected > 0, got 0 (number)"],
  ["exclusiveMaximum", { exclusiveMaximum: 1 }, 1, "expected < 1, got 1 (number)"],
  ["multipleOf", { multipleOf: 2 }, 3, "expected a multiple of 2, got 3 (number)"],
  ["multipleOf", { multipleOf: 0.01 }, 19.991, "expected a multiple of 0.01, got 19.991 (number)"],
  ["minLength", { minLength: 2 }, "🔑", "expected at least 2 characters, got 1"],
  ["maxLength", { maxLength: 1 }, "ab", "expected at most 1 character, got 2"],
  ["pattern", { pattern: "^[a-z]+$" }, "A", 'expected a string that matches "^[a-z]+$", got "A" (string)'],
  ["items", { items: { type: "string" } }, ["a", 1], "[1]: expected string, got 1 (number)"],
  // oxlint-disable-next-line no-sparse-arrays
  ["items", { items: { type: "string" } }, ["a", , "b"], "[1]: expected string, got nothing"],
  [
    "prefixItems",
    { prefixItems: [{ const: 1 }, { const: 2 }], items: false },
    [1, 3, 4],
    "[1]: expected 2, got 3 (number)\n[2]: expected nothing, got 4 (number)",
  ],
  ["contains", { contains: { const: 1 }, maxContains: 1 }, [2], "expected at least 1 item that is 1, got 0"],
  [
    "maxContains",
    { contains: { type: "integer" }, maxContains: 1 },
    [2, 3],
    "expected at most 1 item that is integer, got 2",
  ],
  ["minItems", { minItems: 1 }, [], "expected at least 1 item, got 0"],
  ["maxItems", { maxItems: 2 }, [1, 2, 3], "expected at most 2 items, got 3"],
  [
    "uniqueItems",
    { uniqueItems: true },
    [{ a: 1 }, 2, { a: 1 }],
    "[2]: expected no item twice, got item 0 again",
  ],
  [
    "unevaluatedProperties",
    {
      anyOf: [
        { properties: { a: true }, required: ["a"] },
        { properties: { b: true }, required: ["b"] },
      ],
      unevaluatedProperties: false,
    },
    { a: 1, c: 2 },
    "c: expected no such key, got 2 (number)",
  ],
  [
    "unevaluatedProperties",
    {
      if: { properties: { a: { const: 1 } } },
      then: { additionalProperties: {} },
      unevaluatedProperties: { type: "string" },
    },
    { a: 2, b: "x" },
    "a: expected string, got 2 (number)",
  ],
  [
    "unevaluatedItems",
    { prefixItems: [true], contains: { type: "string" }, unevaluatedItems: { type: "null" } },
    [1, "a", 2],
    "[2]: expected null, got 2 (number)",
  ],
  [
    "required",
    { required: ["name"], properties: { name: { type: "string" } } },
    { nmae: "" },
    'name: expected string, got nothing; did you mean "name" by "nmae"?',
  ],
  ["required", { required: ["a/b~c"] }, {}, '["a/b~c"]: expected value, got nothing'],
  ["required", { required: ["toString"] }, {}, "toString: expected value, got nothing"],
  [
    "properties",
    { properties: { a: { properties: { "b c": { type: "string" } } } } },
    { a: { "b c": 1 } },
    'a["b c"]: expected string, got 1 (number)',
  ],
  ["properties", { properties: { a: false } }, { a: 1 }, "a: expected nothing, got 1 (number)"],
  [
    "additionalProperties",
    { properties: { name: {} }, additionalProperties: false },
    { names: 1 },
    'names: expected no such key, got 1 (number); did you mean "name"?',
  ],
  [
    "additionalProperties",
    { additionalProperties: { type: "string" } },
    JSON.parse('{"__proto__":1}'),
    "__proto__: expected string, got 1 (number)",
  ],
  [
    "additionalProperties",
    { additionalProperties: { type: "string" } },
    { a: undefined },
    "a: expected string, got nothing",
  ],
  [
    "patternProperties",
    { patternProperties: { "^x-": { type: "string" } } },
    { "x-a": 1, b: 1 },
    '["x-a"]: expected string, got 1 (number)',
  ],
  [
    "propertyNames",
    { propertyNames: { enum: ["a", "b"] } },
    { c: 1 },
    'c: expected a key that is one of "a", "b", got "c" (string)',
  ],
  ["minProperties", { minProperties: 2 }, { a: 1 }, "expected at least 2 keys, got 1"],
  ["maxProperties", { maxProperties: 0 }, { a: 1 }, "expected at most 0 keys, got 1"],
  ["dependentRequired", { dependentRequired: { a: ["b"] } }, { a: 1 }, "b: expected value, got nothing"],
  [
    "dependentSchemas",
    { dependentSchemas: { a: { required: ["b"] } } },
    { a: 1 },
    "b: expected value, got nothing",
  ],
  [
    "allOf",
    { allOf: [{ minimum: 1 }, { multipleOf: 2 }] },
    -1,
    "expected at least 1, got -1 (number)\nexpected a multiple of 2, got -1 (number)",
  ],
  [
    "anyOf",
    { anyOf: [{ type: "string" }, { type: "integer" }] },
    true,
    "expected integer or string, got true (boolean)",
  ],
  [
    "anyOf",
    { anyOf: [{ const: "left" }, { const: "right" }] },
    "lift",
    'expected one of "left", "right", got "lift" (string); did you mean "left"?',
  ],
  [
    "anyOf",
    { anyOf: [{ type: "array", items: { type: "string" } }, { type: "string" }] },
    [1],
    "[0]: expected string, got 1 (number)",
  ],
  [
    "anyOf",
    { anyOf: [{ required: ["a", "b"] }, { required: ["c"] }] },
    { a: 1 },
    'expected the key "b" or "c", got none of them',
  ],
  [
    "oneOf",
    { oneOf: [{ type: "number" }, { type: "integer" }] },
    1,
    "expected only one of the alternatives, got 1 (number)",
  ],
  [
    "oneOf",
    { oneOf: [{ type: "boolean" }, { type: "string" }] },
    1,
    "expected boolean or string, got 1 (number)",
  ],
  ["not", { not: { type: "string" } }, "a", 'expected anything but string, got "a" (string)'],
  [
    "if",
    { if: { type: "string" }, then: { minLength: 1 }, else: { type: "integer" } },
    "",
    "expected at least 1 character, got 0",
  ],
  [
    "if",
    { if: { type: "string" }, then: { minLength: 1 }, else: { type: "integer" } },
    1.5,
    "expected integer, got 1.5 (number)",
  ],
  ["false", false, 1, "expected nothing, got 1 (number)"],
];

const schema = schemaFrom(
  Object.fromEntries(table.map(([keyword, definition], index) => [`${keyword}${index}`, definition])),
);
const explanations = await loadExplanations(schema);

describe("messages for values that violate a keyword", () => {
  test.each(table.map((row, index) => [...row, index] as const))(
    "%s: %j",
    (keyword, _, value, said, index) => {
      expect(explanations.summary(explanations.explain(`${keyword}${index}`, value))).toBe(said);
    },
  );
});
