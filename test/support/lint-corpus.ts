import type { JsonObject } from "@mcpgen/engine";
import type { Profile } from "../../generator/lint/rule.js";

/** A tool that real hosts refused, or a similar tool that they accept. */
export interface CorpusTool {
  readonly what: string;
  readonly name?: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  /** Whose interface refuses it. */
  readonly refusedBy: readonly Profile[];
  /** The rule that says so. */
  readonly rule?: string;
}

const text = { type: "string" };
const strictly = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
});
/** A text to choose from, of so many values with so many characters in all. */
const choice = (size: number, characters = size * 5): JsonObject => {
  const values = Array.from({ length: size }, (_, index) => String(index).padStart(5, "0"));
  return { ...text, enum: [...values.slice(1), values[0]!.padEnd(characters - 5 * (size - 1), "a")] };
};
/** One argument, in a schema that strict mode takes. */
const argument = (schema: JsonObject): JsonObject => strictly({ value: schema });

const everybody: readonly Profile[] = ["claude", "openai", "gemini", "gemini-parameters", "strict"];

export const corpus: readonly CorpusTool[] = [
  { what: "a plain tool", inputSchema: strictly({ city: text }), refusedBy: [] },
  { what: "no arguments", inputSchema: strictly({}), refusedBy: [] },
  ...["oneOf", "anyOf", "allOf"].map((keyword) => ({
    what: `${keyword} at the top`,
    inputSchema: strictly({ a: text }, { [keyword]: [{ required: ["a"] }] }),
    // Gemini's older field knows anyOf, but neither of the others.
    refusedBy: (keyword === "anyOf"
      ? ["claude", "openai", "strict"]
      : ["claude", "openai", "gemini-parameters", "strict"]) as Profile[],
    rule: "root-union",
  })),
  {
    what: "not at the top",
    inputSchema: strictly({ a: text }, { not: { required: ["b"] } }),
    refusedBy: ["claude", "openai", "gemini-parameters", "strict"],
    rule: "root-enum-or-not",
  },
  {
    what: "a condition at the top",
    inputSchema: strictly({ a: text }, { if: { required: ["a"] }, then: { minProperties: 1 } }),
    refusedBy: ["claude", "gemini-parameters", "strict"],
    rule: "root-condition",
  },
  {
    what: "a condition inside",
    inputSchema: argument({ ...text, if: { minLength: 3 }, then: { maxLength: 5 } }),
    refusedBy: ["gemini-parameters", "strict"],
  },
  {
    what: "no properties",
    inputSchema: { type: "object", additionalProperties: false },
    refusedBy: ["openai", "strict"],
    rule: "root-without-properties",
  },
  {
    what: "an array of anything",
    inputSchema: argument({ type: "array" }),
    refusedBy: ["openai", "gemini", "gemini-parameters", "strict"],
    rule: "array-without-items",
  },
  {
    what: "a union with an array of anything",
    inputSchema: argument({ type: ["string", "array"] }),
    refusedBy: ["openai", "gemini", "gemini-parameters", "strict"],
    rule: "array-without-items",
  },
  {
    what: "a boolean bound",
    inputSchema: argument({ type: "integer", minimum: 0, exclusiveMinimum: true }),
    refusedBy: ["claude", "openai", "gemini", "gemini-parameters", "strict"],
    rule: "boolean-bound",
  },
  {
    what: "an exclusive bound",
    inputSchema: argument({ type: "integer", exclusiveMinimum: 0 }),
    refusedBy: ["gemini-parameters"],
    rule: "gemini-unknown-keyword",
  },
  {
    what: "a tuple of older drafts",
    inputSchema: argument({ type: "array", items: [text] }),
    refusedBy: ["claude", "openai", "gemini", "gemini-parameters", "strict"],
    rule: "tuple-items",
  },
  {
    what: "a constant",
    inputSchema: argument({ type: "string", const: "a" }),
    refusedBy: ["gemini-parameters"],
    rule: "gemini-unknown-keyword",
  },
  {
    what: "numbers to choose from",
    inputSchema: argument({ type: "integer", enum: [1, 2] }),
    refusedBy: ["gemini", "gemini-parameters"],
    rule: "gemini-enum",
  },
  {
    what: "texts to choose from",
    inputSchema: argument({ type: "string", enum: ["a", "b"] }),
    refusedBy: [],
  },
  {
    what: "1,001 texts to choose from in two arguments, each fewer",
    inputSchema: strictly({ a: choice(501), b: choice(500) }),
    refusedBy: ["strict"],
    rule: "strict-enum-size",
  },
  {
    what: "1,000 texts to choose from in two arguments",
    inputSchema: strictly({ a: choice(500), b: choice(500) }),
    refusedBy: [],
  },
  {
    what: "251 texts to choose from, of 15,001 characters",
    inputSchema: argument(choice(251, 15_001)),
    refusedBy: ["strict"],
    rule: "strict-enum-size",
  },
  {
    what: "251 texts to choose from, of 15,000 characters",
    inputSchema: argument(choice(251, 15_000)),
    refusedBy: [],
  },
  {
    what: "250 texts to choose from, of 15,001 characters",
    inputSchema: argument(choice(250, 15_001)),
    refusedBy: [],
  },
  {
    what: "a list of types",
    inputSchema: argument({ type: ["string", "null"] }),
    refusedBy: ["gemini-parameters"],
    rule: "gemini-type-list",
  },
  {
    what: "a reference to a definition",
    inputSchema: strictly({ at: { $ref: "#/$defs/Place" } }, { $defs: { Place: strictly({ x: text }) } }),
    refusedBy: ["gemini-parameters"],
    rule: "gemini-reference",
  },
  {
    what: "a reference to a sibling",
    inputSchema: strictly({ a: text, b: { $ref: "#/properties/a" } }),
    refusedBy: ["claude", "openai", "gemini", "gemini-parameters", "strict"],
    rule: "reference-elsewhere",
  },
  {
    what: "a reference to the network",
    inputSchema: argument({ $ref: "https://example.com/schema.json" }),
    refusedBy: ["claude", "openai", "gemini", "gemini-parameters", "strict"],
    rule: "reference-elsewhere",
  },
  {
    what: "a reference to nothing",
    inputSchema: argument({ $ref: "#/$defs/Gone" }),
    refusedBy: ["claude", "openai", "gemini", "gemini-parameters", "strict"],
    rule: "reference-to-nothing",
  },
  {
    what: "oneOf inside",
    inputSchema: argument({ oneOf: [text, { type: "number" }] }),
    refusedBy: ["gemini-parameters", "strict"],
    rule: "strict-unknown-keyword",
  },
  { what: "anyOf inside", inputSchema: argument({ anyOf: [text, { type: "number" }] }), refusedBy: [] },
  {
    what: "allOf inside",
    inputSchema: argument({ allOf: [text] }),
    refusedBy: ["gemini-parameters", "strict"],
    rule: "strict-unknown-keyword",
  },
  {
    what: "an open map",
    inputSchema: argument({ type: "object", additionalProperties: text }),
    refusedBy: ["strict"],
    rule: "strict-open-object",
  },
  {
    what: "arguments that may be left out",
    inputSchema: { ...strictly({ a: text, b: text }), required: ["a"] },
    refusedBy: ["strict"],
    rule: "strict-optional",
  },
  {
    what: "brackets in an argument",
    inputSchema: strictly({ "filter[id]": text }),
    refusedBy: ["claude"],
    rule: "argument-name-characters",
  },
  {
    what: "brackets in a nested property",
    inputSchema: argument(strictly({ "filter[id]": text })),
    refusedBy: [],
  },
  {
    what: "a name with a dot",
    name: "calendar.list",
    inputSchema: strictly({}),
    refusedBy: ["claude", "openai", "strict"],
    rule: "tool-name-characters",
  },
  {
    what: "a name that starts with a digit",
    name: "21st_magic",
    inputSchema: strictly({}),
    refusedBy: ["gemini", "gemini-parameters"],
    rule: "tool-name-start",
  },
  {
    what: "a name with a space",
    name: "get weather",
    inputSchema: strictly({}),
    refusedBy: ["claude", "openai", "gemini", "gemini-parameters", "strict"],
    rule: "tool-name-characters",
  },
  {
    what: "a long name",
    name: "a".repeat(65),
    inputSchema: strictly({}),
    refusedBy: ["claude", "openai", "gemini", "gemini-parameters", "strict"],
    rule: "tool-name-length",
  },
  {
    what: "a name that is just short enough",
    name: "a".repeat(64),
    inputSchema: strictly({}),
    refusedBy: [],
  },
  {
    what: "a result with a reference to nothing",
    inputSchema: strictly({}),
    outputSchema: strictly({
      screen: { ...strictly({ size: { $ref: "#/$defs/Size" } }), $defs: { Size: text } },
    }),
    refusedBy: everybody,
    rule: "result-reference-to-nothing",
  },
  {
    what: "a result with a reference to a sibling and to an anchor",
    inputSchema: strictly({}),
    outputSchema: strictly({
      a: { ...text, $anchor: "a" },
      b: { $ref: "#/properties/a" },
      c: { $ref: "#a" },
    }),
    refusedBy: [],
  },
  {
    what: "a limit beside a reference",
    inputSchema: strictly({ at: { $ref: "#/$defs/Name", maxLength: 3 } }, { $defs: { Name: text } }),
    refusedBy: ["gemini", "gemini-parameters"],
    rule: "gemini-reference-with-keywords",
  },
  {
    what: "a description beside a reference",
    inputSchema: strictly({ at: { $ref: "#/$defs/Name", description: "Who." } }, { $defs: { Name: text } }),
    refusedBy: ["gemini-parameters"],
  },
  ...(
    [
      ["properties of a text", { ...strictly({ id: text }), ...text }],
      ["required properties of a number", { type: "number", required: [] }],
      ["items of a text", { ...text, items: text }],
    ] as [string, JsonObject][]
  ).map(([what, schema]) => ({
    what,
    inputSchema: argument(schema),
    refusedBy: ["gemini", "gemini-parameters"] as const,
    rule: "gemini-members-of-another-type",
  })),
  {
    what: "the empty text to choose",
    inputSchema: argument({ ...text, enum: ["a", ""] }),
    refusedBy: ["gemini", "gemini-parameters"],
    rule: "gemini-enum",
  },
  ...["(?=a)", "(?!a)", "(?<=a)b", "(?<!a)b", "^(?:a|(?!b)c)$"].map((pattern) => ({
    what: `the pattern ${pattern}`,
    inputSchema: argument({ ...text, pattern }),
    refusedBy: ["openai", "strict"] as const,
    rule: "pattern-lookaround",
  })),
  ...["^\\p{L}+$", "[\\p{L}-]", "[^\\P{Lu}]"].map((pattern) => ({
    what: `the pattern ${pattern}`,
    inputSchema: argument({ ...text, pattern }),
    refusedBy: ["openai", "gemini", "gemini-parameters", "strict"] as const,
    rule: "pattern-unicode-property",
  })),
  ...["(?<name>a)", "(?<a>x)\\k<a>", "\\u{1F600}", "[\\cJ]", "[^]", "a[]"].map((pattern) => ({
    what: `the pattern ${pattern}`,
    inputSchema: argument({ ...text, pattern }),
    refusedBy: ["openai", "strict"] as const,
    rule: "pattern-not-in-python",
  })),
  ...["\\(?=", "[(?=]", "(?:a)", "\\\\p{2}", "a=!", "\\u0041\\x41\\t\\0", "[\\b\\d^]", "\\\\u{"].map(
    (pattern) => ({
      what: `the pattern ${pattern}`,
      inputSchema: argument({ ...text, pattern }),
      refusedBy: [],
    }),
  ),
  {
    what: "a pattern of a key that Python does not take",
    inputSchema: argument({
      type: "object",
      patternProperties: { "(?<x>a)": text },
      additionalProperties: false,
    }),
    refusedBy: ["openai", "gemini-parameters", "strict"],
    rule: "pattern-not-in-python",
  },
  ...["uri", "uri-reference", "int32", "binary"].map((format) => ({
    what: `the format ${format}`,
    inputSchema: argument({ ...text, format }),
    refusedBy: ["gemini-parameters", "strict"] as const,
    rule: "strict-format",
  })),
  {
    what: "the format date",
    inputSchema: argument({ ...text, format: "date" }),
    refusedBy: ["gemini-parameters"],
    rule: "gemini-format",
  },
  {
    what: "the format date-time",
    inputSchema: argument({ ...text, format: "date-time" }),
    refusedBy: [],
  },
  {
    what: "texts to choose from, without a type",
    inputSchema: argument({ enum: ["a", "b"] }),
    refusedBy: ["gemini-parameters"],
    rule: "gemini-enum-without-type",
  },
  ...(
    [
      ["a type that does not exist", "unknown-type", { type: "int" }],
      ["required: true of a property, as in draft-03", "invalid-schema", { ...text, required: true }],
      ["null as a description", "null-keyword", { ...text, description: null }],
      ["null as a limit", "null-keyword", { ...text, maxLength: null }],
      ["a length that is a text", "invalid-limit", { ...text, maxLength: "3" }],
      ["a bound that is a text", "invalid-limit", { type: "integer", minimum: "3" }],
      ["a schema that is a text", "invalid-schema", { type: "array", items: "string" }],
      ["choices that are a text", "invalid-schema", { ...text, enum: "a, b" }],
      ["properties that are a text", "invalid-schema", { ...strictly({}), properties: "a, b" }],
    ] as [string, string, JsonObject][]
  ).map(([what, rule, schema]) => ({
    what,
    inputSchema: argument(schema),
    refusedBy: everybody,
    rule,
  })),
  {
    what: "null as the list of required properties",
    inputSchema: { ...strictly({}), required: null },
    refusedBy: everybody,
    rule: "null-required",
  },
  {
    what: "a name twice in required",
    inputSchema: strictly({ a: text }, { required: ["a", "a"] }),
    refusedBy: everybody,
    rule: "repeated-name",
  },
  ...(
    [
      ["a type that does not exist", "result-invalid-schema", { type: "any" }],
      ["a boolean bound", "result-invalid-schema", { type: "integer", minimum: 0, exclusiveMinimum: true }],
      ["a tuple of older drafts", "result-tuple-items", { type: "array", items: [text] }],
    ] as [string, string, JsonObject][]
  ).map(([what, rule, schema]) => ({
    what: `a result with ${what}`,
    inputSchema: strictly({}),
    outputSchema: strictly({ a: schema }),
    refusedBy: everybody,
    rule,
  })),
  {
    what: "a result with null as a description",
    inputSchema: strictly({}),
    outputSchema: strictly({ a: { ...text, description: null } }),
    refusedBy: [],
  },
  {
    what: "a result in draft-07",
    inputSchema: strictly({}),
    outputSchema: strictly({}, { $schema: "http://json-schema.org/draft-07/schema#" }),
    refusedBy: everybody,
    rule: "result-dialect",
  },
  {
    what: "a result in 2020-12",
    inputSchema: strictly({}),
    outputSchema: strictly({}, { $schema: "https://json-schema.org/draft/2020-12/schema" }),
    refusedBy: [],
  },
  {
    what: "a reference to nothing inside of a definition",
    inputSchema: strictly(
      { a: { $ref: "#/$defs/A/properties/gone" } },
      { $defs: { A: strictly({ b: text }) } },
    ),
    refusedBy: everybody,
    rule: "reference-to-nothing",
  },
  {
    what: "a result with a reference to nothing behind another fault",
    inputSchema: strictly({}),
    outputSchema: strictly({ a: { ...text, pattern: "(" }, b: { $ref: "#/$defs/B" } }),
    refusedBy: everybody,
    rule: "result-reference-to-nothing",
  },
  {
    what: "an arm that requires what the schema around it declares",
    inputSchema: argument({
      ...strictly({ a: text, b: text }),
      anyOf: [
        { type: "object", required: ["a"] },
        { type: "object", required: ["b"] },
      ],
    }),
    refusedBy: ["strict"],
    rule: "strict-open-object",
  },
  {
    what: "a required property that is not declared",
    inputSchema: strictly({ a: text }, { required: ["a", "b"] }),
    refusedBy: ["gemini", "gemini-parameters", "strict"],
    rule: "required-without-property",
  },
];
