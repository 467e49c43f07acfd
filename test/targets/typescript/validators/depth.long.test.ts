import { describe, expect, it } from "vitest";
import { format } from "../../../../generator/print/format.js";
import { compiled, emittedFrom, validatorsOf } from "./emitted.js";
import { isThorough } from "../../../support/cases.mjs";
import { schemaFrom } from "../../../support/revisions.js";

const million = 1_000_000;

/** `leaf` inside `depth` arrays, or objects with the member `key`; built without recursion. */
function nested(depth: number, leaf: unknown, key?: string): unknown {
  let value = leaf;
  for (let level = 0; level < depth; level++) value = key === undefined ? [value] : { [key]: value };
  return value;
}

const json = {
  JSONValue: {
    anyOf: [
      { $ref: "#/$defs/JSONObject" },
      { type: "array", items: { $ref: "#/$defs/JSONValue" } },
      { type: ["string", "number", "boolean", "null"] },
    ],
  },
  JSONObject: { type: "object", additionalProperties: { $ref: "#/$defs/JSONValue" } },
};

describe("recursive definitions", () => {
  it("are judged at any depth", async () => {
    const { isJSONValue, isJSONObject } = await compiled(json);
    for (const depth of [0, 1, 63, 64, 65, 66, 129, 130, 10_000, million]) {
      expect(isJSONValue!(nested(depth, 1)), `arrays, ${depth}`).toBe(true);
      expect(isJSONValue!(nested(depth, undefined)), `arrays, ${depth}`).toBe(false);
      expect(isJSONValue!(nested(depth, "x", "a")), `objects, ${depth}`).toBe(true);
      expect(isJSONObject!(nested(depth, NaN, "a")), `objects, ${depth}`).toBe(false);
    }
  });

  it("are judged when wide as well as deep", async () => {
    const { isJSONValue } = await compiled(json);
    const wide = Array.from({ length: 100_000 }, (_, index) => [index]);
    expect(isJSONValue!(nested(100, wide))).toBe(true);
    expect(isJSONValue!(nested(100, [...wide, undefined]))).toBe(false);
  });

  it("do not count depth without recursion", () => {
    expect(validatorsOf(schemaFrom({ A: { type: "array", items: { type: "array" } } }))).not.toContain(
      "depth",
    );
  });
});

/** Recursive references at places where a false verdict does not decide the result. */
const backtracking: Record<
  string,
  { definitions: object; good: (depth: number) => unknown; bad: (depth: number) => unknown }
> = {
  "anyOf without a discriminator": {
    definitions: {
      A: {
        anyOf: [
          { type: "object", properties: { n: { $ref: "#/$defs/A" } }, required: ["n"] },
          {
            type: "object",
            properties: { m: { type: "integer" } },
            required: ["m"],
            additionalProperties: false,
          },
        ],
      },
    },
    good: (depth) => nested(depth, { m: 1 }, "n"),
    bad: (depth) => nested(depth, { m: 1.5 }, "n"),
  },
  not: {
    definitions: {
      A: { anyOf: [{ type: "integer" }, { type: "array", items: { not: { $ref: "#/$defs/A" } } }] },
    },
    good: (depth) => nested(depth * 2, 1),
    bad: (depth) => nested(depth * 2 + 1, 1),
  },
  oneOf: {
    definitions: {
      A: {
        oneOf: [
          { type: "integer" },
          { type: "array", items: { $ref: "#/$defs/A" } },
          { type: "array", minItems: 2 },
        ],
      },
    },
    good: (depth) => nested(depth, 1),
    bad: (depth) => nested(depth, "x"),
  },
  if: {
    definitions: {
      A: {
        if: { type: "array", items: { $ref: "#/$defs/A" }, minItems: 1 },
        then: true,
        else: { type: "integer" },
      },
    },
    good: (depth) => nested(depth, 1),
    bad: (depth) => nested(depth, "x"),
  },
  contains: {
    definitions: { A: { anyOf: [{ type: "integer" }, { type: "array", contains: { $ref: "#/$defs/A" } }] } },
    good: (depth) => nested(depth, 1),
    bad: (depth) => nested(depth, "x"),
  },
  "a cycle of two through a tried arm": {
    definitions: {
      A: { type: "object", properties: { b: { $ref: "#/$defs/B" } }, required: ["b"] },
      B: {
        anyOf: [
          { $ref: "#/$defs/A" },
          { type: "object", properties: { leaf: { type: "integer" } }, required: ["leaf"] },
        ],
      },
    },
    good: (depth) => nested(depth + 1, { leaf: 1 }, "b"),
    bad: (depth) => nested(depth + 1, { leaf: "x" }, "b"),
  },
};

/**
 * Each level needs the evaluated members of two arms and of their references. If the work doubled at each level, it
 * would not end.
 */
backtracking["unevaluatedProperties"] = {
  definitions: {
    A: {
      type: "object",
      anyOf: [{ $ref: "#/$defs/B" }, { properties: { leaf: { type: "integer" } }, required: ["leaf"] }],
      unevaluatedProperties: false,
    },
    B: {
      oneOf: [
        { properties: { n: { $ref: "#/$defs/A" } }, required: ["n"] },
        { properties: { m: { $ref: "#/$defs/A" } }, required: ["m"] },
      ],
    },
  },
  good: (depth) => nested(depth, { leaf: 1 }, "n"),
  bad: (depth) => nested(depth, { leaf: 1, more: 1 }, "n"),
};
backtracking["unevaluatedItems"] = {
  definitions: {
    A: {
      anyOf: [
        { type: "integer" },
        { type: "array", contains: { $ref: "#/$defs/A" }, unevaluatedItems: { type: "null" } },
      ],
    },
  },
  good: (depth) => nested(depth, 1),
  bad: (depth) => nested(depth, ["x"]),
};

describe("recursion through tried arms", () => {
  for (const [title, { definitions, good, bad }] of Object.entries(backtracking)) {
    it(title, async () => {
      const { isA } = await compiled(definitions);
      for (const depth of [0, 1, 31, 32, 33, 64, 65, 66, 67, 1_001, 100_000]) {
        expect(isA!(good(depth)), `good, ${depth}`).toBe(true);
        expect(isA!(bad(depth)), `bad, ${depth}`).toBe(false);
      }
    });
  }
});

describe("size of the schema", () => {
  const count = isThorough ? 15_500 : 1_500;
  it(`${count} definitions are emitted`, () => {
    const definitions = Object.fromEntries(
      Array.from({ length: count }, (_, index) => [
        `D${index}`,
        {
          type: "object",
          properties: { next: { $ref: `#/$defs/D${(index * 7) % count}` }, kind: { const: `k${index}` } },
          required: ["kind"],
        },
      ]),
    );
    const text = validatorsOf(schemaFrom(definitions));
    expect(text.match(/^export function is/gm)).toHaveLength(count);
  });
});

/** Schemas for which the time or the nesting once grew with the square of a number, or overflowed the stack. */
describe("thousands of parts", () => {
  const count = isThorough ? 15_000 : 300;
  const numbers = Array.from({ length: count }, (_, index) => index);
  const arm = (index: number): object => ({
    type: "object",
    properties: { kind: { const: `k${index}` }, n: { type: "integer" } },
    required: ["kind"],
  });
  const chained = (link: (reference: object) => object): object => ({
    ...Object.fromEntries(numbers.map((index) => [`D${index}`, link({ $ref: `#/$defs/D${index + 1}` })])),
    [`D${count}`]: { type: "object", required: ["x"] },
  });

  it("in a union with a tag", async () => {
    const { isA } = await compiled({ A: { anyOf: numbers.map(arm) } });
    expect([
      isA!({ kind: `k${count - 1}`, n: 1 }),
      isA!({ kind: "k1", n: "x" }),
      isA!({ kind: "k" }),
    ]).toEqual([true, false, false]);
  });

  it("in a union without", async () => {
    const arms = numbers.map((index) => ({
      type: "object",
      properties: { [`m${index}`]: { type: "integer" } },
    }));
    const { isA } = await compiled({ A: { anyOf: arms } });
    expect([isA!({ m1: "x" }), isA!(1)]).toEqual([true, false]);
  });

  it.each([
    ["$ref", (reference: object) => reference],
    ["anyOf", (reference: object) => ({ anyOf: [reference, { type: "integer" }] })],
    ["allOf", (reference: object) => ({ allOf: [reference] })],
  ])("in a chain of %s", (_, link) => {
    const text = validatorsOf(schemaFrom(chained(link)));
    expect(text.match(/^export function is/gm)).toHaveLength(count + 1);
  });

  it("that all affect unevaluated members are refused with the place", () => {
    const arm = (level: number, side: string): object => ({
      properties: { [`${side}${level}`]: true },
      anyOf: [{ $ref: `#/$defs/L${level + 1}` }, { $ref: `#/$defs/R${level + 1}` }],
    });
    const levels = numbers.slice(0, 60);
    const definitions = {
      ...Object.fromEntries(levels.map((level) => [`L${level}`, arm(level, "l")])),
      ...Object.fromEntries(levels.map((level) => [`R${level}`, arm(level, "r")])),
      L60: true,
      R60: true,
      A: { allOf: [{ $ref: "#/$defs/L0" }, { $ref: "#/$defs/L0" }], unevaluatedProperties: false },
    };
    expect(() => validatorsOf(schemaFrom(definitions))).toThrow(
      expect.objectContaining({ code: "unsupported-keyword", pointer: "/$defs/A" }),
    );
  });

  it("of allOf with repeated references are validated quickly", async () => {
    const definitions = Object.fromEntries(
      numbers.slice(0, 200).map((index) => {
        const next = { $ref: `#/$defs/D${index + 1}` };
        return [`D${index}`, { allOf: [next, next], unevaluatedProperties: false }];
      }),
    );
    const last = { type: "object", properties: { a: true } };
    const { isD0 } = await compiled({ ...definitions, D200: last });
    expect([isD0!({ a: 1 }), isD0!({ b: 1 })]).toEqual([true, false]);
  });

  it("of constants are looked up in a set, with prettier's layout", async () => {
    const definitions = {
      Names: { enum: numbers.map((index) => `name ${index}`) },
      Numbers: { enum: numbers },
      Arms: { anyOf: [...numbers.map((index) => ({ const: index })), { enum: [null, "x"] }] },
      One: { oneOf: [...numbers.map((index) => ({ const: index })), { const: 1 }] },
      Members: {
        type: "object",
        properties: Object.fromEntries(numbers.slice(0, 300).map((index) => [`m${index}`, true])),
        additionalProperties: false,
      },
    };
    const validators = await compiled(definitions);
    const verdicts = (name: string, ...values: unknown[]) =>
      values.map((value) => validators[`is${name}`]!(value));
    expect(verdicts("Names", "name 7", "name", 7)).toEqual([true, false, false]);
    expect(verdicts("Numbers", 7, -0, -1, "7")).toEqual([true, true, false, false]);
    expect(verdicts("Arms", 7, null, "x", "y")).toEqual([true, true, true, false]);
    expect(verdicts("One", 7, 1, "7")).toEqual([true, false, false]);
    expect(verdicts("Members", { m299: 1 }, { m300: 1 })).toEqual([true, false]);
    const { content, formatted } = emittedFrom(schemaFrom(definitions));
    expect(formatted).toBe(true);
    expect(await format("validators.ts", content)).toBe(content);
  });
});
