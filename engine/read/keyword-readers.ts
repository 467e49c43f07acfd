import { kindOf } from "../resources/canonicalise.js";
import type { KeywordName, ResolvedKeyword } from "../ir/keywords.js";
import type { Matcher, SchemaNode, TypeName } from "../ir/ir.js";
import { type JsonObject, type JsonValue, isJsonObject, naturalCompare, pointer } from "../ir/json.js";
import { unsafePattern } from "../patterns/compiled.js";
import type { DocumentPatterns } from "../patterns/pattern.js";
import { strictForm } from "../patterns/strict-form.js";
import { SchemaError } from "../ir/schema-error.js";

/** A node under construction. */
export type Writable<T> = { -readonly [K in keyof T]: T[K] };
type Child = (value: JsonValue, at: string) => SchemaNode;
type KeywordReader = (
  node: Writable<SchemaNode>,
  value: JsonValue,
  at: string,
  context: ReadingContext,
) => void;

/** The functions that readers of keywords call to read the rest of a document. */
export interface ReadingContext {
  readonly child: Child;
  readonly patterns: DocumentPatterns;
}

/** Keywords without a meaning in the IR: identity of the document, comments, containers of definitions. */
const meaningless = ["$schema", "$id", "$comment", "$defs", "markdownDescription"] as const;

export const meaninglessKeywords: ReadonlySet<string> = new Set<KeywordName>(meaningless);

/** The reader of each keyword, except `$ref`, whose meaning lies outside the node. */
type Readers = {
  readonly [
    Name in Exclude<KeywordName, "$ref" | ResolvedKeyword | (typeof meaningless)[number]>
  ]: KeywordReader;
};

/** The reader of each keyword's value. */
export const keywordReaders: ReadonlyMap<string, KeywordReader> = new Map(
  Object.entries<KeywordReader>({
    allOf: schemas("allOf"),
    anyOf: schemas("anyOf"),
    oneOf: schemas("oneOf"),
    prefixItems: schemas("prefixItems"),
    not: schema("not"),
    if: schema("if"),
    then: schema("then"),
    else: schema("else"),
    items: schema("items"),
    contains: schema("contains"),
    additionalProperties: schema("additionalProperties"),
    propertyNames: schema("propertyNames"),
    unevaluatedProperties: schema("unevaluatedProperties"),
    unevaluatedItems: schema("unevaluatedItems"),
    contentSchema: schema("contentSchema"),
    properties: schemaMap("properties"),
    patternProperties: schemaMap("patternProperties"),
    dependentSchemas: schemaMap("dependentSchemas"),
    minProperties: count("minProperties"),
    maxProperties: count("maxProperties"),
    minItems: count("minItems"),
    maxItems: count("maxItems"),
    minContains: count("minContains"),
    maxContains: count("maxContains"),
    minLength: count("minLength"),
    maxLength: count("maxLength"),
    minimum: number("minimum"),
    maximum: number("maximum"),
    exclusiveMinimum: number("exclusiveMinimum"),
    exclusiveMaximum: number("exclusiveMaximum"),
    multipleOf: number("multipleOf"),
    format: text("format"),
    contentEncoding: text("contentEncoding"),
    contentMediaType: text("contentMediaType"),
    title: text("title"),
    description: text("description"),
    uniqueItems: flag("uniqueItems"),
    readOnly: flag("readOnly"),
    writeOnly: flag("writeOnly"),
    const: (node, value) => void (node.const = { value }),
    default: (node, value) => void (node.default = { value }),
    enum: (node, value, at) => void (node.enum = expectArray(value, at)),
    examples: (node, value, at) => void (node.examples = expectArray(value, at)),
    required: (node, value, at) => void (node.required = expectStrings(value, at)),
    type: (node, value, at) => void (node.types = expectTypes(value, at)),
    pattern: (node, value, at, { patterns }) =>
      void (node.pattern = expectPattern(expectString(value, at), at, patterns)),
    deprecated: (node, value, at) => {
      if (expectBoolean(value, at)) node.deprecated = {};
    },
    dependentRequired: (node, value, at) => {
      const entries = Object.entries(expectObject(value, at));
      node.dependentRequired = new Map(
        entries.map(([key, names]) => [key, expectStrings(names, pointer(at, key))]),
      );
    },
  } satisfies Readers),
);

type NamesOf<V> = {
  [K in keyof SchemaNode]-?: NonNullable<SchemaNode[K]> extends V
    ? V extends NonNullable<SchemaNode[K]>
      ? K
      : never
    : never;
}[keyof SchemaNode];

function schema(name: NamesOf<SchemaNode>): KeywordReader {
  return (node, value, at, { child }) => void (node[name] = child(value, at));
}

function schemas(name: "allOf" | "anyOf" | "oneOf" | "prefixItems"): KeywordReader {
  return (node, value, at, { child }) => {
    const members = expectArray(value, at);
    if (members.length === 0)
      throw new SchemaError("malformed-keyword", at, "expected at least one schema, got none");
    node[name] = members.map((member, index) => child(member, pointer(at, index)));
  };
}

function schemaMap(name: "properties" | "patternProperties" | "dependentSchemas"): KeywordReader {
  return (node, value, at, { child, patterns }) => {
    const entries = Object.entries(expectObject(value, at)).sort(([a], [b]) => naturalCompare(a, b));
    if (name === "patternProperties")
      for (const [key] of entries) expectPattern(key, pointer(at, key), patterns);
    node[name] = new Map(entries.map(([key, member]) => [key, child(member, pointer(at, key))]));
  };
}

function count(name: NamesOf<number>): KeywordReader {
  return (node, value, at) => {
    if (typeof value !== "number" || !Number.isInteger(value) || value < 0) {
      throw new SchemaError(
        "malformed-keyword",
        at,
        `expected an integer of 0 or more, got ${describe(value)}`,
      );
    }
    node[name] = value;
  };
}

function number(name: NamesOf<number>): KeywordReader {
  return (node, value, at) => {
    if (typeof value !== "number" || (name === "multipleOf" && value <= 0)) {
      throw new SchemaError(
        "malformed-keyword",
        at,
        `expected a ${name === "multipleOf" ? "positive " : ""}number, got ${describe(value)}`,
      );
    }
    node[name] = value;
  };
}

function text(
  name: "format" | "contentEncoding" | "contentMediaType" | "title" | "description",
): KeywordReader {
  return (node, value, at) => void (node[name] = expectString(value, at));
}

function flag(name: "uniqueItems" | "readOnly" | "writeOnly"): KeywordReader {
  return (node, value, at) => {
    if (expectBoolean(value, at)) node[name] = true;
  };
}

const typeNames: ReadonlySet<string> = new Set<TypeName>([
  "array",
  "boolean",
  "integer",
  "null",
  "number",
  "object",
  "string",
]);

function expectTypes(value: JsonValue, at: string): TypeName[] {
  const names = Array.isArray(value) ? value : [value];
  for (const name of names) {
    if (typeof name !== "string" || !typeNames.has(name)) {
      throw new SchemaError("malformed-keyword", at, `expected a JSON Schema type, got ${describe(name)}`, [
        ...typeNames,
      ]);
    }
  }
  if (names.length === 0)
    throw new SchemaError("malformed-keyword", at, "expected at least one type, got none");
  return names as TypeName[];
}

function expectPattern(value: string, at: string, patterns: DocumentPatterns): string {
  let matcher: Matcher | undefined;
  try {
    matcher = patterns.matcher(value);
  } catch (error) {
    const reason = (error as SyntaxError).message.replace(/^.*: /s, "");
    const strict = strictForm(value);
    const advice = strict === undefined ? "" : `: write ${describe(strict)}`;
    throw new SchemaError(
      "malformed-keyword",
      at,
      `expected a regular expression (ECMA-262 with the flag u), got ${describe(value)} (${reason})${advice}`,
    );
  }
  if (!matcher) throw new SchemaError("unsafe-pattern", at, unsafePattern(value, !patterns.isSpent));
  return value;
}

function expectObject(value: JsonValue, at: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw new SchemaError("malformed-keyword", at, `expected an object, got ${kindOf(value)}`);
}

function expectArray(value: JsonValue, at: string): JsonValue[] {
  if (Array.isArray(value)) return value;
  throw new SchemaError("malformed-keyword", at, `expected an array, got ${kindOf(value)}`);
}

function expectStrings(value: JsonValue, at: string): string[] {
  const items = expectArray(value, at);
  const odd = items.findIndex((item) => typeof item !== "string");
  if (odd >= 0)
    throw new SchemaError(
      "malformed-keyword",
      pointer(at, odd),
      `expected a string, got ${kindOf(items[odd]!)}`,
    );
  return items as string[];
}

/** @throws SchemaError for anything but a string */
export function expectString(value: JsonValue, at: string): string {
  if (typeof value === "string") return value;
  throw new SchemaError("malformed-keyword", at, `expected a string, got ${kindOf(value)}`);
}

function expectBoolean(value: JsonValue, at: string): boolean {
  if (typeof value === "boolean") return value;
  throw new SchemaError("malformed-keyword", at, `expected a boolean, got ${kindOf(value)}`);
}

/** Describes a value in a message: a short scalar by its text, any other value by its kind. */
function describe(value: JsonValue): string {
  return typeof value === "object" ? kindOf(value) : JSON.stringify(value).slice(0, 60);
}
