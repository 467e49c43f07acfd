import { describe, expect, test } from "vitest";
import { type JsonObject, type JsonValue, canonicalise, readSchema } from "@mcpgen/engine";
import { format } from "../../../../generator/print/format.js";
import { declarationOf, noted, types } from "./printed.js";
import { compilerErrors } from "../../../support/typescript-compiler.js";

const others: JsonObject = { A: { type: "string" }, B: { type: "object", properties: { b: {} } } };

/** The formatted output for each construct. */
const constructs: readonly (readonly [string, JsonObject | boolean, string])[] = [
  ["true", true, "type X = unknown;"],
  ["an empty schema", {}, "type X = unknown;"],
  ["false", false, "type X = never;"],
  ["a scalar", { type: "string" }, "type X = string;"],
  ["an integer", { type: "integer" }, "type X = number;"],
  ["several types", { type: ["string", "null", "integer", "number"] }, "type X = number | null | string;"],
  ["a constant", { const: "a" }, 'type X = "a";'],
  ["a constant beside its type", { type: "string", const: 'say "a"' }, `type X = 'say "a"';`],
  [
    "a constant that is a structure",
    { const: { a: [1, null], "b-c": {} } },
    'type X = { a: [1, null]; "b-c": { [key: string]: never } };',
  ],
  ["a negative number", { const: -1.5 }, "type X = -1.5;"],
  ["a huge number", { const: 1e21 }, "type X = 1e21;"],
  ["an enum", { enum: ["b", "a", 2, null, true] }, 'type X = "a" | "b" | 2 | null | true;'],
  ["an empty enum", { enum: [] }, "type X = never;"],
  ["a reference", { $ref: "#/$defs/A" }, "type X = A;"],
  ["a reference and more", { $ref: "#/$defs/B", required: ["c"] }, "type X = B & { c: unknown };"],
  ["a union", { anyOf: [{ $ref: "#/$defs/A" }, { type: "null" }, { type: "null" }] }, "type X = A | null;"],
  ["a union with anything", { anyOf: [{ $ref: "#/$defs/A" }, true] }, "type X = unknown;"],
  ["a union with nothing", { oneOf: [{ $ref: "#/$defs/A" }, false] }, "type X = A;"],
  ["an intersection", { allOf: [{ $ref: "#/$defs/A" }, { $ref: "#/$defs/B" }, {}] }, "type X = A & B;"],
  [
    "an intersection of unions",
    { allOf: [{ anyOf: [{ $ref: "#/$defs/A" }, { type: "null" }] }, { $ref: "#/$defs/B" }] },
    "type X = B & (A | null);",
  ],
  [
    "a union beside a type",
    { type: "object", anyOf: [{ required: ["a"] }, { required: ["b"] }] },
    "type X = ({ a: unknown } | { b: unknown }) & { [key: string]: unknown };",
  ],
  ["an array", { type: "array", items: { $ref: "#/$defs/A" } }, "type X = A[];"],
  [
    "an array of a union",
    { type: "array", items: { type: ["string", "null"] } },
    "type X = (null | string)[];",
  ],
  ["an array of anything", { type: "array" }, "type X = unknown[];"],
  ["an empty array", { type: "array", items: false }, "type X = [];"],
  ["items without a type", { items: { type: "string" } }, "type X = string[];"],
  [
    "a tuple",
    { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], minItems: 1 },
    "type X = [string, number?, ...unknown[]];",
  ],
  [
    "a closed tuple",
    { type: "array", prefixItems: [{ type: "string" }, { type: ["null", "number"] }], items: false },
    "type X = [string?, (null | number)?];",
  ],
  [
    "a tuple with a rest",
    { type: "array", prefixItems: [{ type: "string" }], items: { type: ["null", "number"] }, minItems: 5 },
    "type X = [string, ...(null | number)[]];",
  ],
  [
    "a tuple whose optional item is an array of what a definition describes",
    { type: "array", prefixItems: [{ type: "string" }, { type: "array", items: { $ref: "#/$defs/A" } }] },
    "type X = [] | [string] | [string, A[], ...unknown[]];",
  ],
  ["any object", { type: "object" }, "interface X { [key: string]: unknown; }"],
  ["TypeScript's object", { type: "object", properties: {}, additionalProperties: true }, "type X = object;"],
  [
    "an object with an index signature",
    { type: "object", properties: {}, additionalProperties: {} },
    "interface X { [key: string]: unknown; }",
  ],
  [
    "a map",
    { type: "object", additionalProperties: { type: "string" } },
    "interface X { [key: string]: string; }",
  ],
  [
    "a map by pattern",
    { type: "object", patternProperties: { "^a": { type: "string" } }, additionalProperties: false },
    "interface X { [key: string]: string; }",
  ],
  [
    "a map by pattern, others open",
    { type: "object", patternProperties: { "^a": { type: "string" } } },
    "interface X { [key: string]: unknown; }",
  ],
  [
    "an empty closed object",
    { type: "object", additionalProperties: false },
    "interface X { [key: string]: never; }",
  ],
  [
    "a closed object",
    { type: "object", properties: { a: true }, additionalProperties: false },
    "interface X { a?: unknown; }",
  ],
  [
    "a closed object that requires what it does not describe",
    { type: "object", required: ["a"], additionalProperties: false },
    "interface X { a: unknown; }",
  ],
  [
    "members and an index signature that takes them in",
    {
      type: "object",
      properties: { a: { type: "boolean" }, b: { type: "number" } },
      required: ["b"],
      additionalProperties: { type: "string" },
    },
    "interface X { b: number; a?: boolean; [key: string]: string | number | boolean | undefined; }",
  ],
  [
    "required members that are not described",
    { type: "object", properties: { a: {} }, required: ["b"] },
    "interface X { b: unknown; a?: unknown; }",
  ],
  ["an object without a type", { properties: { a: {} }, required: ["a"] }, "interface X { a: unknown; }"],
  [
    "odd keys",
    { type: "object", properties: { "a-b": {}, "1": {}, "": {}, __proto__x: {} }, required: ["a-b"] },
    'interface X { "a-b": unknown; ""?: unknown; "1"?: unknown; __proto__x?: unknown; }',
  ],
  [
    "keywords without a type",
    { type: "string", minLength: 1, not: { const: "b" }, if: {}, then: {} },
    "type X = string;",
  ],
];

function oneLine(code: string): string {
  return code
    .replace(/^export /, "")
    .replace(/\s+/g, "")
    .replace(/([=([])\|/g, "$1")
    .replaceAll(";}", "}");
}

describe("is printed", () => {
  test.each(constructs)("%s", async (_, definition, expected) => {
    const formatted = await format("a.ts", declarationOf(definition, others));
    expect(oneLine(formatted.trim())).toBe(oneLine((await format("a.ts", expected)).trim()));
  });

  test("and all output compiles", async () => {
    const files = constructs.map(([, definition], index) => {
      const schema = readSchema(canonicalise({ $defs: { ...others, X: definition } }));
      return [`${index}.ts`, types(schema)] as const;
    });
    expect(await compilerErrors(new Map(files))).toEqual([]);
  });
});

test("members are ordered: constants, required, optional, _meta; natural order within each", () => {
  const properties: { [name: string]: JsonValue } = {};
  for (const name of ["_meta", "z10", "z9", "y", "type", "kind", "a", "b"])
    properties[name] = { type: "string" };
  properties["type"] = { const: "t" };
  properties["kind"] = { const: "k" };
  const text = declarationOf({
    type: "object",
    properties,
    required: ["z9", "z10", "type", "kind", "_meta"],
  });
  expect([...text.matchAll(/^ {2}(\w+)/gm)].map(([, name]) => name)).toEqual([
    "kind",
    "type",
    "z9",
    "z10",
    "a",
    "b",
    "y",
    "_meta",
  ]);
});

test("documentation is printed at every level, with deprecations", async () => {
  const schema = await noted(
    {
      X: {
        type: "object",
        description: "Outer.",
        properties: {
          p: {
            type: "object",
            description: "Middle.",
            properties: { q: { deprecated: true, description: "Inner." } },
          },
        },
      },
      Y: { type: "string" },
    },
    { kind: "deprecated", target: "/$defs/Y", since: "2099-01-01", instead: "Use X." },
    { kind: "deprecated", target: "/$defs/X/properties/p", since: "2099-01-01" },
  );
  expect(await format("a.ts", types(schema))).toContain(`/** Outer. */
export interface X {
  /**
   * Middle.
   *
   * @deprecated Since 2099-01-01.
   */
  p?: {
    /**
     * Inner.
     *
     * @deprecated
     */
    q?: unknown;
  };
}

/** @deprecated Since 2099-01-01. Use X. */
export type Y = string;
`);
});

describe("extends", () => {
  const base = {
    type: "object",
    properties: { a: { type: "string" }, _meta: { type: "object" } },
    additionalProperties: {},
  };
  const own = (more: JsonObject): JsonObject => ({
    type: "object",
    properties: { ...base.properties, ...more },
  });
  const note = { kind: "extends", target: "/$defs/X", base: "Base" };

  test("prints only own members and members that differ from the base", async () => {
    const schema = await noted(
      { Base: base, X: { ...own({ b: {}, a: { const: "x" } }), required: ["a"] } },
      note,
    );
    expect(types(schema)).toContain('export interface X extends Base {\n  a: "x";\n  b?: unknown;\n}');
  });

  test("prints no body without further members", async () => {
    expect(types(await noted({ Base: base, X: own({}) }, note))).toContain(
      "export interface X extends Base {}",
    );
  });

  test("is left out if a member does not fit; the index signature stays", async () => {
    const text = types(await noted({ Base: base, X: own({ a: { type: "number" } }) }, note));
    expect(text).toContain(
      "export interface X {\n  a?: number;\n  _meta?: { [key: string]: unknown };\n  [key: string]: unknown;\n}",
    );
  });

  test("repeats the members in which several bases differ", async () => {
    const other = { type: "object", properties: { a: { enum: ["x", "y"] } } };
    const schema = await noted(
      { Base: base, Other: other, X: own({ a: { enum: ["x", "y"] } }), Y: own({ a: { const: "x" } }) },
      { kind: "extends", target: ["/$defs/X", "/$defs/Y"], base: "Other" },
      { ...note, target: ["/$defs/X", "/$defs/Y"] },
    );
    expect(types(schema)).toMatch(/interface X extends Base, Other \{\s+a\?: "x" \| "y";/);
    expect(await compilerErrors(new Map([["types.ts", types(schema)]]))).toEqual([]);
  });

  test("terminates if members of bases and derived definitions refer to each other", async () => {
    const node = (next: string): JsonObject => ({
      type: "object",
      properties: { next: { $ref: `#/$defs/${next}` } },
    });
    const schema = await noted({ Base: node("Last"), Last: node("Base"), X: node("Y"), Y: node("X") }, note, {
      kind: "extends",
      target: "/$defs/Y",
      base: "Last",
    });
    expect(await compilerErrors(new Map([["types.ts", types(schema)]]))).toEqual([]);
  });

  test("terminates if unions share arms many times", async () => {
    const definitions: JsonObject = { Base: { type: "object", properties: { p: { type: "string" } } } };
    const depth = 60;
    for (let i = 0; i < depth; i++) {
      definitions[`U${i}`] = {
        anyOf: [{ $ref: `#/$defs/U${i + 1}` }, { oneOf: [{ $ref: `#/$defs/U${i + 1}` }] }],
      };
    }
    definitions[`U${depth}`] = { type: "string" };
    definitions["X"] = { type: "object", properties: { p: { $ref: "#/$defs/U0" } } };
    const text = types(await noted(definitions, note));
    expect(await compilerErrors(new Map([["types.ts", text]]))).toEqual([]);
  });
});
