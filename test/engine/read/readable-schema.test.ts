import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type JsonObject, type JsonValue, readDocument, readableSchema } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { cases } from "../../support/cases.mjs";
import { definitions, value } from "../../support/arbitrary-schema.js";

const text = { type: "string" };

/** Schemas with one mistake, the parts that are left out, and values that show whether the rest is still checked. */
const rows: readonly {
  readonly name: string;
  readonly schema: JsonObject;
  readonly left: readonly string[];
  readonly good: readonly JsonValue[];
  readonly wrong: readonly JsonValue[];
}[] = [
  {
    name: "a pattern that only the flag u refuses",
    schema: { properties: { id: { type: "string", pattern: "^[\\w-.]+$" }, n: { type: "number" } } },
    left: ["keyword /properties/id/pattern"],
    good: [{ id: "a b", n: 1 }],
    wrong: [{ id: 1 }, { n: "1" }],
  },
  {
    name: "a pattern that could take long",
    schema: { properties: { id: { type: "string", pattern: "^(a+)+\\1(?=b)$" } }, required: ["id"] },
    left: ["keyword /properties/id/pattern"],
    good: [{ id: "x" }],
    wrong: [{}, { id: 1 }],
  },
  {
    name: "keywords that are null",
    schema: {
      ...{ $defs: null, required: ["city"] },
      properties: { city: { type: "string", description: null }, days: { type: "integer", enum: null } },
    },
    left: ["keyword /$defs", "keyword /properties/city/description", "keyword /properties/days/enum"],
    good: [{ city: "Bern", days: 2 }],
    wrong: [{}, { city: 5 }, { city: "Bern", days: "2" }],
  },
  {
    name: "one of several",
    schema: { oneOf: [{ type: "string" }, { minLength: "3" }] },
    left: ["schema /oneOf/1"],
    good: [{}, { a: 1 }],
    wrong: ["x", 5],
  },
  {
    name: "what must not be",
    schema: { type: "object", not: { minProperties: "1" } },
    left: ["schema /not"],
    good: [{}, { a: 1 }],
    wrong: ["x"],
  },
  {
    name: "a reference that leads nowhere",
    schema: { properties: { a: { $ref: "#/$defs/A" }, b: text } },
    left: ["schema /properties/a"],
    good: [{ a: 1 }, { a: "x", b: "y" }],
    wrong: [{ b: 1 }],
  },
  {
    name: "a malformed keyword of a member, and of the whole",
    schema: { properties: { a: { type: "string", minLength: "3" }, b: text }, required: "b" },
    left: ["schema /properties/a", "keyword /required"],
    good: [{ a: 1 }, {}],
    wrong: [{ b: 1 }],
  },
  {
    name: "members that are no schemas",
    schema: { properties: { a: null, b: 5, c: { type: "array", items: "x" }, d: text } },
    left: ["schema /properties/a", "schema /properties/b", "schema /properties/c/items"],
    good: [{ a: 1, b: 2, c: [1] }],
    wrong: [{ c: 1 }, { d: 1 }],
  },
  {
    name: "a definition that is no schema",
    schema: {
      properties: { a: { $ref: "#/$defs/A" }, b: { $ref: "#/$defs/B" } },
      $defs: { A: null, B: text },
    },
    left: ["schema /$defs/A"],
    good: [{ a: 1, b: "x" }],
    wrong: [{ b: 1 }],
  },
  {
    name: "a pattern of members, beside which nothing else may be",
    schema: {
      properties: { b: text },
      patternProperties: { "^[\\w-.]+$": text },
      additionalProperties: false,
    },
    left: ["keyword /patternProperties/^[\\w-.]+$"],
    good: [{ a: 1 }],
    wrong: [{ b: 1 }],
  },
  {
    name: "a pattern under not",
    schema: { properties: { a: { type: "string", not: { pattern: "^[\\w-.]+$" } } } },
    left: ["keyword /properties/a/not/pattern"],
    good: [{ a: "x" }],
    wrong: [{ a: 1 }],
  },
  {
    name: "a pattern of one of several",
    schema: {
      properties: {
        a: {
          oneOf: [
            { type: "string", pattern: "[\\w-.]" },
            { type: "string", maxLength: 1 },
          ],
        },
      },
    },
    left: ["keyword /properties/a/oneOf/0/pattern"],
    good: [{ a: "x" }, { a: "." }],
    wrong: [{ a: 1 }],
  },
  {
    name: "a pattern in a test",
    schema: {
      if: { properties: { a: { pattern: "[\\w-.]" } } },
      then: { required: ["b"] },
      else: { required: ["c"] },
      properties: { a: text },
    },
    left: ["keyword /if/properties/a/pattern"],
    good: [
      { a: "x", b: 1 },
      { a: "x", c: 1 },
    ],
    wrong: [{ a: "x" }, { a: 1, b: 1 }],
  },
  {
    name: "a definition that refers to itself and says nothing",
    schema: { properties: { a: { $ref: "#/$defs/A" }, b: text }, $defs: { A: { $ref: "#/$defs/A" } } },
    left: ["schema /$defs/A"],
    good: [{ a: 1 }],
    wrong: [{ b: 1 }],
  },
];

describe("a schema is read without", () => {
  test.each(rows)("$name", ({ schema, left, good, wrong }) => {
    const { schema: read, parts } = readableSchema({ type: "object", ...schema }, readDocument);
    expect(parts.map(({ left: kind, pointer }) => `${kind} ${pointer}`).sort()).toEqual([...left].sort());
    const verdicts = [...good, ...wrong].map((each) => isValid(read!, read!.root!, each));
    expect(verdicts).toEqual([...good.map(() => true), ...wrong.map(() => false)]);
  });
});

test("a schema of another dialect is not read", () => {
  const schema = { $schema: "http://json-schema.org/draft-03/schema#", properties: { a: text } };
  const { schema: read, parts } = readableSchema(schema, readDocument);
  expect(read).toBeUndefined();
  expect(parts).toMatchObject([{ left: "schema", pointer: "" }]);
});

test("faults of schemas that were moved have the places that were written", () => {
  const [first, second] = [{ type: "int" }, { maxLength: "3" }];
  const { parts } = readableSchema(
    { properties: { a: { oneOf: [first, second] }, b: { if: first, then: second, else: first } } },
    readDocument,
  );
  expect(parts.map(({ error }) => error.pointer).sort()).toEqual([
    "/properties/a/oneOf/0/type",
    "/properties/a/oneOf/1/maxLength",
    "/properties/b/else/type",
    "/properties/b/if/type",
    "/properties/b/then/maxLength",
  ]);
});

/** Replaced patterns: `never` can be read and matches nothing; `bad` takes its place and cannot be read. */
const never = "^\\b$";
const bad = "[\\w-.]";

test("the readable part of a random schema accepts every value that the schema accepts", () => {
  fc.assert(
    fc.property(definitions, fc.array(value, { minLength: 8, maxLength: 8 }), (drawn, values) => {
      // The schema is drawn with a pattern that can be read; its place is then taken by one that cannot.
      const written = JSON.stringify({ $defs: drawn, $ref: "#/$defs/A" });
      const intact = JSON.parse(
        written.replaceAll('"pattern":"^a"', `"pattern":${JSON.stringify(never)}`),
      ) as JsonObject;
      const broken = JSON.parse(
        written.replaceAll('"pattern":"^a"', `"pattern":${JSON.stringify(bad)}`),
      ) as JsonObject;
      const whole = readableSchema(intact, readDocument);
      if (!whole.schema || whole.parts.length > 0) return;
      const { schema: read } = readableSchema(broken, readDocument);
      for (const each of values)
        if (read?.root && isValid(whole.schema, whole.schema.root!, each))
          expect(isValid(read, read.root, each)).toBe(true);
    }),
    { numRuns: cases(2_000) },
  );
});
