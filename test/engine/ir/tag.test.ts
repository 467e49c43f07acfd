import { describe, expect, test } from "vitest";
import { type JsonObject, type JsonValue, tagOf } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { revisions, schemaFrom, schemaOf } from "../../support/revisions.js";

/** The tag of the union `X` among `definitions`. */
function tagIn(definitions: { [name: string]: JsonValue }): ReturnType<typeof tagOf> {
  const schema = schemaFrom(definitions);
  const { anyOf, oneOf } = schema.definitions.get("X")!.node;
  return tagOf(schema, anyOf ?? oneOf!);
}

function tagged(...values: string[]): JsonObject {
  const tag = values.length === 1 ? { const: values[0]! } : { enum: values };
  return { type: "object", properties: { type: tag, other: { type: "string" } }, required: ["type"] };
}

describe("a union is tagged", () => {
  test("by a member that all arms require and limit to constants", () => {
    expect(tagIn({ X: { anyOf: [tagged("a"), tagged("b", "c")] } })).toEqual({
      property: "type",
      values: [["a"], ["b", "c"]],
      required: [true, true],
    });
  });

  test("by the member with most values, strings before other scalars", () => {
    const arm = (version: number, kind: string, type: string): JsonObject => ({
      type: "object",
      properties: { version: { const: version }, kind: { const: kind }, type: { const: type } },
      required: ["version", "kind", "type"],
    });
    expect(tagIn({ X: { anyOf: [arm(1, "x", "a"), arm(2, "x", "b"), arm(3, "y", "c")] } })!.property).toBe(
      "type",
    );
    expect(tagIn({ X: { anyOf: [arm(1, "x", "a"), arm(2, "x", "a"), arm(3, "y", "a")] } })!.property).toBe(
      "kind",
    );
  });

  test("through allOf and references to constants", () => {
    const definitions = {
      Word: { const: "b" },
      A: { allOf: [tagged("a")] },
      B: { type: "object", properties: { type: { $ref: "#/$defs/Word" } }, required: ["type"] },
      X: { anyOf: [{ $ref: "#/$defs/A" }, { $ref: "#/$defs/B" }] },
    };
    expect(tagIn(definitions)!.values).toEqual([["a"], ["b"]]);
  });

  test("through references, and unions of unions", () => {
    const definitions = {
      A: tagged("a"),
      B: { oneOf: [{ $ref: "#/$defs/A" }, tagged("b")] },
      X: { oneOf: [{ $ref: "#/$defs/B" }, tagged("c")] },
    };
    expect(new Set(tagIn(definitions)!.values.map((values) => [...values].sort().join()))).toEqual(
      new Set(["a,b", "c"]),
    );
  });
});

describe("a union is not tagged", () => {
  const string = { type: "string" };
  test.each<[string, JsonValue[]]>([
    ["with one arm", [tagged("a")]],
    ["when an arm does not require the member", [tagged("a"), { ...tagged("b"), required: [] }]],
    ["when an arm is no object", [tagged("a"), string]],
    [
      "when an arm lets other values through",
      [tagged("a"), { properties: { type: { const: "b" } }, required: ["type"] }],
    ],
    ["when an arm may be null as well", [tagged("a"), { ...tagged("b"), type: ["null", "object"] }]],
    [
      "when an arm does not limit the member",
      [tagged("a"), { type: "object", properties: { type: string }, required: ["type"] }],
    ],
    ["when an arm does not describe the member", [tagged("a"), { type: "object", required: ["type"] }]],
    [
      "when the constants are no strings",
      [tagged("a"), { type: "object", properties: { type: { const: 1 } }, required: ["type"] }],
    ],
    ["when a value leaves all arms", [tagged("a"), tagged("a", "b")]],
    ["when no two arms differ", [tagged("a"), { ...tagged("a"), maxProperties: 1 }]],
  ])("%s", (_, arms) => {
    expect(tagIn({ X: { anyOf: arms } })).toBeUndefined();
  });

  test("by values that are equal only when joined", () => {
    expect(tagIn({ X: { anyOf: [tagged("a,b"), tagged("a", "b")] } })).toBeDefined();
  });
});

test.each(revisions)("%s: a tag decides for every value whether an arm can accept it", (revision) => {
  const schema = schemaOf(revision);
  let unions = 0;
  for (const { node } of schema.definitions.values()) {
    const arms = node.anyOf ?? node.oneOf;
    const tag = arms && tagOf(schema, arms);
    if (!arms || !tag) continue;
    unions++;
    for (const [index, arm] of arms.entries()) {
      expect(isValid(schema, arm, { [tag.property]: "no such tag" })).toBe(false);
      expect(isValid(schema, arm, {})).toBe(false);
      expect(tag.values[index]!.length).toBeGreaterThan(0);
    }
  }
  expect(unions).toBeGreaterThan(2);
});

test("a chain of 8,000 unions is followed without overflow, shared arms once", () => {
  const size = 8000;
  const definitions: { [name: string]: JsonValue } = { [`D${size}`]: tagged("z") };
  for (let i = 0; i < size; i++) {
    // Both arms refer to the next definition. If each were followed separately, each definition would double the work.
    definitions[`D${i}`] = {
      anyOf: [{ $ref: `#/$defs/D${i + 1}` }, { oneOf: [{ $ref: `#/$defs/D${i + 1}` }] }],
    };
  }
  definitions["X"] = { anyOf: [{ $ref: "#/$defs/D0" }, tagged("a")] };
  expect(new Set(tagIn(definitions)!.values.flat())).toEqual(new Set(["a", "z"]));
});
