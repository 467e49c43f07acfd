import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject, JsonValue } from "@mcpgen/engine";
import { noted, types } from "./printed.js";
import { compilerErrors } from "../../../support/typescript-compiler.js";
import { cases } from "../../../support/cases.mjs";

const definitions = ["Open", "Closed", "Narrow", "Union", "Scalar", "Loop"];
const fixed: JsonObject = {
  Open: { type: "object", properties: { a: { type: "string" } }, additionalProperties: {} },
  Closed: { type: "object", properties: { a: { type: "string" } } },
  Narrow: { type: "object", properties: { a: { const: "x" }, b: { type: "number" } }, required: ["a"] },
  Union: { anyOf: [{ $ref: "#/$defs/Closed" }, { $ref: "#/$defs/Scalar" }] },
  Scalar: { type: ["string", "null"] },
  Loop: { type: "object", properties: { next: { $ref: "#/$defs/Loop" }, a: { $ref: "#/$defs/Union" } } },
};

/** Schemas of members, small enough that two of them are often comparable. */
const member: fc.Arbitrary<JsonValue> = fc.letrec<{ schema: JsonValue }>((tie) => {
  const schema = tie("schema");
  const properties = fc.dictionary(fc.constantFrom("a", "b"), schema, { maxKeys: 2 });
  return {
    schema: fc.oneof(
      { maxDepth: 2, withCrossShrink: true },
      fc.constantFrom<JsonValue[]>(
        {},
        true,
        { type: "string" },
        { type: "integer" },
        { type: ["string", "number"] },
        { const: "x" },
        { enum: ["x", "y"] },
        { type: "object" },
        { type: "object", properties: {}, additionalProperties: true },
        { type: "object", additionalProperties: { type: "string" } },
        { type: "object", patternProperties: { "^a": { type: "string" } }, additionalProperties: false },
        { type: "object", additionalProperties: false },
        { type: "array" },
      ),
      fc.constantFrom(...definitions).map((name) => ({ $ref: `#/$defs/${name}` })),
      fc.record({ type: fc.constant("array"), items: schema }),
      fc.record({ anyOf: fc.array(schema, { minLength: 1, maxLength: 2 }) }),
      fc.record({ allOf: fc.array(schema, { minLength: 1, maxLength: 2 }), type: fc.constant("object") }),
      fc.record(
        {
          type: fc.constant("object"),
          properties,
          required: fc.subarray(["a", "b"]),
          additionalProperties: fc.constantFrom<JsonValue[]>({}, true, false, { type: "string" }),
        },
        { requiredKeys: ["type", "properties"] },
      ),
    ),
  };
}).schema;

test("an interface that extends another compiles, with any members", async () => {
  const pairs = fc.sample(
    fc.tuple(member, fc.oneof(member, fc.constant(undefined)), fc.boolean(), fc.boolean()),
    cases(700),
  );
  const all: JsonObject = { ...fixed };
  const notes: JsonObject[] = [];
  for (const [index, [wide, narrow = wide, needed, open]] of pairs.entries()) {
    const object = (schema: JsonValue, required: boolean): JsonObject => ({
      type: "object",
      properties: { p: schema },
      ...(required && { required: ["p"] }),
      ...(open && { additionalProperties: {} }),
    });
    all[`Base${index}`] = object(wide, needed);
    all[`Derived${index}`] = object(narrow, true);
    notes.push({ kind: "extends", target: `/$defs/Derived${index}`, base: `Base${index}` });
  }
  notes.push({ kind: "extends", target: "/$defs/Narrow", base: "Closed" });
  const text = types(await noted(all, ...notes));
  expect(await compilerErrors(new Map([["types.ts", text]]))).toEqual([]);
  // Not by never saying so.
  const extending = text.match(/^export interface Derived\d+ extends Base\d+ /gm) ?? [];
  expect(extending.length).toBeGreaterThan(pairs.length / 4);
  expect(extending.length).toBeLessThan(pairs.length);
});
