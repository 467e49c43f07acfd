import type { JsonObject, JsonValue } from "@mcpgen/engine";
import { corpus } from "./lint-corpus.js";

/** A tool that a rule of `lint` reports, or one that it passes. */
export interface Case {
  /** Says which it is, in the observations. */
  readonly what: string;
  /** The rule; absent where the tool is fine for everybody. */
  readonly rule?: string;
  readonly tool: CaseTool;
  /** The structured content of its results; by default a value of the schemas of this file. */
  readonly structured?: JsonValue;
}

export interface CaseTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly execution?: JsonObject;
}

const strictly = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
});
const argument = (schema: JsonObject): JsonObject => strictly({ value: schema });
const text = { type: "string" };

function nested(levels: number): JsonObject {
  let schema: JsonObject = text;
  for (let level = 0; level < levels; level++) schema = argument(schema);
  return schema;
}

/** Tools that warnings are about, and properties named as keywords; the corpus of lint has what interfaces refuse. */
const warned: readonly (Partial<CaseTool> & { readonly rule: string; readonly what: string })[] = [
  {
    rule: "default-does-not-fit",
    what: "a default of another type",
    inputSchema: argument({ type: "integer", default: "1" }),
  },
  {
    rule: "choice-does-not-fit",
    what: "choices of another type",
    inputSchema: argument({ type: "integer", enum: ["1", "2"] }),
  },
  { rule: "empty-enum", what: "an empty enum", inputSchema: argument({ ...text, enum: [] }) },
  {
    rule: "empty-range",
    what: "an empty range",
    inputSchema: argument({ type: "integer", minimum: 2, maximum: 1 }),
  },
  { rule: "nullable", what: "nullable: true", inputSchema: argument({ ...text, nullable: true }) },
  {
    rule: "ambiguous-union",
    what: "two texts in a union",
    inputSchema: argument({ anyOf: [text, { ...text, description: "Another." }] }),
  },
  { rule: "object-without-properties", what: "any object", inputSchema: argument({ type: "object" }) },
  {
    rule: "untyped",
    what: "an argument without a type",
    inputSchema: argument({ description: "Any value." }),
  },
  {
    rule: "pattern-of-another-language",
    what: "a pattern of another language",
    inputSchema: argument({ ...text, pattern: "(?i)yes" }),
  },
  {
    rule: "reference",
    what: "a reference, for whom it is a warning",
    inputSchema: strictly({ at: { $ref: "#/$defs/Place" } }, { $defs: { Place: strictly({ x: text }) } }),
  },
  {
    rule: "default-dialect",
    what: "$schema of 2020-12",
    inputSchema: strictly({}, { $schema: "https://json-schema.org/draft/2020-12/schema" }),
  },
  {
    rule: "unused-definition",
    what: "an unused definition",
    inputSchema: strictly({}, { $defs: { A: text } }),
  },
  { rule: "strict-depth", what: "eight levels", inputSchema: nested(8) },
  {
    rule: "result-not-object",
    what: "a result that is a list",
    outputSchema: { type: "array", items: text },
  },
  {
    rule: "result-without-type",
    what: "a result that is a union of objects",
    outputSchema: { oneOf: [strictly({ a: text })] },
  },
  { rule: "tool-name-hyphen", what: "a name with a hyphen", name: "list-items" },
  { rule: "tool-names-alike", what: "read_sky, beside readSky", name: "read_sky" },
  { rule: "tool-names-alike", what: "readSky, beside read_sky", name: "readSky" },
  { rule: "no-description", what: "no description", description: "" },
  { rule: "long-description", what: "1,025 characters", description: "1".repeat(1025) },
  { rule: "cut-description", what: "4,097 characters", description: "2".repeat(4097) },
  { rule: "hidden-characters", what: "characters that reorder text", description: "a\u202eb" },
  {
    rule: "task-required",
    what: "a tool that requires a task",
    execution: { taskSupport: "required" },
  },
  {
    rule: "invalid-schema",
    what: "a text as the schema of a property called type",
    inputSchema: argument(strictly({ type: "string" })),
  },
  {
    rule: "invalid-schema",
    what: "a number as the schema of a property called maximum",
    inputSchema: argument(strictly({ maximum: 5 })),
  },
  {
    rule: "result-invalid-schema",
    what: "a result with null as the schema of a property called default",
    outputSchema: { type: "object", properties: { v: { type: "object", properties: { default: null } } } },
  },
];

/** Each has another name, so that one server lists them all. */
export const cases: readonly Case[] = [...corpus, ...warned].map((each, index) => {
  const { what, rule, inputSchema = strictly({}), outputSchema } = each;
  // Two long names of one letter would be one name in hosts that shorten them.
  const name = each.name?.replace(/^a{64}$/, "b".repeat(64)) ?? `case_${index}`;
  const { description = `Does the case ${index}.`, execution } = each as Partial<CaseTool>;
  const tool = {
    name,
    description,
    inputSchema,
    ...(outputSchema && { outputSchema }),
    ...(execution && { execution }),
  };
  return { what, ...(rule !== undefined && { rule }), tool };
});

/** Most of what schemas of tools use, in one tool that `lint` passes for the usual profiles. */
export const broad: CaseTool = {
  name: "broad",
  description: "Takes most of what schemas have.",
  inputSchema: {
    type: "object",
    properties: {
      text: { type: "string", minLength: 1, maxLength: 9, pattern: "^[a-z]*$", description: "A text." },
      day: { type: "string", format: "date" },
      count: { type: "integer", minimum: 0, maximum: 10, default: 3 },
      above: { type: "number", exclusiveMinimum: 0, multipleOf: 0.5 },
      list: { type: "array", items: { type: "string" }, minItems: 0, maxItems: 3, uniqueItems: true },
      choice: { type: "string", enum: ["a", "b"] },
      only: { type: "string", const: "x" },
      maybe: { type: ["string", "null"] },
      either: { anyOf: [{ type: "string" }, { type: "integer" }] },
      map: { type: "object", additionalProperties: { type: "string" } },
      node: { $ref: "#/$defs/Node" },
      titled: { type: "boolean", title: "Titled", examples: [true], deprecated: true },
    },
    required: ["text"],
    additionalProperties: false,
    $defs: {
      Node: {
        type: "object",
        properties: { name: { type: "string" }, next: { $ref: "#/$defs/Node" } },
        required: ["name"],
      },
    },
  },
};

/** A picture of one pixel, and a sound of no samples. */
export const picture =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
export const sound = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=";

/** Sizes in characters of texts that the server returns. */
export const sizes = [10_000, 25_000, 50_000, 100_000, 200_000, 400_000, 1_000_000];

/** A text of so many characters whose first and last line occur once. */
export function longText(size: number): string {
  const [first, last] = [`first of ${size}\n`, `last of ${size}`];
  const line = "A line of this text has words, as texts that tools return have.\n";
  const middle = size - first.length - last.length;
  return first + line.repeat(Math.ceil(middle / line.length)).slice(0, middle) + last;
}

/** The text that a tool returns, by which its result is known. */
export const called = (tool: string): string => `called ${tool}`;
