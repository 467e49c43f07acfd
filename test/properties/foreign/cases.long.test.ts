import { expect, test } from "vitest";
import type { JsonObject } from "@mcpgen/engine";
import { compilerErrors } from "../../support/typescript-compiler.js";
import { contractOutput, protocolOutput } from "./output.js";

// Schemas that once made output that did not compile, or ended the run.

const schemas: { readonly [what: string]: JsonObject } = {
  "what is no number": { not: { type: "number", minimum: 1 } },
  "a limit where a type is one of several": {
    type: ["integer", "string"],
    allOf: [{ exclusiveMinimum: -1 }, { type: "integer", maximum: 2 }],
  },
  "an array that is not what accepts everything": {
    ...{ if: { $ref: "#/$defs/Any" }, then: { type: "string" }, else: { type: "array", maxItems: 3 } },
    $defs: { Any: { maxProperties: 0 } },
  },
  "constants that exclude each other": { allOf: [{ const: "a" }, { const: "b" }, { enum: ["c", 1] }] },
  "a choice by a constant that the branch denies": {
    if: { const: 1 },
    then: { const: 2 },
    else: { const: 1 },
  },
  "a choice by a truth value": { if: true, then: { type: "string" }, else: false },
  "a constant that a list has not": { const: 1, enum: [2, { constructor: {} }] },
  "lists of unlike values": { enum: [1, "a", null, [1, "a", { constructor: { toString: [] } }]] },
  "members that objects inherit": {
    properties: { constructor: false, toString: true, valueOf: { type: "string" } },
    dependentSchemas: { constructor: false },
  },
  "boolean arms": { anyOf: [false, true, { type: "string" }], oneOf: [false, { type: "null" }] },
  "nothing that is read of what is left": { anyOf: [{ contains: true }, true], unevaluatedItems: false },
  "what is left of a definition that holds the keyword": {
    properties: { inner: { $ref: "#/$defs/Tree", unevaluatedProperties: false } },
    $defs: {
      Tree: { anyOf: [{ properties: { inner: { $ref: "#/$defs/Tree", unevaluatedProperties: false } } }] },
    },
  },
  "what no value is, and speaks of itself": {
    $ref: "#/$defs/Nothing",
    $defs: {
      Nothing: {
        const: "one",
        type: "array",
        prefixItems: [{ type: "array", items: { $ref: "#/$defs/Nothing" } }],
      },
    },
  },
  "more members than TypeScript follows in one function": {
    type: "object",
    properties: Object.fromEntries(
      Array.from({ length: 1200 }, (_, index) => [`member${index}`, { enum: ["a", "b", index] }]),
    ),
    required: ["member1", "member900", "other"],
    additionalProperties: false,
  },
  "more definitions in a chain than TypeScript compares": {
    $ref: "#/$defs/D99",
    $defs: Object.fromEntries([
      [
        "D0",
        {
          anyOf: [{ required: ["a"] }, { properties: { b: { enum: ["x", "y"] } } }],
          properties: { a: true },
        },
      ],
      ...Array.from({ length: 99 }, (_, index) => [
        `D${index + 1}`,
        { type: "object", properties: { a: { type: "string" }, b: { $ref: `#/$defs/D${index}` } } },
      ]),
    ]) as JsonObject,
  },
  "alternatives that multiply": {
    allOf: Array.from({ length: 9 }, (_, part) => ({
      anyOf: Array.from({ length: 4 }, (_, arm) => ({
        type: "object",
        properties: { [`a${part}`]: { type: "string" }, [`b${arm}`]: { const: part } },
      })),
    })),
  },
};

/** Schemas as roots of a result. They are separate because types of roots have names. */
const results: { readonly [what: string]: JsonObject } = {
  "an empty definition": { $ref: "#/$defs/A", $defs: { A: {} } },
  "a truth value with members": { type: "boolean", properties: { a: { type: "string" } }, required: ["a"] },
  "a constant with members": { const: 1, type: "object", properties: { a: { enum: ["x"] } } },
  "a reference beside members": {
    $ref: "#/$defs/A",
    anyOf: [{ type: "object", properties: { a: { const: 1 } } }],
    $defs: { A: { type: "number" } },
  },
  "a text that is any": {},
};

const all = [...Object.values(schemas), ...Object.values(results)];
const files = new Map<string, string>();

test("tools of such schemas are generated", async () => {
  const tools = all.map((schema, index) => ({
    name: `tool_${index}`,
    inputSchema: { type: "object", properties: { value: { ...schema, $id: "https://example.com/a" } } },
    outputSchema: schema,
  }));
  const outcome = await contractOutput("tools", tools);
  expect([outcome.crash, outcome.refusal]).toEqual([undefined, undefined]);
  for (const [path, text] of outcome.files) files.set(path, text);
});

test("protocols of such schemas are generated", async () => {
  for (const [index, { $defs = {}, ...schema }] of all.entries()) {
    const definitions = {
      ...($defs as JsonObject),
      Value: schema,
      Other: { items: { $ref: "#/$defs/Value" } },
    };
    const outcome = await protocolOutput(`R${index}`, { $defs: definitions });
    expect([outcome.crash, outcome.refusal]).toEqual([undefined, undefined]);
    for (const [path, text] of outcome.files) files.set(path, text);
  }
});

test("and all output compiles", async () => {
  expect(await compilerErrors(files, ["node"])).toEqual([]);
});

test("output that does not compile is reported, with its place", async () => {
  const wrong = new Map([["wrong.ts", "export const text: string = 1;\n"]]);
  expect(await compilerErrors(wrong)).toEqual([expect.stringMatching(/wrong\.ts\(1,14\): error TS2322/)]);
});
