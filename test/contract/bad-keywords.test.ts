import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type JsonObject, type JsonValue, readDocument, readableSchema } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { generateContract } from "../../generator/pipeline/generate-contract.js";
import { readContract } from "../../generator/contract/read-contract.js";
import { value } from "../support/arbitrary-schema.js";
import { cases } from "../support/cases.mjs";

/** A schema with one bad keyword, the part that a client leaves out, and the advice for the author of a server. */
interface Bad {
  readonly schema: JsonObject;
  /** The keyword, if only this is left out; `/KEYWORD` for a subschema. */
  readonly left?: string;
  readonly next: RegExp;
}

const bads: { readonly [name: string]: Bad } = {
  "an unreadable pattern": {
    schema: { type: "string", pattern: "^[\\w-.]+$" },
    left: "pattern",
    next: /^Correct the schema|write/i,
  },
  "a description that is null": {
    schema: { type: "string", description: null },
    left: "description",
    next: /^Remove `description`/,
  },
  "a title that is a number": { schema: { title: 5 }, left: "title", next: /text in quotes/ },
  "items that are null": {
    schema: { type: "array", items: null },
    left: "items",
    next: /\{\} for any value/,
  },
  "a choice that is null": { schema: { enum: null }, left: "enum", next: /^Remove `enum`/ },
  "a dangling reference": { schema: { $ref: "#/$defs/Nowhere" }, next: /under `\$defs`|Did you mean/ },
  "a reference that is a number": { schema: { $ref: 5 }, next: /Correct/ },
  "any as a type": { schema: { type: "any" }, next: /^Remove `type`/ },
  "a type of Python": { schema: { type: "str" }, next: /^Write "string"\./ },
  "a misspelt type": { schema: { type: "strng" }, next: /^Did you mean "string"\?/ },
  "required as in draft-03": { schema: { type: "string", required: true }, next: /`required` of the object/ },
  "required as a text": { schema: { required: "a" }, next: /^Write a list: "required": \["a"\]/ },
  "members as a list": {
    schema: { type: "object", properties: [] },
    next: /^Write an object: "properties": \{\}/,
  },
  "choices as an object": { schema: { enum: {} }, next: /^Write a list/ },
  "a limit as a text": { schema: { type: "number", minimum: "1" }, next: /^Write 1, without quotes/ },
  "a limit that is exclusive as in draft-04": {
    schema: { minimum: 1, exclusiveMinimum: true },
    next: /^Write "exclusiveMinimum": 1/,
  },
  "a negative length": { schema: { minLength: -1 }, next: /Correct/ },
  "parts as an object": { schema: { allOf: {} }, next: /^Write a list: "allOf"/ },
  "no alternatives": { schema: { anyOf: [] }, next: /^Write schemas in it/ },
  "further members by a word": {
    schema: { additionalProperties: "string" },
    left: "/additionalProperties",
    next: /^Write \{ "type": "string" \}/,
  },
  "a list of items": {
    schema: { items: [{ type: "string" }] },
    left: "/items",
    next: /^Write `prefixItems`/,
  },
};

/** Ways down to a subschema: the schema around it, and its pointer in this schema. */
const ways: { readonly [name: string]: readonly [around: (inner: JsonValue) => JsonObject, at: string] } = {
  member: [(a) => ({ type: "object", properties: { a, b: { type: "number" } } }), "/properties/a"],
  items: [(a) => ({ items: a }), "/items"],
  "listed item": [(a) => ({ prefixItems: [{ type: "null" }, a] }), "/prefixItems/1"],
  "further member": [(a) => ({ properties: { b: true }, additionalProperties: a }), "/additionalProperties"],
  "member by pattern": [(a) => ({ patternProperties: { "^a": a } }), "/patternProperties/^a"],
  part: [(a) => ({ allOf: [{ required: ["b"] }, a] }), "/allOf/1"],
  alternative: [(a) => ({ anyOf: [{ type: "null" }, a] }), "/anyOf/1"],
  "one of": [(a) => ({ oneOf: [a, { type: "null" }] }), "/oneOf/0"],
  negation: [(a) => ({ not: a }), "/not"],
  test: [(a) => ({ if: a, then: { required: ["a"] }, else: { required: ["b"] } }), "/if"],
  consequence: [(a) => ({ if: { required: ["a"] }, then: a }), "/then"],
  otherwise: [(a) => ({ if: { required: ["a"] }, else: a }), "/else"],
  "dependent schema": [(a) => ({ dependentSchemas: { b: a } }), "/dependentSchemas/b"],
  "contained item": [(a) => ({ contains: a }), "/contains"],
  name: [(a) => ({ propertyNames: a }), "/propertyNames"],
  "unevaluated member": [
    (a) => ({ properties: { b: true }, unevaluatedProperties: a }),
    "/unevaluatedProperties",
  ],
  "unevaluated item": [(a) => ({ unevaluatedItems: a }), "/unevaluatedItems"],
};

/** Keywords that accept less if their subschema accepts more. */
const widened = /\/(?:not|oneOf|if|unevaluatedItems|unevaluatedProperties)(?:\/|$)/;

const way = fc.array(fc.constantFrom(...Object.keys(ways)), { maxLength: 3 });

/** The schema of arguments with a subschema at the end of a way, beside a member that has to stay as it is. */
function placed(names: readonly string[], inner: JsonValue): JsonObject {
  const deep = names.reduceRight<JsonValue>((schema, name) => ways[name]![0](schema), inner);
  return { type: "object", properties: { kept: { type: "string" }, deep } };
}

const placeOf = (names: readonly string[]): string =>
  "/properties/deep" + names.map((name) => ways[name]![1]).join("");

const verdict = (schema: JsonObject, given: JsonValue): boolean => {
  const read = readDocument(schema);
  return read.root === undefined || isValid(read, read.root, given);
};

describe("for a client, all but the smallest part stays, wherever it stands:", () => {
  test.each(Object.entries(bads))("%s", (_, { schema, left }) => {
    fc.assert(
      fc.property(way, fc.array(value, { minLength: 6, maxLength: 6 }), (names, values) => {
        const document = placed(names, schema);
        const at = placeOf(names);
        const { schema: read, document: rest, parts } = readableSchema(document, readDocument);
        expect(parts.map(({ pointer }) => pointer)).toEqual([
          left === undefined ? at : `${at}/${left.replace("/", "")}`,
        ]);
        const accepts = (given: JsonValue): boolean => isValid(read!, read!.root!, given);
        expect([accepts({ kept: 5 }), accepts([])]).toEqual([false, false]);
        const keyword = left?.replace("/", "");
        const { [keyword ?? ""]: _left, ...others } = schema;
        const instead = keyword === undefined ? true : others;
        for (const given of values.map((deep): JsonValue => ({ kept: "x", deep }))) {
          // Whatever the author meant with the bad part, each value that the corrected schema accepts must be accepted.
          for (const meant of [true, false, { type: "string" }])
            if (keyword === undefined && verdict(placed(names, meant), given))
              expect(accepts(given)).toBe(true);
          if (!widened.test(at))
            expect(accepts(given), JSON.stringify([rest, given])).toBe(
              verdict(placed(names, instead), given),
            );
        }
      }),
      { numRuns: cases(500, 40) },
    );
  });
});

const generated = async (inputSchema: JsonObject, role: "client" | "server") => {
  const contract = { name: "n", version: "1", tools: [{ name: "t", inputSchema }] };
  const document = await readContract(JSON.stringify(contract), "c.json");
  return generateContract({ document, role, importExtension: "js" });
};

describe("a client's warning and a server's error name the place:", () => {
  test.each(Object.entries(bads))("%s", async (_, { schema, left, next }) => {
    for (const names of [[], ["member"], ["items", "member"]]) {
      const at = placeOf(names);
      const { warnings } = await generated(placed(names, schema), "client");
      expect(warnings).toMatchObject([{ code: "MG6005", severity: "warning" }]);
      expect(warnings[0]!.message).toContain(left === undefined ? at : `${at}/${left.replace("/", "")}`);
      const error = await generated(placed(names, schema), "server").then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error).toMatchObject({
        code: "MG6005",
        exitCode: 3,
        next: expect.stringMatching(next) as string,
        place: { pointer: expect.stringMatching(`^/tools/0/inputSchema${at}`) as string },
      });
    }
  });
});
