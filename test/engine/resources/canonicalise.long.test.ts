import { Ajv, type Options } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type JsonObject,
  type JsonValue,
  type SchemaErrorCode,
  SchemaError,
  canonicalDialect,
  canonicalise,
  canonicaliseWithOrigins,
  atPointer,
  isJsonObject,
  readSchema,
} from "@mcpgen/engine";
import { minimalRoot } from "../../../generator/sample/sample.js";
import { randomFrom } from "../../../generator/sample/values.js";
import { documentOf, revisions } from "../../support/revisions.js";
import { instance, schemaDocument } from "./documents.js";
import { shuffledSchema } from "../../support/shuffled-schema.js";
import { cases } from "../../support/cases.mjs";

const draft07 = "http://json-schema.org/draft-07/schema#";
const text = (value: JsonValue): string => JSON.stringify(value);

/**
 * Removes the siblings of `$ref`, which draft-07 ignores. Ajv's option for this, `ignoreKeywordsWithRef`, still checks
 * `type`.
 */
function withoutSiblings(document: JsonObject): JsonObject {
  return JSON.parse(text(document), (_, value: JsonValue) =>
    isJsonObject(value) && "$ref" in value ? { $ref: value["$ref"] } : value,
  ) as JsonObject;
}

function errorOf(document: JsonValue): SchemaError {
  try {
    canonicalise(document);
  } catch (error) {
    if (error instanceof SchemaError) return error;
    throw error;
  }
  throw new Error(`accepted: ${text(document).slice(0, 200)}`);
}

describe.each(revisions)("revision %s", (revision) => {
  const document = documentOf(revision);

  test("the stored file is its own canonical form", () => {
    expect(text(canonicalise(document))).toBe(text(document));
  });

  test("every order of keys and set members gives the same bytes", () => {
    for (const seed of ["one", "two", "three"]) {
      const other = shuffledSchema(document, randomFrom(seed));
      expect(text(other)).not.toBe(text(document));
      expect(text(canonicalise(other))).toBe(text(document));
    }
  });

  test("the same schema in draft-07 gives the same bytes", () => {
    const older = text(document)
      .replaceAll('"$defs":', '"definitions":')
      .replaceAll("#/$defs/", "#/definitions/")
      .replace(canonicalDialect, draft07);
    expect(text(canonicalise(JSON.parse(older) as JsonValue))).toBe(text(document));
  });
});

describe("for every schema", () => {
  /** Documents by which Ajv judges values. */
  const judged = cases(200, 22);
  const documents = fc.oneof(schemaDocument("draft-07"), schemaDocument("2020-12"));

  test("the canonical form is idempotent, and independent of the order of keys and set members", () => {
    fc.assert(
      fc.property(documents, fc.string(), (document, seed) => {
        const canonical = canonicalise(document);
        expect(text(canonicalise(canonical))).toBe(text(canonical));
        expect(text(canonicalise(shuffledSchema(document, randomFrom(seed))))).toBe(text(canonical));
      }),
      { numRuns: cases(1000) },
    );
  });

  test("the input is not changed", () => {
    fc.assert(
      fc.property(documents, (document) => {
        const before = text(document);
        canonicalise(document, { descriptions: false });
        expect(text(document)).toBe(before);
      }),
      { numRuns: cases(1000) },
    );
  });

  test.each(["draft-07", "2020-12"] as const)("Ajv gives the same verdicts as with %s input", (dialect) => {
    const options: Options = { strict: false, validateFormats: false, logger: false };
    let valid = 0;
    let invalid = 0;
    const agree = (document: JsonObject, values: JsonValue[]): void => {
      const input =
        dialect === "draft-07"
          ? new Ajv(options).compile(withoutSiblings(document))
          : new Ajv2020(options).compile(document);
      // A copy by JSON: for Ajv, an object without a prototype is never equal to one with a prototype.
      const converted = JSON.parse(text(canonicalise(document))) as JsonObject;
      const canonical = new Ajv2020(options).compile(converted);
      const sample = minimalRoot(readSchema(converted));
      for (const value of sample === undefined ? values : [...values, sample]) {
        const expected = input(value);
        expect(canonical(value), text(value)).toBe(expected);
        if (expected) valid++;
        else invalid++;
      }
    };
    fc.assert(fc.property(schemaDocument(dialect), fc.array(instance, { minLength: 20 }), agree), {
      numRuns: judged,
    });
    expect(valid).toBeGreaterThan(judged / 10);
    expect(invalid).toBeGreaterThan(judged / 10);
  });

  test("each schema has its original place", () => {
    fc.assert(
      fc.property(documents, (document) => {
        const { canonical, origins } = canonicaliseWithOrigins(document);
        expect(origins.get(canonical)).toBe("");
        for (const [schema, at] of origins) {
          const source = atPointer(document, at);
          expect(isJsonObject(source), at).toBe(true);
          expect(schema["default"]).toEqual((source as JsonObject)["default"]);
        }
      }),
      { numRuns: cases(1000) },
    );
  });
});

describe("draft-07", () => {
  const canonical = (definition: JsonValue, others: JsonObject = {}): JsonValue =>
    (canonicalise({ $schema: draft07, definitions: { X: definition, ...others } })["$defs"] as JsonObject)[
      "X"
    ]!;

  test("a list of items becomes prefixItems, additionalItems becomes items", () => {
    expect(canonical({ items: [{ type: "string" }, true], additionalItems: false })).toEqual({
      prefixItems: [{ type: "string" }, true],
      items: false,
    });
    expect(canonical({ items: { type: "string" }, additionalItems: false })).toEqual({
      items: { type: "string" },
    });
    expect(canonical({ additionalItems: false })).toEqual({});
  });

  test("dependencies become dependentRequired and dependentSchemas", () => {
    expect(canonical({ dependencies: { b: ["y", "x"], a: { type: "object" }, c: true } })).toEqual({
      dependentRequired: { b: ["x", "y"] },
      dependentSchemas: { a: { type: "object" }, c: true },
    });
    expect(canonical({ dependencies: {} })).toEqual({});
  });

  test("siblings of $ref that constrain are dropped, others stay", () => {
    const node = { $ref: "#/definitions/Y", type: "string", minLength: 1, description: "d", default: 1 };
    expect(canonical(node, { Y: true })).toEqual({ $ref: "#/$defs/Y", description: "d", default: 1 });
  });

  test("only keywords are rewritten: properties named after them stay, in schemas and in references", () => {
    const tricky = {
      type: "object",
      properties: {
        definitions: { type: "object", properties: { definitions: { type: "string" } } },
        items: { type: "array", items: [{ $ref: "#/definitions/definitions" }] },
        required: { enum: ["definitions"], const: { definitions: { $ref: "#/definitions/X" } } },
        here: { $ref: "#/definitions/X/properties/definitions/properties/definitions" },
        tuple: { $ref: "#/definitions/X/properties/items/items/0" },
      },
    };
    expect(canonical(tricky, { definitions: { type: "number" } })).toEqual({
      type: "object",
      properties: {
        definitions: { type: "object", properties: { definitions: { type: "string" } } },
        items: { type: "array", prefixItems: [{ $ref: "#/$defs/definitions" }] },
        required: { enum: ["definitions"], const: { definitions: { $ref: "#/definitions/X" } } },
        here: { $ref: "#/$defs/X/properties/definitions/properties/definitions" },
        tuple: { $ref: "#/$defs/X/properties/items/prefixItems/0" },
      },
    });
  });

  test("is assumed for a document without a dialect that has definitions", () => {
    expect(canonicalise({ definitions: { X: { items: [true] } } })["$defs"]).toEqual({
      X: { prefixItems: [true] },
    });
  });
});

describe("references", () => {
  const referenceOf = (reference: string, definitions: JsonObject): string => {
    const document = { $defs: { ...definitions, Z: { $ref: reference } } };
    const canonical = canonicalise(document);
    expect(text(canonicalise(canonical))).toBe(text(canonical));
    return ((canonical["$defs"] as JsonObject)["Z"] as JsonObject)["$ref"] as string;
  };

  test.each([
    ["#/$defs/a%20b", "a b"],
    ["#/$defs/a b", "a b"],
    ["#/$defs/%25", "%"],
    ["#/$defs/a%2525", "a%25"],
    ["#/$defs/100%", "100%"],
    ["#/$defs/%7E1%7e0~0~1", "/~~/"],
    ["#/$defs/Gr%C3%B6%C3%9Fe", "Größe"],
    ["#/$defs/__proto__", "__proto__"],
    ["#/$defs/", ""],
  ])("%s means the definition %j before and after, and is stable", (reference, name) => {
    const definitions = JSON.parse(`{${JSON.stringify(name)}: {"type": "string"}}`) as JsonObject;
    const canonical = referenceOf(reference, definitions);
    const document = canonicalise({ $defs: { ...definitions, Z: { $ref: canonical } } });
    expect(readSchema(document).definitions.get("Z")!.node.ref).toBe(name);
  });

  test("a set that a reference steps into by index keeps its order, others do not", () => {
    const document = {
      $defs: {
        A: { anyOf: [{ type: "string" }, { type: "number" }, { type: "boolean" }] },
        B: { anyOf: [{ type: "string" }, { type: "boolean" }] },
        Z: { $ref: "#/$defs/A/anyOf/1" },
      },
    };
    const canonical = canonicalise(document);
    expect(atPointer(canonical, "/$defs/A/anyOf/1")).toEqual({ type: "number" });
    expect(atPointer(canonical, "/$defs/B/anyOf/0")).toEqual({ type: "boolean" });
  });

  test("an empty reference is the document", () => {
    expect(referenceOf("", {})).toBe("#");
  });

  test("remote ones stay unchanged, so that the reader refuses them", () => {
    expect(referenceOf("https://example.com/definitions/x#/definitions/y", {})).toBe(
      "https://example.com/definitions/x#/definitions/y",
    );
  });
});

describe("prose", () => {
  const document = {
    description: "d",
    $defs: {
      title: {
        title: "t",
        description: "d",
        $comment: "c",
        markdownDescription: "m",
        properties: { description: { type: "string", description: "d" }, title: true },
        default: { description: "kept" },
        const: { title: "kept" },
        enum: [{ description: "kept" }],
        examples: [{ description: "kept" }],
        "x-own": { description: "kept" },
        not: { description: "d" },
        anyOf: [{ title: "t" }],
      },
    },
  };

  test("is dropped only if it is a keyword", () => {
    expect(canonicalise(document, { descriptions: false })).toEqual({
      $schema: canonicalDialect,
      $defs: {
        title: {
          properties: { description: { type: "string" }, title: true },
          default: { description: "kept" },
          const: { title: "kept" },
          enum: [{ description: "kept" }],
          examples: [{ description: "kept" }],
          "x-own": { description: "kept" },
          not: {},
          anyOf: [{}],
        },
      },
    });
  });

  test("stays by default", () => {
    expect(canonicalise(document)).toEqual({ $schema: canonicalDialect, ...document });
  });
});

test("own __proto__ keys are keys like any other, at every place", () => {
  const source = `{"$defs":{"__proto__":{"properties":{"__proto__":{"type":"string"}},"required":["__proto__"],
    "default":{"__proto__":{"a":1}},"dependentRequired":{"__proto__":["__proto__"]}}}}`;
  const canonical = text(canonicalise(JSON.parse(source) as JsonValue));
  expect(canonical.match(/__proto__/g)).toHaveLength(6);
  expect(readSchema(canonicalise(JSON.parse(source) as JsonValue)).definitions.has("__proto__")).toBe(true);
});

test("boolean schemas, empty schemas and empty properties are kept", () => {
  const definition = {
    type: "object",
    properties: {},
    additionalProperties: {},
    items: true,
    contains: false,
    required: [],
  };
  expect(canonicalise({ $defs: { X: definition, T: true, F: false, E: {} } })["$defs"]).toEqual({
    X: definition,
    T: true,
    F: false,
    E: {},
  });
});

test("sets lose repetitions, lists and oneOf do not", () => {
  const definition = {
    type: ["string", "null", "string"],
    enum: ["b", { y: 1, x: 2 }, "b", { x: 2, y: 1 }],
    required: ["b", "a", "b"],
    oneOf: [true, true],
    prefixItems: [true, true],
  };
  expect(canonicalise({ $defs: { X: definition } })["$defs"]).toEqual({
    X: {
      type: ["null", "string"],
      enum: ["b", { x: 2, y: 1 }],
      required: ["a", "b"],
      oneOf: [true, true],
      prefixItems: [true, true],
    },
  });
});

describe("refuses", () => {
  test.each<[string, JsonValue, SchemaErrorCode, string]>([
    ["null", null, "not-a-schema", ""],
    ["an array", [], "not-a-schema", ""],
    ["a text", "schema", "not-a-schema", ""],
    ["a boolean document", true, "not-a-schema", ""],
    ["a schema that is a number", { $defs: { "a/b": 5 } }, "not-a-schema", "/$defs/a~1b"],
    ["a schema that is null", { $defs: { a: { items: null } } }, "not-a-schema", "/$defs/a/items"],
    ["items that are a list, in 2020-12", { $defs: { a: { items: [] } } }, "not-a-schema", "/$defs/a/items"],
    ["definitions that are a list", { definitions: [] }, "malformed-keyword", "/definitions"],
    [
      "properties that are a list",
      { $defs: { a: { properties: [] } } },
      "malformed-keyword",
      "/$defs/a/properties",
    ],
    ["anyOf that is an object", { $defs: { a: { anyOf: {} } } }, "malformed-keyword", "/$defs/a/anyOf"],
    [
      "a bad place in draft-07",
      { definitions: { a: { items: [true, 1] } } },
      "not-a-schema",
      "/definitions/a/items/1",
    ],
    [
      "a bad dependency",
      { definitions: { a: { dependencies: { b: 1 } } } },
      "not-a-schema",
      "/definitions/a/dependencies/b",
    ],
    [
      "dependencies that are a text",
      { definitions: { a: { dependencies: "b" } } },
      "malformed-keyword",
      "/definitions/a/dependencies",
    ],
    ["draft-03", { $schema: "http://json-schema.org/draft-03/schema#" }, "unsupported-dialect", "/$schema"],
    [
      "a keyword that draft-04 does not have",
      { $schema: "http://json-schema.org/draft-04/schema#", definitions: { a: { const: 1 } } },
      "unsupported-keyword",
      "/definitions/a/const",
    ],
    [
      "recursive references of 2019-09",
      { $schema: "https://json-schema.org/draft/2019-09/schema", $defs: { a: { $recursiveRef: "#" } } },
      "unsupported-keyword",
      "/$defs/a/$recursiveRef",
    ],
    [
      "items that contains finds and 2019-09 leaves over",
      {
        $schema: "https://json-schema.org/draft/2019-09/schema",
        $defs: { a: { contains: {} }, b: { unevaluatedItems: false } },
      },
      "unsupported-keyword",
      "/$defs/a/contains",
    ],
    ["a dialect that is no text", { $schema: 7 }, "unsupported-dialect", "/$schema"],
    [
      "a number beyond doubles",
      { $defs: { a: { const: [Infinity] } } },
      "malformed-keyword",
      "/$defs/a/const/0",
    ],
  ])("%s", (_, document, code, at) => {
    expect(errorOf(document)).toMatchObject({ code, pointer: at });
  });

  test.each(["definitions", "$defs"])("a name defined under both spellings, %s last", (last) => {
    const first = last === "$defs" ? "definitions" : "$defs";
    const document = { [first]: { "a/b": true, c: true }, [last]: { "a/b": true, d: true } };
    expect(errorOf(document)).toMatchObject({ code: "malformed-keyword", pointer: `/${last}/a~1b` });
  });

  test("not different names under both spellings", () => {
    const document = { definitions: { b: true, a: true }, $defs: { d: true, c: true } };
    expect(Object.keys(canonicalise(document)["$defs"] as JsonObject)).toEqual(["a", "b", "c", "d"]);
  });

  const nested = (levels: number, open: string, middle: string, close: string): JsonValue =>
    JSON.parse(open.repeat(levels) + middle + close.repeat(levels)) as JsonValue;

  test.each<[string, (levels: number) => JsonValue]>([
    ["items", (levels) => ({ $defs: { a: nested(levels, '{"items":', "{}", "}") } })],
    ["properties", (levels) => ({ $defs: { a: nested(levels, '{"properties":{"p":', "{}", "}}") } })],
    ["anyOf", (levels) => ({ $defs: { a: nested(levels, '{"anyOf":[', "{}", "]}") } })],
    ["a default", (levels) => ({ $defs: { a: { default: nested(levels, "[", "1", "]") } } })],
    ["an enum value", (levels) => ({ $defs: { a: { enum: [nested(levels, '{"a":', "1", "}")] } } })],
    ["a keyword of one's own", (levels) => ({ $defs: { a: { "x-own": nested(levels, "[", "1", "]") } } })],
    ["required", (levels) => ({ $defs: { a: { required: nested(levels, "[", "1", "]") } } })],
  ])("nesting beyond 128 levels in %s, and takes 120", (_, document) => {
    expect(() => canonicalise(document(120))).not.toThrow();
    for (const levels of [140, 100_000]) expect(errorOf(document(levels)).code).toBe("too-deep");
  });
});
