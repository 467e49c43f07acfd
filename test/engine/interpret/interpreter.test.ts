import { expect, test } from "vitest";
import { type JsonValue, type Schema, canonicalise, readSchema } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";

function read(definitions: { [name: string]: JsonValue }): Schema {
  return readSchema(canonicalise({ $defs: definitions }));
}

/** The interpreter's verdict on any value, also on ones that JSON does not have. */
function judge(definition: JsonValue, value: unknown): boolean {
  const schema = read({ It: definition });
  return isValid(schema, schema.definitions.get("It")!.node, value as JsonValue);
}

test.each<[string, JsonValue, unknown, boolean]>([
  [
    "a described member that is undefined is absent",
    { properties: { a: { type: "string" } } },
    { a: undefined },
    true,
  ],
  ["a required member that is undefined is missing", { required: ["a"] }, { a: undefined }, false],
  [
    "a member of a typed map that is undefined is judged",
    { additionalProperties: { type: "string" } },
    { a: undefined },
    false,
  ],
  // oxlint-disable-next-line no-sparse-arrays
  ["a hole of a described array is refused", { items: { type: "string" } }, [, "a"], false],
  ["names that objects inherit are no members", { required: ["toString"] }, {}, false],
  ["own members of inherited names are", { required: ["toString"] }, { toString: 1 }, true],
  [
    "an own __proto__ is a member",
    { additionalProperties: { type: "string" } },
    JSON.parse('{"__proto__":1}'),
    false,
  ],
  ["NaN is no number", { type: "number" }, NaN, false],
  ["NaN is within no bounds", { minimum: 0 }, NaN, false],
  ["Infinity is no number", { minimum: 0 }, Infinity, false],
  ["2^53 and more are integers", { type: "integer" }, 1e300, true],
  ["1.0 is an integer", { type: "integer" }, 1.0, true],
  ["lengths count code points", { maxLength: 1 }, "🔑", true],
  ["multiples of small numbers", { multipleOf: 0.0001 }, 0.0075, true],
  ...[19.99, 0.07, 4.35, 8.2, 0.29, -1.1, 1e21].map((price): [string, JsonValue, JsonValue, boolean] => [
    "multiples are decimal",
    { multipleOf: 0.01 },
    price,
    true,
  ]),
  ["multiples are decimal", { multipleOf: 0.1 }, 0.3, true],
  ["near multiples are none", { multipleOf: 0.1 }, 0.1 + 0.2, false],
  ["near multiples are none", { multipleOf: 0.01 }, 19.991, false],
  ["a quotient beyond all numbers", { multipleOf: 0.5 }, 1e308, true],
  ["the least of all numbers", { multipleOf: 2 }, 5e-324, false],
  ["multiples do not overflow", { type: "integer", multipleOf: 0.123456789 }, 1e308, false],
  [
    "equal items, whatever the order of keys",
    { uniqueItems: true },
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
    false,
  ],
  ['1 and "1" differ', { uniqueItems: true }, [1, "1", true, "true", [1], ["1"]], true],
  ["patterns are not anchored", { pattern: "b" }, "abc", true],
  [
    "properties beside a conjunction are evaluated",
    { allOf: [{ properties: { a: {} } }], unevaluatedProperties: false },
    { a: 1 },
    true,
  ],
  [
    "properties of an arm that failed are not",
    { anyOf: [{ properties: { a: { type: "string" } } }, true], unevaluatedProperties: false },
    { a: 1 },
    false,
  ],
  [
    "items that are contained are evaluated",
    { contains: { type: "string" }, unevaluatedItems: { type: "integer" } },
    ["a", 1],
    true,
  ],
  ["items beyond a prefix are not", { prefixItems: [true], unevaluatedItems: false }, [1, 2], false],
])("%s", (_, definition, value, verdict) => {
  expect(judge(definition, value)).toBe(verdict);
});

/** `depth` arrays inside one another around `core`. */
function nested(depth: number, core: JsonValue): JsonValue {
  let value = core;
  for (let level = 0; level < depth; level++) value = [value];
  return value;
}

test.each<[string, JsonValue]>([
  ["a conjunction", { allOf: [{ type: ["array", "integer"] }, { items: { $ref: "#/$defs/Deep" } }] }],
  ["a union", { anyOf: [{ type: "integer" }, { type: "array", items: { $ref: "#/$defs/Deep" } }] }],
  ["exclusive arms", { oneOf: [{ type: "array", items: { $ref: "#/$defs/Deep" } }, { type: "integer" }] }],
  ["negations", { not: { not: { type: ["array", "integer"], items: { $ref: "#/$defs/Deep" } } } }],
])("values of any depth are judged through %s", (_, definition) => {
  const schema = read({ Deep: definition });
  const { node } = schema.definitions.get("Deep")!;
  for (const depth of [0, 85, 86, 300, 100_000]) {
    expect(isValid(schema, node, nested(depth, 1)), `depth ${depth}`).toBe(true);
    expect(isValid(schema, node, nested(depth, "odd")), `depth ${depth}`).toBe(false);
  }
});

test("an odd number of negations inverts the verdict, at any depth", () => {
  const schema = read({ Odd: { not: { type: "array", items: { $ref: "#/$defs/Odd" } } } });
  const { node } = schema.definitions.get("Odd")!;
  for (const depth of [0, 1, 2, 500, 501, 5000, 5001]) {
    expect(isValid(schema, node, nested(depth, 1)), `depth ${depth}`).toBe(depth % 2 === 0);
  }
});

// Time that grew with the square of the size would run into the time limit of the test.
test("values may be wide and deep", () => {
  const schema = read({
    Any: { anyOf: [{ type: "integer" }, { type: "array", items: { $ref: "#/$defs/Any" } }] },
  });
  const leaves = Array.from({ length: 200_000 }, () => nested(3, 1));
  const value = nested(127, leaves);
  expect(isValid(schema, schema.definitions.get("Any")!.node, value)).toBe(true);
  expect(
    isValid(
      schema,
      { pointer: "", uniqueItems: true },
      Array.from({ length: 100_000 }, (_, index) => [index]),
    ),
  ).toBe(true);
});

/** Definitions that each refer to the next one twice: there are 2^60 ways from the first to the last. */
function ladder(step: (next: JsonValue) => JsonValue): Schema {
  const definitions: { [name: string]: JsonValue } = { S60: { type: "string", properties: { a: true } } };
  for (let index = 0; index < 60; index++) {
    definitions[`S${index}`] = step({ $ref: `#/$defs/S${index + 1}` });
  }
  return read(definitions);
}

test.each<[string, (next: JsonValue) => JsonValue]>([
  ["a union", (next) => ({ anyOf: [next, { allOf: [next] }] })],
  ["exclusive arms", (next) => ({ oneOf: [next, { allOf: [next], type: "object" }] })],
  ["conditions", (next) => ({ if: { not: next }, then: { not: { not: next } } })],
  [
    "unevaluated members at each step",
    (next) => ({ anyOf: [next, { allOf: [next] }], unevaluatedProperties: false }),
  ],
])("the time grows with definitions times values, not with the paths between them: %s", (_, step) => {
  const schema = ladder(step);
  const { node } = schema.definitions.get("S0")!;
  expect(isValid(schema, node, 1)).toBe(isValid(schema, node, 2));
  expect(isValid(schema, node, { a: 1 })).toBe(isValid(schema, node, { a: 2 }));
  expect(isValid(schema, node, "text")).toBe(true);
});

test("marks for unevaluated members pass through deep values, and through at most 400 schemas for one", () => {
  const tree = read({
    Tree: { $ref: "#/$defs/Base", unevaluatedProperties: false },
    Base: { properties: { next: { $ref: "#/$defs/Tree" } } },
  });
  const { node } = tree.definitions.get("Tree")!;
  const chain = (depth: number, end: JsonValue): JsonValue => {
    let value = end;
    for (let level = 0; level < depth; level++) value = { next: value };
    return value;
  };
  expect(isValid(tree, node, chain(50_000, {}))).toBe(true);
  expect(isValid(tree, node, chain(50_000, { other: 1 }))).toBe(false);

  const longer = (length: number): Schema => {
    const definitions: { [name: string]: JsonValue } = {
      S0: { $ref: "#/$defs/S1", unevaluatedProperties: false },
      [`S${length}`]: { properties: { a: true } },
    };
    for (let index = 1; index < length; index++) definitions[`S${index}`] = { $ref: `#/$defs/S${index + 1}` };
    return read({ ...definitions, Start: { $ref: "#/$defs/S0" } });
  };
  const judged = (length: number): boolean => {
    const schema = longer(length);
    return isValid(schema, schema.definitions.get("Start")!.node, { a: 1 });
  };
  expect(judged(390)).toBe(true);
  expect(() => judged(500)).toThrow(expect.objectContaining({ code: "too-deep" }) as Error);
});
