import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Issue,
  type JsonValue,
  type Schema,
  type SchemaNode,
  SchemaError,
  explainerFor,
  issueKind,
  readDocument,
  summary,
} from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { definitions, value } from "../../support/arbitrary-schema.js";
import { cases } from "../../support/cases.mjs";

function issuesOf(document: JsonValue, value: unknown): Issue[] {
  const schema = readDocument(document);
  return explainerFor(schema).issues(schema.root ?? { pointer: "" }, value);
}

test("the root of a schema is explained as definitions are", () => {
  const document = {
    type: "object",
    properties: { list: { type: "array", items: { $ref: "#/$defs/Item" } } },
    $defs: { Item: { type: "object", required: ["name"], properties: { name: { type: "string" } } } },
  };
  expect(summary(issuesOf(document, { list: [{ name: "a" }, { nam: "b" }, 3] }))).toBe(
    'list[1].name: expected string, got nothing; did you mean "name" by "nam"?\nlist[2]: expected object, got 3 (number)',
  );
  expect(issuesOf(document, { list: [] })).toEqual([]);
});

test("formats are asserted if their checks are passed", () => {
  const schema = readDocument({ properties: { day: { type: "string", format: "date" } } });
  const given = { day: "soon" };
  expect(explainerFor(schema).issues(schema.root!, given)).toEqual([]);
  expect(summary(explainerFor(schema, "assertion").issues(schema.root!, given))).toBe(
    'day: expected a string of the format "date", got "soon" (string)',
  );
});

test("issues are of keys that are unknown, missing or excluded, and of values", () => {
  const document = {
    properties: { a: { type: "string" }, b: false, c: { not: {} }, d: { type: "string" } },
    required: ["a"],
    additionalProperties: false,
  };
  const schema = readDocument(document);
  const issues = explainerFor(schema).issues(schema.root!, { b: 1, c: 1, d: 1, e: 1 });
  expect(Object.fromEntries(issues.map((issue) => [issue.pointer, issueKind(issue)]))).toEqual({
    "/a": "missing-key",
    "/b": "excluded",
    "/c": "excluded",
    "/d": "value",
    "/e": "unknown-key",
  });
});

test("the search ends at the requested number of issues", () => {
  const schema = readDocument({ items: { type: "string" } });
  const given = Array.from({ length: 500 }, () => 1);
  const explainer = explainerFor(schema);
  expect(explainer.issues(schema.root!, given)).toHaveLength(16);
  expect(explainer.issues(schema.root!, given, undefined, 50)).toHaveLength(50);
});

describe("no schema exhausts the stack or the time", () => {
  test("definitions inside one another, each with subschemas as deep as a schema allows", () => {
    const nested = (inner: JsonValue, levels: number): JsonValue =>
      levels === 0 ? inner : { allOf: [nested(inner, levels - 1)] };
    const $defs = Object.fromEntries(
      Array.from({ length: 64 }, (_, index) => [
        `D${index}`,
        nested(
          index === 63 ? { type: "string" } : { properties: { a: { $ref: `#/$defs/D${index + 1}` } } },
          100,
        ),
      ]),
    );
    let given: JsonValue = 1;
    for (let level = 0; level < 63; level++) given = { a: given };
    const [issue, ...others] = issuesOf({ $ref: "#/$defs/D0", $defs }, given);
    expect(issue!.expected).toMatch(/^D\d+$/);
    expect(others).toEqual([]);
  });

  test("unions inside unions, whose arms all fail late", () => {
    const union = (levels: number): JsonValue =>
      levels === 0
        ? { type: "string" }
        : {
            oneOf: ["a", "b", "c"].map((key) => ({
              type: "object",
              required: ["next"],
              properties: { next: union(levels - 1), [key]: { type: "string" } },
            })),
          };
    let given: JsonValue = 1;
    for (let level = 0; level < 6; level++) given = { next: given };
    expect(issuesOf(union(6), given).length).toBeGreaterThan(0);
  });
});

/** The IR; `undefined` if a reference of the schema leads to itself. */
function readable(document: JsonValue): Schema | undefined {
  try {
    return readDocument(document);
  } catch (error) {
    if (error instanceof SchemaError) return undefined;
    throw error;
  }
}

test("a value of a random schema has issues exactly where the interpreter refuses it", () => {
  fc.assert(
    fc.property(definitions, fc.array(value, { minLength: 10, maxLength: 30 }), (document, values) => {
      const schema = readable({ $defs: document as { [name: string]: JsonValue } });
      fc.pre(schema !== undefined);
      const explainer = explainerFor(schema);
      for (const { name, node } of schema.definitions.values()) {
        for (const one of values as JsonValue[]) {
          const context = `${name} of ${JSON.stringify(document)} on ${JSON.stringify(one)}`;
          const found = explainer.issues(node, one);
          expect(found.length === 0, context).toBe(isValid(schema, node, one));
          const reference: SchemaNode = { pointer: "", ref: name };
          expect(explainer.issues(reference, one).length === 0, context).toBe(found.length === 0);
        }
      }
    }),
    { numRuns: cases(2000, 50) },
  );
});
