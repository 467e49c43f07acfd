import { describe, expect, test } from "vitest";
import {
  type JsonValue,
  type Schema,
  type SchemaNode,
  children,
  descendants,
  inPlaceChildren,
  memberChildren,
  reachable,
  recursiveDefinitions,
  referencesOf,
} from "@mcpgen/engine";
import { revisions, schemaFrom, schemaOf } from "../../support/revisions.js";

/** Every subschema of a node, found in all its members, without knowledge of keywords. */
function nodesIn(value: unknown, found = new Set<SchemaNode>()): Set<SchemaNode> {
  if (value instanceof Map) for (const member of value.values()) nodesIn(member, found);
  else if (Array.isArray(value)) for (const item of value) nodesIn(item, found);
  else if (typeof value === "object" && value !== null && "pointer" in value) found.add(value as SchemaNode);
  return found;
}

describe("children", () => {
  const leaf = { type: "string" };
  const schema = schemaFrom({
    X: {
      allOf: [leaf],
      anyOf: [leaf],
      oneOf: [leaf],
      not: leaf,
      if: leaf,
      then: leaf,
      else: leaf,
      dependentSchemas: { a: leaf },
      properties: { a: leaf },
      patternProperties: { a: leaf },
      prefixItems: [leaf],
      additionalProperties: leaf,
      propertyNames: leaf,
      unevaluatedProperties: leaf,
      items: leaf,
      contains: leaf,
      unevaluatedItems: leaf,
    },
  });
  const { node } = schema.definitions.get("X")!;

  test("are all subschemas that a node holds, once each", () => {
    const held = new Set(Object.values(node).flatMap((member) => [...nodesIn(member)]));
    expect(held.size).toBe(17);
    expect(new Set(children(node))).toEqual(held);
    expect(children(node)).toHaveLength(held.size);
  });

  test("apply to the same place or to members, never both", () => {
    expect([...inPlaceChildren(node), ...memberChildren(node)]).toEqual(children(node));
    expect(inPlaceChildren(node)).toHaveLength(8);
  });

  test("come after their parents among the descendants", () => {
    const walked = [...descendants(schemaOf("2025-11-25").definitions.get("Tool")!.node)];
    expect(walked[0]!.pointer).toBe("/$defs/Tool");
    const seen = new Set<SchemaNode>();
    for (const descendant of walked) {
      for (const child of children(descendant)) expect(seen.has(child)).toBe(false);
      seen.add(descendant);
    }
    expect(seen.size).toBe(walked.length);
  });
});

/** Reachability by its definition: one step at a time until nothing changes. */
function reachableSlowly(schema: Schema, start: string): Set<string> {
  const found = new Set([start]);
  for (let size = 0; size !== found.size;) {
    size = found.size;
    for (const name of [...found]) {
      for (const next of referencesOf(schema.definitions.get(name)!.node)) found.add(next);
    }
  }
  return found;
}

describe.each(revisions)("%s", (revision) => {
  const schema = schemaOf(revision);

  test("reachable() finds the same definitions as a search that follows every reference", () => {
    for (const name of schema.definitions.keys()) {
      expect(reachable(schema, [name])).toEqual(reachableSlowly(schema, name));
    }
  });

  test("a definition is recursive if it can be reached from its own references", () => {
    const recursive = recursiveDefinitions(schema);
    for (const [name, { node }] of schema.definitions) {
      const below = reachable(schema, referencesOf(node));
      expect(recursive.has(name), name).toBe(below.has(name));
      const companions = [...below].filter(
        (other) => below.has(name) && reachable(schema, [other]).has(name),
      );
      if (recursive.has(name)) expect(recursive.get(name), name).toEqual(new Set(companions));
    }
  });
});

test("a chain of 15,000 definitions is walked without overflow, in both directions", () => {
  const size = 15_000;
  const chain = Object.fromEntries(
    Array.from({ length: size }, (_, i): [string, JsonValue] => [
      `D${i}`,
      { items: { $ref: `#/$defs/D${(i + 1) % size}` } },
    ]),
  );
  const schema = schemaFrom(chain);
  expect(reachable(schema, ["D7"]).size).toBe(size);
  expect(recursiveDefinitions(schema).get("D7")!.size).toBe(size);
});

test("a union of 150,000 definitions is walked", () => {
  const names = Array.from({ length: 150_000 }, (_, i) => `D${i}`);
  const union = { pointer: "", anyOf: names.map((ref) => ({ pointer: "", ref })) };
  const definitions = new Map(names.map((name) => [name, { name, node: { pointer: "" } as SchemaNode }]));
  const schema = { definitions: definitions.set("Union", { name: "Union", node: union }) };
  expect(reachable(schema, ["Union"]).size).toBe(names.length + 1);
});
