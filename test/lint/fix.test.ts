import { describe, expect, test } from "vitest";
import type { JsonObject } from "@mcpgen/engine";
import type { Contract } from "../../generator/contract/contract.js";
import { contractText, readContract } from "../../generator/contract/read-contract.js";
import { lintContract, lintRules } from "../../generator/lint/lint-contract.js";
import { mendContract } from "../../generator/lint/mend.js";
import { type Profile, profiles } from "../../generator/lint/rule.js";

const text = { type: "string" };
const dialect = (name: string): string => `https://json-schema.org/draft/${name}/schema`;
const draft07 = "http://json-schema.org/draft-07/schema#";

interface Schemas {
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
}

const contractOf = (schemas: Schemas): Contract => ({
  name: "n",
  version: "1",
  tools: [{ name: "t", description: "Does it.", ...schemas }],
});

async function mended(
  contract: Contract,
  rule: string,
  chosen: readonly Profile[] = profiles,
): Promise<{ readonly after: Contract; readonly left: number; readonly rules: readonly string[] }> {
  const document = await readContract(await contractText(contract, "c.yaml"), "c.yaml");
  const result = await mendContract(document, chosen);
  const after = result.document.contract;
  const left = lintContract(after, chosen).filter((problem) => problem.rule.id === rule).length;
  return { after, left, rules: result.mended.map((problem) => problem.rule.id) };
}

/** An object schema with one argument. The object itself has no finding that can be fixed. */
const argument = (schema: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties: { value: schema },
  ...more,
});

/** Rules that a case below fixes. */
const fixedRules = new Set<string>();

describe("fixed, at every depth", () => {
  /** Surroundings of a schema that do not change it. */
  const holders: readonly [string, (schema: JsonObject) => JsonObject][] = [
    ["an argument", (schema) => argument(schema)],
    ["items", (schema) => argument({ type: "array", items: schema })],
    ["additional properties", (schema) => argument({ type: "object", additionalProperties: schema })],
    ["a definition", (schema) => argument({ $ref: "#/$defs/A" }, { $defs: { A: schema } })],
    ["an arm", (schema) => argument({ anyOf: [{ type: "null" }, schema] })],
    [
      "an object in a list",
      (schema) => argument({ type: "array", items: { type: "object", properties: { a: schema } } }),
    ],
  ];
  const rows: readonly [rule: string, before: JsonObject, after: JsonObject][] = [
    ["array-without-items", { type: "array" }, { type: "array", items: {} }],
    ["array-without-items", { type: "array", items: true }, { type: "array", items: {} }],
    ["boolean-bound", { type: "integer", exclusiveMinimum: false }, { type: "integer" }],
    [
      "boolean-bound",
      { type: "integer", minimum: 0, exclusiveMinimum: true },
      { type: "integer", exclusiveMinimum: 0 },
    ],
    [
      "boolean-bound",
      { type: "number", maximum: 9, exclusiveMaximum: true },
      { type: "number", exclusiveMaximum: 9 },
    ],
    [
      "tuple-items",
      { type: "array", items: [text], additionalItems: false },
      { type: "array", prefixItems: [text], items: false },
    ],
    ["gemini-members-of-another-type", { ...text, properties: { id: text }, required: ["id"] }, text],
    ["gemini-members-of-another-type", { type: "integer", items: text }, { type: "integer" }],
    ["gemini-type-list", { type: ["string"] }, text],
    ["gemini-unknown-keyword", { ...text, const: "a" }, { ...text, enum: ["a"] }],
    ["gemini-enum-without-type", { enum: ["a", "b"] }, { enum: ["a", "b"], ...text }],
    ["gemini-unknown-keyword", { const: "a" }, { enum: ["a"], ...text }],
    [
      "strict-unknown-keyword",
      { type: "array", items: text, uniqueItems: false },
      { type: "array", items: text },
    ],
    [
      "repeated-name",
      { type: "object", properties: { a: text }, required: ["a", "a"] },
      { type: "object", properties: { a: text }, required: ["a"] },
    ],
    [
      "pattern-of-another-language",
      { ...text, pattern: "^[\\w-.]+\\@x$" },
      { ...text, pattern: "^[\\w\\-.]+@x$" },
    ],
  ];
  for (const [rule] of rows) fixedRules.add(rule);
  const cases = rows.flatMap(([rule, before, after]) =>
    holders.map(([where, hold]) => ({ rule, where, before, after, hold })),
  );
  test.each(cases)("$rule in $where: $before", async ({ rule, before, after, hold }) => {
    const found = lintContract(contractOf({ inputSchema: hold(before) }), profiles);
    expect(found.map((problem) => problem.rule.id)).toContain(rule);
    const result = await mended(contractOf({ inputSchema: hold(before) }), rule);
    expect(result.after.tools![0]!.inputSchema).toEqual(hold(after));
    expect(result.rules).toContain(rule);
  });
});

describe("fixed", () => {
  const defs = { A: { $ref: "#/$defs/B" }, B: text, C: { type: "array", items: { $ref: "#/$defs/C" } } };
  const rows: [string, Schemas, Schemas][] = [
    [
      "root-without-properties",
      { inputSchema: { type: "object" } },
      { inputSchema: { type: "object", properties: {} } },
    ],
    [
      "unused-definition",
      { inputSchema: argument({ $ref: "#/$defs/A" }, { $defs: defs }) },
      { inputSchema: argument({ $ref: "#/$defs/A" }, { $defs: { A: defs.A, B: defs.B } }) },
    ],
    ["unused-definition", { inputSchema: argument(text, { $defs: defs }) }, { inputSchema: argument(text) }],
    [
      "default-dialect",
      { inputSchema: argument(text, { $schema: dialect("2020-12") }) },
      { inputSchema: argument(text) },
    ],
    [
      "default-does-not-fit",
      { inputSchema: argument({ ...text, default: null }) },
      { inputSchema: argument(text) },
    ],
    [
      "result-dialect",
      { inputSchema: argument(text), outputSchema: argument(text, { $schema: draft07 }) },
      { inputSchema: argument(text), outputSchema: argument(text) },
    ],
    [
      "result-dialect",
      {
        inputSchema: argument(text),
        outputSchema: argument({ type: "array", items: [text] }, { $schema: draft07 }),
      },
      { inputSchema: argument(text), outputSchema: argument({ type: "array", prefixItems: [text] }) },
    ],
    [
      "result-tuple-items",
      { inputSchema: argument(text), outputSchema: argument({ type: "array", items: [text] }) },
      { inputSchema: argument(text), outputSchema: argument({ type: "array", prefixItems: [text] }) },
    ],
    [
      "result-pattern",
      { inputSchema: argument(text), outputSchema: argument({ ...text, pattern: "\\@x" }) },
      { inputSchema: argument(text), outputSchema: argument({ ...text, pattern: "@x" }) },
    ],
    [
      "result-invalid-schema",
      {
        inputSchema: argument(text),
        outputSchema: argument({ type: "integer", minimum: 1, exclusiveMinimum: true }),
      },
      { inputSchema: argument(text), outputSchema: argument({ type: "integer", exclusiveMinimum: 1 }) },
    ],
    [
      // A schema with a part that cannot be read is still fixed elsewhere.
      "root-without-properties",
      { inputSchema: { type: "object", patternProperties: { "(?i)a": text } } },
      { inputSchema: { type: "object", patternProperties: { "(?i)a": text }, properties: {} } },
    ],
  ];
  for (const [rule] of rows) fixedRules.add(rule);
  test.each(rows)("%s: %j", async (rule, before, after) => {
    const result = await mended(contractOf(before), rule);
    expect(result.after.tools).toEqual(contractOf(after).tools);
    expect([result.rules, result.left]).toEqual([expect.arrayContaining([rule]), 0]);
  });
});

describe("not fixed, because the fix is not certain", () => {
  test.each<[string, Schemas]>([
    ["required-without-property", { inputSchema: argument(text, { required: ["valeu"] }) }],
    ["nullable", { inputSchema: argument({ ...text, nullable: true }) }],
    ["choice-does-not-fit", { inputSchema: argument({ ...text, enum: [1] }) }],
    ["empty-enum", { inputSchema: argument({ ...text, enum: [] }) }],
    ["empty-range", { inputSchema: argument({ type: "integer", minimum: 2, maximum: 1 }) }],
    ["default-does-not-fit", { inputSchema: argument({ type: "integer", default: "1" }) }],
    // A required argument has no default, or is not required.
    [
      "default-does-not-fit",
      { inputSchema: argument({ type: "integer", default: null }, { required: ["value"] }) },
    ],
    ["pattern-of-another-language", { inputSchema: argument({ ...text, pattern: "(?i)yes" }) }],
    ["boolean-bound", { inputSchema: argument({ type: "integer", exclusiveMinimum: true }) }],
    // A new `items` would change which items are unevaluated.
    [
      "array-without-items",
      { inputSchema: argument({ type: "array", prefixItems: [text], unevaluatedItems: false }) },
    ],
    // A reference points into the part that would be removed.
    [
      "gemini-members-of-another-type",
      {
        inputSchema: {
          type: "object",
          properties: {
            a: { ...text, properties: { id: text } },
            b: { $ref: "#/properties/a/properties/id" },
          },
        },
      },
    ],
    // In draft-07 `dependencies` and a list of `items` mean something that 2020-12 does not have.
    [
      "result-dialect",
      {
        inputSchema: argument(text),
        outputSchema: argument(text, { $schema: draft07, dependencies: { a: ["b"] } }),
      },
    ],
    [
      "result-dialect",
      {
        inputSchema: argument(text),
        outputSchema: argument(
          { $ref: "#/definitions/A", maxLength: 1 },
          { $schema: draft07, definitions: { A: text } },
        ),
      },
    ],
    ["tuple-items", { inputSchema: argument({ type: "array", items: [text] }, { $schema: draft07 }) }],
    ["gemini-dropped-keyword", { inputSchema: argument({ type: "object", additionalProperties: true }) }],
  ])("%s: %j", async (rule, schemas) => {
    const result = await mended(contractOf(schemas), rule);
    expect(result.left).toBeGreaterThan(0);
    expect(result.rules).not.toContain(rule);
  });

  test("a warning of a rule that is an error for another field only", async () => {
    const { after } = await mended(contractOf({ inputSchema: argument({ const: "a" }) }), "x", ["gemini"]);
    expect(after.tools![0]!.inputSchema).toEqual(argument({ const: "a" }));
  });
});

test("exactly the rules that describe --fix are fixed by it", () => {
  const said = lintRules.filter(({ certain }) => certain !== undefined).map(({ id }) => id);
  expect([...fixedRules].sort()).toEqual(said.sort());
});
