import type { JsonObject, JsonValue } from "@mcpgen/engine";
import { describe, expect, test } from "vitest";
import { diffModels } from "../../generator/diff/diff-models.js";
import { between, line, modelFrom, protocolOf } from "./models.js";

const ref = (name: string): JsonObject => ({ $ref: `#/$defs/${name}` });
const secret: JsonObject = {
  type: "object",
  properties: { key: { type: "string" }, size: { type: "number" } },
  required: ["key"],
};

/** Findings between two protocols with these params, without the findings about names. */
function found(
  old: JsonValue,
  next: JsonValue,
  before: JsonObject = {},
  after: JsonObject = before,
): string[] {
  const params = (value: JsonValue): JsonValue => ({ type: "object", properties: { value } });
  const models = [protocolOf(params(old), {}, before), protocolOf(params(next), {}, after)].map(modelFrom);
  return diffModels(models[0]!, models[1]!)
    .filter(({ rule }) => !rule.startsWith("definition-") && rule !== "unreachable-changed")
    .map(line);
}

const conditions: Readonly<Record<string, (inside: JsonValue) => JsonObject>> = {
  not: (inside) => ({ type: "object", not: inside }),
  if: (inside) => ({ type: "object", if: inside, then: { required: ["a"] }, else: inside }),
  contains: (inside) => ({ type: "array", contains: inside }),
  patternProperties: (inside) => ({ type: "object", patternProperties: { "^x-": inside } }),
  dependentSchemas: (inside) => ({ type: "object", dependentSchemas: { a: inside } }),
};

describe.each(Object.entries(conditions))("inside %s", (_, around) => {
  test("names and spelling do not matter", () => {
    const old = around(ref("Secret"));
    expect(found(old, around(ref("Hidden")), { Secret: secret }, { Hidden: secret })).toEqual([]);
    expect(found(old, around(secret), { Secret: secret }, {})).toEqual([]);
    const split: JsonObject = {
      allOf: [
        { type: "object", properties: { key: { type: "string" } }, required: ["key"] },
        { type: "object", properties: { size: { type: "number" } } },
      ],
    };
    expect(found(old, around(split), { Secret: secret }, {})).toEqual([]);
  });

  test("a definition that changes under its name is a change", () => {
    const next = { ...secret, required: ["key", "size"] };
    const reported = found(
      around(ref("Secret")),
      around(ref("Secret")),
      { Secret: secret },
      { Secret: next },
    );
    expect(reported.map((each) => each.split(" ")[0])).toContain(
      around === conditions["not"] ? "bound-loosened" : "bound-tightened",
    );
  });

  test("recursive definitions are compared in finite time", () => {
    const tree = (leaf: JsonValue): JsonObject => ({
      Tree: { type: "object", properties: { leaf, inner: around(ref("Tree")) }, required: ["leaf"] },
    });
    const [text, number] = [tree({ type: "string" }), tree({ type: "number" })];
    expect(found(ref("Tree"), ref("Tree"), text)).toEqual([]);
    expect(found(ref("Tree"), ref("Tree"), text, number)).toContain(
      "type-changed Tree.leaf client:breaking server:breaking",
    );
  });
});

describe("limits from two keywords", () => {
  const rules = (old: JsonValue, next: JsonValue): string[] => between(old, next).map(({ rule }) => rule);
  const number = (more: JsonObject): JsonObject => ({ type: "number", ...more });
  const integer = (more: JsonObject): JsonObject => ({ type: "integer", ...more });

  test("are compared as one limit", () => {
    const [finding, ...others] = between(number({ minimum: 0 }), number({ exclusiveMinimum: 0 }));
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ rule: "bound-tightened", old: "minimum 0", new: "exclusive minimum 0" });
    expect(rules(number({ exclusiveMaximum: 5 }), number({ maximum: 5 }))).toEqual(["bound-loosened"]);
    expect(rules(number({ minimum: 3 }), number({ minimum: 1, exclusiveMinimum: 4 }))).toEqual([
      "bound-tightened",
    ]);
  });

  test("are equal for integers, whichever keyword sets them", () => {
    expect(rules(integer({ exclusiveMinimum: 0 }), integer({ minimum: 1 }))).toEqual([]);
    expect(rules(integer({ exclusiveMaximum: 10 }), integer({ maximum: 9.5 }))).toEqual([]);
  });
});

test("unevaluatedItems covers the items after prefixItems, like items", () => {
  const tuple: JsonObject = { type: "array", prefixItems: [{ type: "string" }] };
  const found = between({ ...tuple, items: false }, { ...tuple, unevaluatedItems: false });
  expect(found).toEqual([]);
});

test("a list of values in a condition contains values, not schemas", () => {
  const not = (title: string): JsonObject => ({ not: { const: { title } } });
  expect(between(not("a"), not("b")).map(({ rule }) => rule)).toEqual(["bound-tightened", "bound-loosened"]);
});
