import { describe, expect, test } from "vitest";
import { isThorough } from "../../../support/cases.mjs";
import { compilerErrors } from "../../../support/typescript-compiler.js";
import { type JsonValue, type Schema, readSchema } from "@mcpgen/engine";
import { format } from "../../../../generator/print/format.js";
import { capitalised, nameDefinitions } from "../../../../generator/print/text.js";
import { documentOf, revisions, schemaFrom, schemaOf } from "../../../support/revisions.js";
import { emittedFiles } from "../../../support/emitted-explanations.js";

/** Every keyword, in forms that are long and odd enough to meet each rule of the layout. */
const odd = schemaFrom({
  "naïve name": { $ref: "#/$defs/Error", description: "a reference alone" },
  Error: {
    type: "object",
    properties: { ["__proto__"]: { type: "string" }, "a b": true, "0": {}, 'quo"te': { const: 'say "hi"' } },
  },
  Issue: { type: "array", items: { type: ["string", "null"] }, uniqueItems: true, minItems: 1 },
  ["Long" + "Name".repeat(9)]: {
    anyOf: [{ $ref: "#/$defs/Error" }, { $ref: "#/$defs/Tuple" }, { const: { deep: [1, [2, 3]] } }],
  },
  Numbers: { enum: Array.from({ length: 40 }, (_, index) => index * 1.5e20) },
  Tuple: {
    type: "array",
    prefixItems: [
      { type: "string", minLength: 1 },
      { type: "number", maximum: 1e300 },
    ],
    items: false,
  },
  // Names that every object has already.
  Inherited: {
    anyOf: [
      {
        type: "object",
        required: ["k"],
        properties: { k: { const: "constructor" }, toString: { type: "array", items: { type: "string" } } },
      },
      {
        type: "object",
        required: ["k"],
        properties: { k: { const: "valueOf" }, constructor: { type: ["string", "null"] } },
      },
    ],
  },
  Never: false,
  Always: true,
  Conditions: {
    if: { required: ["a"] },
    then: { required: ["b"] },
    else: { not: { required: ["b"] } },
    minProperties: 0,
  },
  Maps: {
    type: "object",
    patternProperties: { "^x-": { type: "string", pattern: "^[a-z\\\\]+$" } },
    additionalProperties: { $ref: "#/$defs/Maps" },
    propertyNames: { maxLength: 10 },
    dependentRequired: { a: ["b", "c"] },
    dependentSchemas: { a: { maxProperties: 4 } },
  },
});

/** Formatting and compiling take long: by default, of the newest revision alone. */

const schemas: readonly (readonly [string, Schema])[] = [
  ...(isThorough ? revisions : revisions.slice(-1)).map(
    (revision) => [revision, schemaOf(revision)] as const,
  ),
  ["odd definitions", odd],
];

describe.each(schemas)("%s", (_, schema) => {
  const files = emittedFiles(schema);

  test("prettier leaves files that are marked as formatted unchanged", async () => {
    for (const [path, { content, formatted }] of files) {
      // The files that revisions share are the same for all of them.
      if (formatted && (schema === odd || path.startsWith("revision/")))
        expect(await format(path, content), path).toBe(content);
    }
  });

  test("compiles under strict settings, with only the validators that it names", async () => {
    const validators = [...nameDefinitions(schema).values()].map(
      (name) => `export function is${capitalised(name)}(_value: unknown): boolean { return true; }`,
    );
    const sources = new Map([...files].map(([path, { content }]) => [path, content]));
    expect(await compilerErrors(sources.set("revision/validators.ts", validators.join("\n")))).toEqual([]);
  });
});

test("for most of the protocol's revisions, the file is laid out without prettier", () => {
  const settled = revisions.filter(
    (revision) => emittedFiles(schemaOf(revision)).get("revision/explain.ts")!.formatted,
  );
  expect(settled.length).toBeGreaterThan(revisions.length / 2);
});

test("the same schema gives the same text", () => {
  expect(emittedFiles(schemaOf("2026-07-28"))).toEqual(emittedFiles(schemaOf("2026-07-28")));
});

test("an added definition adds a row and a constant, and changes no other line", () => {
  const document = documentOf("2025-11-25");
  const definitions = document["$defs"] as { [name: string]: JsonValue };
  const extra = { type: "object", properties: { content: { $ref: "#/$defs/ContentBlock" } } };
  const more = readSchema({ ...document, $defs: { ...definitions, GreetingResult: extra } });
  const before = emittedFiles(schemaOf("2025-11-25")).get("revision/explain.ts")!.content;
  const after = emittedFiles(more).get("revision/explain.ts")!.content;
  const row = /^ {2}\["GreetingResult", .*\],\n/m;
  const declared = /^export const explainGreetingResult = .*;\n/m;
  expect(after).toMatch(row);
  expect(after).toMatch(declared);
  expect(after.replace(row, "").replace(declared, "")).toBe(before);
});
