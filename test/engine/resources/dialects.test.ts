import { Ajv2019 } from "ajv/dist/2019.js";
import { describe, expect, test } from "vitest";
import { type JsonObject, type JsonValue, readDocument } from "@mcpgen/engine";
import { validatorOf } from "@mcpgen/engine/interpreter";

const draft04 = "http://json-schema.org/draft-04/schema#";
const draft2019 = "https://json-schema.org/draft/2019-09/schema";

function verdicts(document: JsonObject, values: readonly JsonValue[]): boolean[] {
  const isValid = validatorOf(readDocument(document));
  return values.map((value) => isValid(value));
}

describe("draft-04", () => {
  test.each<[string, JsonObject, JsonValue[], JsonValue[]]>([
    ["a limit that is not exclusive", { minimum: 1, exclusiveMinimum: false }, [1, 2], [0]],
    ["a limit that is exclusive", { maximum: 3, exclusiveMaximum: true }, [2], [3, 4]],
    ["exclusiveness of no limit", { exclusiveMinimum: true }, [0], []],
    [
      "items by place, and others",
      { items: [{ type: "string" }], additionalItems: false },
      [["a"]],
      [["a", 1], [1]],
    ],
    [
      "others without items by place",
      { items: { type: "string" }, additionalItems: false },
      [["a", "b"]],
      [[1]],
    ],
    [
      "a reference stands alone",
      { definitions: { a: {} }, $ref: "#/definitions/a", type: "string" },
      [1],
      [],
    ],
    [
      "a schema with an id",
      { properties: { a: { $ref: "#text" }, b: { id: "#text", type: "string" } } },
      [{ a: "x" }],
      [{ a: 1 }],
    ],
    [
      "a reference to the item at a place",
      { properties: { a: { items: [{ type: "string" }] }, b: { $ref: "#/properties/a/items/0" } } },
      [{ b: "x" }],
      [{ b: 1 }],
    ],
    [
      "dependencies of both kinds",
      { dependencies: { a: ["b"], c: { minProperties: 2 } } },
      [{ a: 1, b: 1 }],
      [{ a: 1 }, { c: 1 }],
    ],
    [
      "keywords that came later say nothing",
      { const: 1, contains: { type: "string" }, propertyNames: false },
      [2, [1], { a: 1 }],
      [],
    ],
  ])("%s", (_, schema, valid, invalid) => {
    const document = { $schema: draft04, ...schema };
    expect(verdicts(document, valid)).toEqual(valid.map(() => true));
    expect(verdicts(document, invalid)).toEqual(invalid.map(() => false));
  });
});

describe("2019-09 gives the verdicts of ajv", () => {
  const tree: JsonObject = {
    $id: "https://example.com/strict",
    $recursiveAnchor: true,
    $ref: "tree",
    unevaluatedProperties: false,
    $defs: {
      tree: {
        $id: "tree",
        $recursiveAnchor: true,
        type: "object",
        properties: { data: true, children: { type: "array", items: { $recursiveRef: "#" } } },
      },
    },
  };
  test.each<[string, JsonObject, JsonValue[]]>([
    [
      "a tree that another schema makes strict",
      tree,
      [{ children: [{ data: 1 }] }, { children: [{ daat: 1 }] }],
    ],
    [
      "a tree as it is",
      { ...((tree["$defs"] as JsonObject)["tree"] as JsonObject) },
      [{ children: [{ daat: 1 }] }, { children: [1] }],
    ],
    [
      "recursion without an anchor",
      { properties: { a: { $recursiveRef: "#" } }, maxProperties: 1 },
      [{ a: { a: {} } }, { a: { a: 1, b: 1 } }],
    ],
    [
      "items by place, and others",
      { items: [{ type: "string" }], additionalItems: { type: "null" } },
      [
        ["a", null],
        ["a", 1],
      ],
    ],
    ["a reference beside others", { $defs: { a: { minimum: 1 } }, $ref: "#/$defs/a", maximum: 3 }, [0, 2, 4]],
    [
      "anchors",
      { $defs: { a: { $anchor: "A", type: "string" } }, properties: { a: { $ref: "#A" } } },
      [{ a: "x" }, { a: 1 }],
    ],
    ["keywords that came later", { prefixItems: [false], dependencies: { a: ["b"] } }, [[1], { a: 1 }]],
  ])("%s", (_, schema, values) => {
    const document = { $schema: draft2019, ...schema };
    const ajv = new Ajv2019({ strict: false, addUsedSchema: false, keywords: ["prefixItems"] });
    const known = schema["dependencies"] ? () => true : ajv.compile(document);
    expect(verdicts(document, values)).toEqual(values.map((value) => known(value)));
  });
});

// Ajv counts them as evaluated, as 2020-12 does (2019-09 core, section 9.3.1.3, has items and additionalItems alone).
test("in 2019-09, items that match contains stay unevaluated", () => {
  const strict = { type: "array", contains: { type: "string" }, minContains: 1, unevaluatedItems: false };
  expect(verdicts({ $schema: draft2019, ...strict }, [[], ["a"], [1]])).toEqual([false, false, false]);
  const rest = {
    items: [true],
    allOf: [{ contains: { type: "string" } }],
    unevaluatedItems: { type: "string" },
  };
  const values = [["a"], [1, "a"], [1, 2, "a"]];
  expect(verdicts({ $schema: draft2019, ...rest }, values)).toEqual([true, true, false]);
});

test("other dialects are refused", () => {
  expect(() => readDocument({ $schema: "http://json-schema.org/draft-03/schema#" })).toThrow(/draft-04/);
});

test("an error in a moved keyword has its original place", () => {
  const document = { $schema: draft2019, contains: { type: 1 }, unevaluatedItems: false };
  expect(() => readDocument(document)).toThrow(expect.objectContaining({ code: "malformed-keyword" }));
});
