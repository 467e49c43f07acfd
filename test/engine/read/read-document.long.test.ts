import { describe, expect, test } from "vitest";
import {
  type JsonObject,
  type JsonValue,
  SchemaError,
  canonicalise,
  descendants,
  readDocument,
  readSchema,
} from "@mcpgen/engine";
import { validatorOf } from "@mcpgen/engine/interpreter";
import { metaSchemas } from "@mcpgen/engine/meta-schemas";
import { documentOf, revisions } from "../../support/revisions.js";

type Options = Parameters<typeof readDocument>[1];

function errorOf(document: JsonValue, options?: Options): SchemaError {
  try {
    readDocument(document, options);
  } catch (error) {
    if (error instanceof SchemaError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

const at = (documents: { [uri: string]: JsonValue }): Options => ({
  documents: new Map(Object.entries(documents)),
});

describe("a document is refused at the place where it was written:", () => {
  test.each<[string, JsonValue, Options, Partial<SchemaError>]>([
    [
      "a reference to a document that is not given",
      { definitions: { a: { properties: { b: { $ref: "https://example.com/x.json" } } } } },
      {},
      { code: "remote-reference", pointer: "/definitions/a/properties/b/$ref", document: undefined },
    ],
    [
      "a reference to no anchor",
      { $id: "https://example.com/", items: { $ref: "#nowhere" } },
      {},
      { code: "unresolved-reference", pointer: "/items/$ref" },
    ],
    [
      "a reference to what is no schema",
      { properties: { a: { $ref: "#/required" } }, required: ["a"] },
      {},
      { code: "unresolved-reference", pointer: "/properties/a/$ref" },
    ],
    [
      "a malformed keyword below one that draft-07 spells otherwise",
      { $schema: "http://json-schema.org/draft-07/schema#", items: [true, { required: 5 }] },
      {},
      { code: "malformed-keyword", pointer: "/items/1/required" },
    ],
    [
      "a malformed keyword of another document",
      { $ref: "https://example.com/x#/$defs/y" },
      at({ "https://example.com/x": { $defs: { y: { allOf: [true, { minLength: -1 }] } } } }),
      { code: "malformed-keyword", pointer: "/$defs/y/allOf/1/minLength", document: "https://example.com/x" },
    ],
    [
      "a broken reference in another document",
      { $ref: "https://example.com/x" },
      at({ "https://example.com/x": { not: { $ref: "#/$defs/z" } } }),
      { code: "unresolved-reference", pointer: "/not/$ref", document: "https://example.com/x" },
    ],
    ["a number", { properties: { a: 5 } }, {}, { code: "not-a-schema", pointer: "/properties/a" }],
    ["a list", [], {}, { code: "not-a-schema", pointer: "" }],
    [
      "an unknown dialect",
      { $schema: "https://example.com/mine" },
      {},
      { code: "unsupported-dialect", pointer: "/$schema" },
    ],
    [
      "an unknown vocabulary",
      { $schema: "https://example.com/mine" },
      at({
        "https://example.com/mine": {
          $schema: "https://json-schema.org/draft/2020-12/schema",
          $vocabulary: { "https://example.com/vocabulary": true },
        },
      }),
      { code: "unsupported-dialect", pointer: "/$schema" },
    ],
    [
      "a pattern without a safe matcher",
      { $defs: { a: { patternProperties: { "^(a+)+\\1$": true } } } },
      {},
      { code: "unsafe-pattern", pointer: "/$defs/a/patternProperties/^(a+)+\\1$" },
    ],
    ["a reference to itself", { $anchor: "a", anyOf: [{ $ref: "#a" }] }, {}, { code: "circular-reference" }],
  ])("%s", (_, document, options, expected) => {
    expect(errorOf(document, options)).toMatchObject(expected);
  });

  test("nesting, in time and without overflow", () => {
    let deep: JsonValue = {};
    for (let level = 0; level < 100_000; level++) deep = { items: deep };
    expect(errorOf(deep)).toMatchObject({ code: "too-deep" });
    expect(errorOf({ const: deep })).toMatchObject({ code: "too-deep" });
  });
});

test("only references to definitions are left", () => {
  const schema = readDocument(
    {
      $id: "https://example.com/tree",
      $dynamicAnchor: "node",
      properties: { children: { items: { $dynamicRef: "#node" } }, next: { $ref: "tree" } },
      $defs: { Inner: { $id: "inner", $anchor: "here", items: { $ref: "other#there" } } },
    },
    at({ "https://example.com/other": { $defs: { a: { $anchor: "there", $ref: "inner#here" } } } }),
  );
  const names = new Set(schema.definitions.keys());
  for (const { node } of schema.definitions.values()) {
    for (const { ref } of descendants(node)) if (ref !== undefined) expect(names).toContain(ref);
  }
  expect([...names].sort()).toEqual(["#", "Inner", "a"]);
});

test("a definition is specialised only if the path to it makes a difference", () => {
  const list = {
    $id: "https://example.com/list",
    items: { $dynamicRef: "#item" },
    $defs: { any: { $dynamicAnchor: "item" }, plain: { type: "string" } },
  };
  const typed = (name: string, type: string): JsonObject => ({
    $id: `https://example.com/${name}`,
    $ref: "list",
    $defs: { item: { $dynamicAnchor: "item", type } },
  });
  const schema = readDocument(
    {
      properties: {
        numbers: { $ref: "https://example.com/numbers" },
        texts: { $ref: "https://example.com/texts" },
        again: { $ref: "https://example.com/texts" },
        plain: { $ref: "https://example.com/list#/$defs/plain" },
        alsoPlain: { $ref: "https://example.com/list#/$defs/plain" },
      },
    },
    at({
      "https://example.com/list": list,
      "https://example.com/numbers": typed("numbers", "number"),
      "https://example.com/texts": typed("texts", "string"),
    }),
  );
  expect([...schema.definitions.keys()]).toEqual([
    "item",
    "item/2",
    "list",
    "list/2",
    "numbers",
    "plain",
    "texts",
  ]);
  const isValid = validatorOf(schema);
  expect(isValid({ numbers: [1], texts: ["a"] })).toBe(true);
  expect(isValid({ numbers: ["a"] })).toBe(false);
  expect(isValid({ texts: [1] })).toBe(false);
});

test("the meta-schema validates schemas, including itself and the protocol's schemas", () => {
  const uri = "https://json-schema.org/draft/2020-12/schema";
  const isSchema = validatorOf(readDocument({ $ref: uri }, { documents: metaSchemas }));
  for (const [, document] of metaSchemas) {
    if (!JSON.stringify(document).includes("draft-07")) expect(isSchema(document)).toBe(true);
  }
  for (const revision of revisions) expect(isSchema(documentOf(revision))).toBe(true);
  expect(isSchema({ properties: { a: { items: { type: "text" } } } })).toBe(false);
  const old = validatorOf(
    readDocument({ $ref: "http://json-schema.org/draft-07/schema#" }, { documents: metaSchemas }),
  );
  expect(old(metaSchemas.get("http://json-schema.org/draft-07/schema")!)).toBe(true);
  expect(old({ items: [{ minLength: -1 }] })).toBe(false);
});

test.each(revisions)(
  "readDocument reads the protocol schema like canonicalise and readSchema: %s",
  (revision) => {
    const document = documentOf(revision);
    expect(readDocument(document)).toEqual(readSchema(canonicalise(document)));
  },
);

test("boolean schemas", () => {
  expect(validatorOf(readDocument(true))({})).toBe(true);
  expect(validatorOf(readDocument(false))({})).toBe(false);
});

test("an option sets the dialect of documents that do not declare one", () => {
  const document = { items: [{ type: "string" }], definitions: {} };
  expect(validatorOf(readDocument(document, { dialect: "draft-07" }))([1])).toBe(false);
  expect(errorOf(document, { dialect: "2020-12" })).toMatchObject({ pointer: "/items" });
});

test("a chain of 10,000 references through documents is followed without overflow", () => {
  const documents = new Map<string, JsonValue>();
  for (let index = 0; index < 10_000; index++) {
    documents.set(`https://example.com/${index}`, { items: { $ref: `${index + 1}` } });
  }
  documents.set("https://example.com/10000", { type: "string" });
  const schema = readDocument({ $ref: "https://example.com/0" }, { documents });
  expect(schema.definitions.size).toBe(10_001);
  let value: JsonValue = "end";
  for (let index = 0; index < 10_000; index++) value = [value];
  expect(validatorOf(schema)(value)).toBe(true);
  expect(validatorOf(schema)([value])).toBe(false);
});

test("multiplying paths through a schema are refused, not followed", () => {
  // Each step has two references to the next one, and each of them has a different outermost anchor.
  const documents = new Map<string, JsonValue>();
  const steps = 20;
  for (let step = 0; step < steps; step++) {
    for (const way of ["a", "b"]) {
      documents.set(`https://example.com/${step}${way}`, {
        $ref: `to${step + 1}`,
        $defs: { name: { $dynamicAnchor: `name${step}`, const: way } },
      });
    }
    const ways = ["a", "b"].map((way) => ({ properties: { [way]: { $ref: `${step}${way}` } } }));
    documents.set(`https://example.com/to${step}`, { anyOf: ways });
  }
  const names = Array.from({ length: steps }, (_, step) => ({
    $dynamicRef: `#name${step}`,
    $defs: { name: { $dynamicAnchor: `name${step}` } },
  }));
  const anchors = Object.fromEntries(
    names.map(({ $defs }, step) => [`name${step}`, { ...$defs.name }] as const),
  );
  documents.set(`https://example.com/to${steps}`, {
    properties: Object.fromEntries(names.map(({ $dynamicRef }, step) => [step, { $dynamicRef }])),
    $defs: anchors,
  });
  expect(errorOf({ $ref: "https://example.com/to0" }, { documents })).toMatchObject({ code: "too-deep" });
});

test("on request, values of an enum keep their order, each once", () => {
  const document = { enum: ["good", "bad", 2, "good", null] };
  const values = (options?: Options): unknown => readDocument(document, options).root?.enum;
  expect(values({ enums: "written" })).toEqual(["good", "bad", 2, null]);
  expect(values()).not.toEqual(values({ enums: "written" }));
});
