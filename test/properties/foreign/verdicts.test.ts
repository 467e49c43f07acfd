import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { type JsonObject, type JsonValue, type Schema, SchemaError, readDocument } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { cases } from "../../support/cases.mjs";
import { combined, nameIn } from "../../support/combined-schemas.js";
import { isComparedByAjv, isReadByAjv, leftOutForAjv, withItems } from "../../support/ajv-verdicts.js";
import { compile } from "../../support/compiled-schema.js";
import { instancesOf } from "../../support/instances.js";
import { randomTool } from "./output.js";

// Emitted validators and checks of random schemas give the verdicts of ajv and of the interpreter.

const count = cases(1000, 4);
const instancesOfEach = 40;
const batch = 50;
const batches = Array.from({ length: Math.ceil(count / batch) }, (_, index) => index * batch);

/** Leaves out keywords that ajv interprets differently than the specification (`ajv-verdicts.ts`). */
function forAjv(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(forAjv);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.fromEntries(Object.entries(value).filter(([key]) => !leftOutForAjv.has(key)));
  const inner = Object.fromEntries(Object.entries(kept).map(([key, child]) => [key, forAjv(child)]));
  if (isReadByAjv(inner)) return inner;
  const { contains: _, minContains: __, maxContains: ___, ...rest } = inner;
  return rest;
}

/** In draft-07, a reference replaces the whole schema, which ajv does not implement. */
function withReferencesAlone(value: JsonValue, isSchema = true): JsonValue {
  if (Array.isArray(value)) return value.map((item) => withReferencesAlone(item));
  if (typeof value !== "object" || value === null) return value;
  const alone = isSchema && typeof value["$ref"] === "string";
  const keys = Object.keys(value).filter((key) => !alone || ["$ref", "definitions"].includes(key));
  return Object.fromEntries(
    keys.map((key) => {
      if (["const", "enum", "default", "examples"].includes(key) && isSchema) return [key, value[key]!];
      const holds =
        ["properties", "patternProperties", "definitions", "dependencies"].includes(key) && isSchema;
      return [key, withReferencesAlone(value[key]!, !holds)];
    }),
  );
}

function ajvOf(document: JsonObject): (value: unknown) => boolean {
  const options = {
    strict: false,
    validateFormats: false,
    ownProperties: true,
    validateSchema: false,
  } as const;
  if (Object.hasOwn(document, "definitions"))
    return new Ajv(options).compile(withItems(withReferencesAlone(document)) as JsonObject);
  return new Ajv2020({ ...options, meta: false }).compile(withItems(document) as JsonObject);
}

interface Subject {
  readonly document: JsonObject;
  readonly schema: Schema;
  readonly byAjv: ((value: unknown) => boolean) | undefined;
}

function subjectsFrom(index: number): Subject[] {
  const { inputSchema, outputSchema } = randomTool(index);
  const plain = forAjv(inputSchema) as JsonObject;
  return [
    { document: outputSchema!, byAjv: () => undefined },
    { document: plain, byAjv: () => (isReadByAjv(plain) ? ajvOf(plain) : undefined) },
  ].flatMap(({ document, byAjv }) => {
    try {
      return [{ document, schema: readDocument(document), byAjv: byAjv() }];
    } catch (error) {
      if (error instanceof SchemaError) return [];
      throw error;
    }
  });
}

const inherited = ["constructor", "toString", "valueOf", "hasOwnProperty", "__proto__"];
const comparisons = inherited.flatMap((name) => {
  const [empty, list] = [`{"${name}":{}}`, `{"${name}":[null,""]}`];
  return [
    { schema: `{"const":${empty}}`, equal: empty, unequal: list },
    { schema: `{"const":{}}`, equal: "{}", unequal: empty },
    { schema: `{"enum":[1,${list}]}`, equal: list, unequal: empty },
    { schema: `{"not":{"uniqueItems":true}}`, equal: `[${list},${list}]`, unequal: `[${list},${empty},{}]` },
  ];
});

test("objects are equal by their members, whatever an object inherits under a member's name", async () => {
  const schemas = comparisons.map(({ schema }) => readDocument(JSON.parse(schema) as JsonObject));
  const whole = combined(new Map(schemas.map((schema, index) => [index, schema])));
  const compiled = await compile(whole);
  for (const [index, { schema, equal, unequal }] of comparisons.entries()) {
    const name = nameIn(index, "#root");
    for (const text of [equal, unequal]) {
      const value = JSON.parse(text) as JsonValue;
      const interpreted = isValid(whole, whole.definitions.get(name)!.node, value);
      const verdicts = [
        interpreted,
        compiled.get(name)!.is(value),
        compiled.get(name)!.explain(value).length === 0,
      ];
      expect(verdicts, `${schema} of ${text}`).toEqual([text === equal, text === equal, text === equal]);
    }
  }
});

test("for an empty array, ajv's contains repeats its verdict on the previous array", () => {
  const document = { additionalProperties: { contains: { type: "object" } } };
  const value = { a: [{}], b: [] };
  expect(new Ajv2020().compile(document)(value), "ajv is mended: `withItems` can go").toBe(true);
  expect(ajvOf(document)(value)).toBe(false);
  const named = { properties: { contains: { type: "string" } }, const: { contains: "" } };
  expect(withItems(named)).toEqual(named);
});

test("ajv's verdicts are left out for names of members that break its comparison of objects", () => {
  const document = { enum: [{ constructor: [null, ""] }] };
  const value = JSON.parse('{ "constructor": [null, ""] }') as JsonValue;
  expect(ajvOf(document)(value), "ajv is mended: `isComparedByAjv` can go").toBe(false);
  expect(verdictOf({ document, schema: readDocument(document), byAjv: ajvOf(document) }, value)).toBe(
    undefined,
  );
  const called = { const: { toString: 1 } };
  expect(() => ajvOf(called)(JSON.parse('{ "toString": 1 }') as JsonValue)).toThrow(TypeError);
  expect(isComparedByAjv(called, { toString: 1 })).toBe(false);
  expect(isComparedByAjv(document, { name: "text" })).toBe(true);
  expect(isComparedByAjv({ properties: { constructor: { type: "array" } } }, value)).toBe(true);
});

test.each(batches)("of schemas from number %i on", { timeout: 900_000 }, async (from) => {
  const length = Math.min(batch, count - from);
  const subjects = Array.from({ length }, (_, index) => subjectsFrom(from + index)).flat();
  const whole = combined(new Map(subjects.map(({ schema }, index) => [index, schema])));
  const compiled = await compile(whole);
  const disagreements: string[] = [];
  let valid = 0;
  let judged = 0;
  let byAjv = 0;
  for (const [index, subject] of subjects.entries()) {
    const name = nameIn(index, "#root");
    const { is, explain } = compiled.get(name)!;
    const { node } = whole.definitions.get(name)!;
    for (const value of instancesOf(whole, name, instancesOfEach)) {
      const expected = isValid(whole, node, value);
      judged++;
      if (expected) valid++;
      const verdicts = { is: is(value), explain: explain(value).length === 0 };
      const answer = verdictOf(subject, value);
      const ajv = answer ?? expected;
      if (answer !== undefined) byAjv++;
      if (verdicts.is === expected && verdicts.explain === expected && ajv === expected) continue;
      const disagreement = JSON.stringify({
        interpreter: expected,
        ajv,
        ...verdicts,
        value,
        schema: subject.document,
      });
      disagreements.push(disagreement);
    }
  }
  expect(disagreements.slice(0, 3)).toEqual([]);
  expect([byAjv > 0, valid > 0, valid < judged]).toEqual([true, true, true]);
  // The few schemas of the gate may be of any kind.
  if (length < batch) return;
  const tooFew =
    "ajv judged too few values: add a keyword that it does not know to `leftOutForAjv`, or draw it inside an entry of random-schema.ts";
  expect(byAjv / judged, tooFew).toBeGreaterThan(0.3);
  expect(valid / judged).toBeGreaterThan(0.1);
  expect(valid / judged).toBeLessThan(0.9);
});

/**
 * ajv's verdict; `undefined` if ajv compares differently than the specification (`ajv-verdicts.ts`), or throws, as its
 * comparison does for objects with a member `valueOf`.
 */
function verdictOf({ document, byAjv }: Subject, value: JsonValue): boolean | undefined {
  if (!isComparedByAjv(document, value)) return undefined;
  try {
    return byAjv?.(value);
  } catch {
    return undefined;
  }
}
