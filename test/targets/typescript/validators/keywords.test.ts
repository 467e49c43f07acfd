import type { JsonValue } from "@mcpgen/engine";
import { describe, expect, it } from "vitest";
import { compiled, validatorsOf } from "./emitted.js";
import { ajvFor, interpreterFor, isDividedByAjv, isReadByAjv } from "../../../support/ajv-verdicts.js";
import { schemaFrom } from "../../../support/revisions.js";

const scalars: JsonValue[] = [
  null,
  true,
  false,
  0,
  -0,
  1,
  2,
  3,
  1.5,
  -1,
  1e300,
  2 ** 53,
  0.3,
  19.99,
  "",
  "a",
  "ab",
  "abc",
  "\u{1F600}",
  "\u{1F600}\u{1F600}",
  "1",
];
const arrays: JsonValue[] = [
  [],
  [1],
  [1, 1],
  [1, "1"],
  ["a"],
  ["a", "b"],
  ["a", 1],
  [null],
  [[1], [1]],
  [
    { a: 1, b: 2 },
    { b: 2, a: 1 },
  ],
  [[], {}],
  [0, -0],
  [1, true],
  [1, 2, 3, 4],
];
const objects: JsonValue[] = [
  {},
  { a: 1 },
  { a: "x" },
  { b: 1 },
  { a: 1, b: 2 },
  { a: "x", b: "y", c: "z" },
  { a: null },
  { a: { a: 1 } },
  { a: [1] },
  { x1: 1 },
  { x1: "a", y: 1 },
  { kind: "one" },
  { kind: "two", n: 1 },
  { kind: "two", n: "1" },
  { kind: "three" },
  { kind: 1 },
  { kind: "one", n: [] },
];
const instances = [...scalars, ...arrays, ...objects];

const arm = (kind: string, more: object = {}, required: string[] = []) => ({
  type: "object",
  properties: { kind: { const: kind }, ...more },
  required: ["kind", ...required],
});

/** One small schema for each keyword, alone and among others. */
const cases: Record<string, unknown> = {
  "type: array": { type: "array" },
  "type: boolean": { type: "boolean" },
  "type: integer": { type: "integer" },
  "type: null": { type: "null" },
  "type: number": { type: "number" },
  "type: object": { type: "object" },
  "type: string": { type: "string" },
  "type: several": { type: ["string", "integer", "null"] },
  "type: integer and number": { type: ["integer", "number"] },
  true: true,
  false: false,
  "const scalar": { const: "a" },
  "const number": { const: 1 },
  "const zero": { const: 0 },
  "const null": { const: null },
  "const object": { const: { a: 1, b: 2 } },
  "const nested": { const: { a: [1, { b: null }] } },
  "const array": { const: ["a", 1] },
  "const empty": { const: {} },
  "enum scalars": { enum: ["a", 1, null] },
  "enum objects": { enum: [{ a: 1 }, ["a"], "b"] },
  "enum and type": { enum: ["a", 1], type: "string" },
  "enum and minLength": { enum: ["a", "abc"], minLength: 2 },
  "enum of nothing that fits": { enum: ["a"], type: "integer" },
  minimum: { minimum: 1 },
  "maximum of a number": { type: "number", maximum: 1 },
  "exclusive limits": { type: "integer", exclusiveMinimum: 0, exclusiveMaximum: 3 },
  multipleOf: { multipleOf: 0.5 },
  "multipleOf a decimal": { type: "number", multipleOf: 0.01 },
  "multipleOf an integer": { type: ["number", "string"], multipleOf: 2 },
  minLength: { type: "string", minLength: 2 },
  "maxLength counts code points": { maxLength: 1 },
  pattern: { pattern: "^a" },
  "pattern with slash and unicode": { type: "string", pattern: "^[/\\u{1F600}]" },
  "format is an annotation": { type: "string", format: "uri" },
  properties: { properties: { a: { type: "integer" } } },
  "properties of an object": {
    type: "object",
    properties: { a: { type: "integer" }, b: { type: "string" } },
  },
  "property false": { type: "object", properties: { a: false } },
  required: { required: ["a"] },
  "required and undescribed": { type: "object", properties: { b: true }, required: ["a", "b"] },
  additionalProperties: { additionalProperties: { type: "integer" } },
  "additionalProperties false": { type: "object", properties: { a: true }, additionalProperties: false },
  "additionalProperties false alone": { type: "object", additionalProperties: false },
  "additionalProperties beside named": {
    properties: { a: { type: "string" } },
    additionalProperties: { type: "integer" },
  },
  patternProperties: { patternProperties: { "^x": { type: "integer" } } },
  "patternProperties and others": {
    properties: { a: true },
    patternProperties: { "^x": { type: "integer" } },
    additionalProperties: false,
  },
  propertyNames: { propertyNames: { maxLength: 1 } },
  "propertyNames never": { propertyNames: false },
  minProperties: { minProperties: 1 },
  maxProperties: { type: "object", maxProperties: 1 },
  dependentRequired: { dependentRequired: { a: ["b"] } },
  dependentSchemas: { dependentSchemas: { a: { properties: { b: { type: "integer" } }, maxProperties: 2 } } },
  items: { items: { type: "integer" } },
  "items of strings": { type: "array", items: { type: "string" } },
  "items false": { items: false },
  "items of objects": {
    type: "array",
    items: { type: "object", properties: { a: { type: "integer" } }, required: ["a"] },
  },
  prefixItems: { prefixItems: [{ type: "integer" }, { type: "string" }] },
  "prefixItems and no more": { type: "array", prefixItems: [{ type: "integer" }], items: false },
  "prefixItems and others": { prefixItems: [true], items: { type: "integer" } },
  "prefixItems and minItems": {
    type: "array",
    prefixItems: [{ type: "integer" }, { type: "integer" }],
    minItems: 2,
  },
  contains: { contains: { type: "string" } },
  "contains limits": { type: "array", contains: { type: "integer" }, minContains: 0, maxContains: 2 },
  "contains anything": { contains: true, minContains: 2 },
  "contains nothing": { contains: false },
  minItems: { minItems: 1 },
  maxItems: { type: "array", maxItems: 1 },
  uniqueItems: { uniqueItems: true },
  allOf: {
    allOf: [
      { type: "object", properties: { a: { type: "integer" } } },
      { type: "object", required: ["b"] },
    ],
  },
  "allOf of scalars": { allOf: [{ type: "number" }, { minimum: 1 }, { multipleOf: 1 }] },
  "allOf that nothing satisfies": { allOf: [{ type: "string" }, { type: "object", required: ["a"] }] },
  "anyOf of types": { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] },
  "anyOf of everything": {
    anyOf: [
      { type: "null" },
      { type: "array", maxItems: 1 },
      { type: "object", required: ["a"] },
      { minLength: 2, type: "string" },
    ],
  },
  "anyOf by discriminator": {
    anyOf: [arm("one", { n: { type: "array" } }), arm("two", { n: { type: "integer" } }), { type: "array" }],
  },
  "anyOf with a shared tag": {
    anyOf: [
      arm("one"),
      arm("two", { n: { type: "integer" } }, ["n"]),
      arm("two", { n: { type: "string" } }, ["n"]),
    ],
  },
  "anyOf by presence": {
    anyOf: [
      { type: "object", properties: { a: { type: "integer" } }, required: ["a"] },
      { type: "object", properties: { b: { type: "integer" } }, required: ["b"] },
    ],
  },
  "anyOf without types": { anyOf: [{ required: ["a"] }, { minLength: 2 }] },
  "anyOf beside keywords": {
    type: "object",
    properties: { a: true },
    anyOf: [{ required: ["a"] }, { required: ["b"] }],
  },
  "anyOf with a wider arm": {
    anyOf: [
      { type: "object", properties: { a: { type: "integer" } }, required: ["a"] },
      { type: "object", properties: { a: { type: "number" } } },
    ],
  },
  "anyOf with an integer arm that is no number arm": { anyOf: [{ type: "integer" }, { const: 1.5 }] },
  oneOf: { oneOf: [{ type: "integer" }, { minimum: 2 }] },
  "oneOf of objects": { oneOf: [{ required: ["a"] }, { required: ["b"] }] },
  not: { not: { type: "string" } },
  "not an object": { not: { type: "object", required: ["a"] } },
  "if then else": {
    if: { type: "object", required: ["a"] },
    then: { required: ["b"] },
    else: { type: ["string", "object"] },
  },
  "if alone": { if: { type: "string" } },
  "unevaluatedProperties false": {
    type: "object",
    properties: { a: true },
    patternProperties: { "^x": true },
    unevaluatedProperties: false,
  },
  "unevaluatedProperties of any kind of value": { properties: { a: true }, unevaluatedProperties: false },
  "unevaluatedProperties with a schema": {
    allOf: [{ $ref: "#/$defs/Other" }, { required: ["a"] }],
    unevaluatedProperties: { type: "integer" },
  },
  "unevaluatedProperties alone": { unevaluatedProperties: false },
  "unevaluatedProperties beside additionalProperties": {
    additionalProperties: { type: "integer" },
    unevaluatedProperties: false,
  },
  "unevaluatedProperties and arms": {
    anyOf: [
      { properties: { a: { type: "integer" } }, required: ["a"] },
      { properties: { b: { type: "integer" }, kind: true } },
      { patternProperties: { "^x": { type: "integer" } } },
      { maxProperties: 1 },
    ],
    unevaluatedProperties: false,
  },
  "unevaluatedProperties and one arm": {
    oneOf: [
      { properties: { a: { type: "integer" } }, required: ["a"] },
      { properties: { kind: { const: "one" } } },
      { type: "object", additionalProperties: { type: "string" } },
    ],
    unevaluatedProperties: false,
  },
  "unevaluatedProperties and arms in arms": {
    anyOf: [
      {
        properties: { a: { type: "integer" } },
        anyOf: [{ properties: { b: true }, required: ["b"] }, { properties: { c: true } }],
      },
      {
        allOf: [
          {
            oneOf: [{ properties: { kind: { const: "one" } }, required: ["kind"] }, { $ref: "#/$defs/Arms" }],
          },
        ],
      },
    ],
    unevaluatedProperties: { type: "array" },
  },
  "unevaluatedProperties and conditions": {
    if: { properties: { a: { const: 1 } }, required: ["a"] },
    then: { properties: { b: true } },
    else: { properties: { kind: true, n: true } },
    unevaluatedProperties: false,
  },
  "unevaluatedProperties and if alone": {
    if: { properties: { a: { type: "integer" } }, required: ["a"] },
    unevaluatedProperties: false,
  },
  "unevaluatedProperties and dependents": {
    dependentSchemas: { a: { properties: { a: true, b: true } }, kind: { $ref: "#/$defs/Arms" } },
    unevaluatedProperties: false,
  },
  "unevaluatedProperties and not": {
    not: { not: { properties: { a: true } } },
    unevaluatedProperties: false,
  },
  "unevaluatedProperties in an arm": {
    anyOf: [{ properties: { a: true }, unevaluatedProperties: false }, { properties: { b: true } }],
    unevaluatedProperties: { type: "string" },
  },
  "unevaluatedProperties and a separate schema below": {
    properties: { a: { unevaluatedProperties: false } },
    unevaluatedProperties: { unevaluatedItems: false },
  },
  "unevaluatedItems false": { prefixItems: [{ type: "integer" }], unevaluatedItems: false },
  "unevaluatedItems alone": { type: "array", unevaluatedItems: { type: "integer" } },
  "unevaluatedItems and arms": {
    type: ["array", "string"],
    anyOf: [
      { prefixItems: [{ const: 1 }] },
      { prefixItems: [true, { type: "string" }], minItems: 2 },
      { minLength: 1 },
    ],
    unevaluatedItems: false,
  },
  "unevaluatedItems and contains": { contains: { type: "string" }, unevaluatedItems: { type: "integer" } },
  "unevaluatedItems and contains in arms": {
    anyOf: [
      { contains: { type: "string" }, maxContains: 1 },
      { contains: { type: "integer" }, minContains: 0 },
    ],
    unevaluatedItems: false,
  },
  "both kinds of unevaluated": {
    properties: { a: true },
    prefixItems: [true],
    minLength: 1,
    unevaluatedItems: false,
    unevaluatedProperties: false,
  },
  "ref with siblings": { $ref: "#/$defs/Other", required: ["a"] },
  ref: { $ref: "#/$defs/Other" },
};

describe("each keyword", async () => {
  const numbered = Object.values(cases).map((schema, index) => [`It${index}`, schema] as const);
  const other = { type: "object", properties: { a: { type: "integer" } } };
  const arms = {
    anyOf: [
      { properties: { a: { type: "integer" }, b: { type: "integer" } }, required: ["a"] },
      { properties: { n: true } },
    ],
  };
  const definitions = { ...Object.fromEntries(numbered), Other: other, Arms: arms };
  const validators = await compiled(definitions);
  const byAjv = ajvFor(definitions);
  const byInterpreter = interpreterFor(schemaFrom(definitions));
  for (const [index, [title, schema]] of Object.entries(cases).entries()) {
    it(title, () => {
      const name = `It${index}`;
      for (const instance of instances) {
        const verdict = validators[`is${name}`]!(instance);
        const context = JSON.stringify(instance);
        if (isDividedByAjv(schema, instance) && isReadByAjv(schema))
          expect(verdict, `ajv on ${context}`).toBe(byAjv(name, instance));
        expect(verdict, `interpreter on ${context}`).toBe(byInterpreter(name, instance));
        expect(validators[`accepts${name}`]!(instance), `open reading on ${context}`).toBe(verdict);
      }
    });
  }
});

describe("values that JSON.parse never gives", () => {
  it("undefined counts as absent for named members", async () => {
    const { isA, isB } = await compiled({
      A: { type: "object", properties: { a: { type: "string" } } },
      B: { type: "object", properties: { a: true }, required: ["a"] },
    });
    expect(isA!({ a: undefined })).toBe(true);
    expect(isB!({ a: undefined })).toBe(false);
  });

  it("NaN, infinities and holes are refused at described positions", async () => {
    const { isA, isB, isC, isD } = await compiled({
      A: { type: "number" },
      B: { minimum: 0 },
      C: { type: "array", items: { type: "string" } },
      D: { type: "array", items: { minLength: 1 } },
    });
    for (const odd of [NaN, Infinity, -Infinity]) {
      expect(isA!(odd)).toBe(false);
      expect(isB!(odd)).toBe(false);
    }
    for (const isArray of [isC!, isD!]) {
      expect(isArray(["a", , "b"])).toBe(false); // eslint-disable-line no-sparse-arrays
      expect(isArray([undefined])).toBe(false);
    }
  });
});

describe("long lists of objects and arrays", () => {
  const list: JsonValue[] = [
    ...Array.from({ length: 300 }, (_, index) => ({ id: index, deep: { names: ["a", index] } })),
    ...objects,
    ...arrays,
    ...scalars,
  ];
  const definitions: Record<string, JsonValue> = {
    Listed: { enum: list },
    Narrowed: { enum: list, type: "object", required: ["id"] },
    Items: { type: "array", items: { enum: list } },
  };

  it("are looked up in a set, with the interpreter's verdict", async () => {
    const schema = schemaFrom(definitions);
    expect(validatorsOf(schema)).toMatch(/\.has\(textOf\(value\)\)/);
    const validators = await compiled(definitions);
    const judge = interpreterFor(schema);
    const near = list.slice(0, 300).map((value) => ({ ...(value as object), deep: { names: ["a", "1"] } }));
    const turned = { deep: { names: ["a", 7] }, id: 7 };
    for (const name of Object.keys(definitions))
      for (const value of [
        ...instances,
        ...near,
        turned,
        list.slice(0, 3),
        [...list, {}],
        [turned, near[0]!],
      ])
        expect(validators[`is${name}`]!(value), `${name} ${JSON.stringify(value)}`).toBe(judge(name, value));
  });
});
