import { describe, expect, test } from "vitest";
import { type JsonValue, type Schema, isJsonObject, referencesOf } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { randomFrom } from "../../generator/sample/values.js";
import { minimalValid, sampleValid } from "../../generator/sample/sample.js";
import { revisions, schemaFrom, schemaOf } from "../support/revisions.js";

function samples(schema: Schema, name: string, count: number): JsonValue[] {
  const random = randomFrom(name);
  return Array.from({ length: count }, () => sampleValid(schema, name, random)!);
}

describe.each(revisions)("%s", (revision) => {
  const schema = schemaOf(revision);

  test("every definition has a minimal instance, and it is valid", () => {
    for (const [name, { node }] of schema.definitions) {
      const value = minimalValid(schema, name);
      expect(value, name).toBeDefined();
      expect(isValid(schema, node, value!), name).toBe(true);
    }
  });

  test("every definition is sampled, validly, at any draw", () => {
    for (const [name, { node }] of schema.definitions) {
      for (const value of samples(schema, name, 10)) expect(isValid(schema, node, value), name).toBe(true);
    }
  });

  test("every described property is present in some sample and, if optional, absent from another", () => {
    for (const [name, { node }] of schema.definitions) {
      if (!node.properties) continue;
      const drawn = samples(schema, name, 60).filter(isJsonObject);
      for (const key of node.properties.keys()) {
        const present = drawn.filter((value) => Object.hasOwn(value, key)).length;
        expect(present, `${name}.${key}`).toBeGreaterThan(0);
        if (!node.required?.includes(key)) expect(present, `${name}.${key}`).toBeLessThan(60);
      }
    }
  });

  test("samples cover every arm of every union and every member of every enumeration", () => {
    for (const [name, { node }] of schema.definitions) {
      const drawn = samples(schema, name, 120);
      for (const arm of node.anyOf ?? []) {
        expect(
          drawn.some((value) => isValid(schema, arm, value)),
          `${name} ${arm.pointer}`,
        ).toBe(true);
      }
      for (const member of node.enum ?? []) expect(drawn, name).toContain(member);
    }
  });
});

test("minimal instances read well", () => {
  const schema = schemaOf("2025-11-25");
  expect(minimalValid(schema, "CallToolRequest")).toEqual({
    id: "id",
    jsonrpc: "2.0",
    method: "tools/call",
    params: { name: "name" },
  });
  expect(minimalValid(schema, "ReadResourceResult")).toEqual({ contents: [] });
  expect(minimalValid(schema, "TextContent")).toEqual({ text: "text", type: "text" });
});

test("samples of a definition do not depend on unrelated definitions", () => {
  const schema = schemaOf("2025-11-25");
  const name = "SamplingMessage";
  const needed = new Set([name]);
  for (const each of needed)
    for (const other of referencesOf(schema.definitions.get(each)!.node)) needed.add(other);
  const alone: Schema = {
    definitions: new Map([...schema.definitions].filter(([each]) => needed.has(each))),
  };
  expect(alone.definitions.size).toBeLessThan(schema.definitions.size);
  expect(samples(alone, name, 30)).toEqual(samples(schema, name, 30));
});

test("recursion ends, also where every arm but one recurs", () => {
  const schema = schemaFrom({
    List: {
      type: "object",
      required: ["next"],
      properties: { next: { anyOf: [{ $ref: "#/$defs/List" }, { type: "null" }] } },
    },
    Tree: {
      type: "object",
      required: ["left", "right"],
      properties: { left: { $ref: "#/$defs/Leaf" }, right: { $ref: "#/$defs/Leaf" } },
    },
    Leaf: { anyOf: [{ $ref: "#/$defs/Tree" }, { type: "array", items: { $ref: "#/$defs/Leaf" } }] },
  });
  for (const name of schema.definitions.keys()) {
    for (const value of samples(schema, name, 50)) {
      expect(isValid(schema, schema.definitions.get(name)!.node, value)).toBe(true);
    }
  }
  expect(minimalValid(schema, "List")).toEqual({ next: null });
});

test("a definition that nothing satisfies has no sample", () => {
  const schema = schemaFrom({
    Endless: { type: "object", required: ["next"], properties: { next: { $ref: "#/$defs/Endless" } } },
    Nothing: false,
  });
  for (const name of schema.definitions.keys()) {
    expect(sampleValid(schema, name, randomFrom(name))).toBeUndefined();
    expect(minimalValid(schema, name)).toBeUndefined();
  }
});

test.each<[string, JsonValue]>([
  ["bounds", { type: "number", minimum: 2.5, exclusiveMaximum: 3 }],
  ["multiples", { type: "integer", minimum: 10, multipleOf: 7 }],
  ["lengths", { type: "string", minLength: 3, maxLength: 4 }],
  ["patterns", { type: "string", pattern: "^[a-z]+-[a-z]+$" }],
  ["unique items", { type: "array", items: { type: "boolean" }, uniqueItems: true, minItems: 2 }],
  ["tuples", { type: "array", prefixItems: [{ const: 1 }, { const: 2 }], items: false, minItems: 2 }],
  [
    "contained items",
    { type: "array", items: { type: "integer" }, contains: { minimum: 100 }, minContains: 2 },
  ],
  ["closed objects", { type: "object", properties: { a: { type: "string" } }, additionalProperties: false }],
  ["typed maps", { type: "object", additionalProperties: { type: "integer" }, minProperties: 2 }],
  [
    "pattern properties",
    {
      type: "object",
      patternProperties: { "^x-": { type: "integer" } },
      additionalProperties: { type: "string" },
    },
  ],
  ["dependent keys", { type: "object", properties: { a: true, b: true }, dependentRequired: { a: ["b"] } }],
  ["conjunctions", { allOf: [{ type: "object", required: ["a"] }, { properties: { a: { const: 1 } } }] }],
  ["exclusive arms", { oneOf: [{ type: "integer" }, { type: "number", minimum: 10 }] }],
  ["negations", { type: "integer", not: { minimum: 5 } }],
  ["conditions", { if: { type: "string" }, then: { minLength: 2 }, else: { type: "integer" } }],
])("samples honour %s", (_, definition) => {
  const schema = schemaFrom({ It: definition });
  const { node } = schema.definitions.get("It")!;
  const drawn = samples(schema, "It", 40);
  for (const value of drawn) expect(isValid(schema, node, value)).toBe(true);
  expect(minimalValid(schema, "It")).toBeDefined();
});
