import type { Definition, Deprecation, Schema, SchemaNode, TypeName } from "./ir.js";
import {
  type JsonObject,
  type JsonValue,
  atPointer,
  isJsonObject,
  naturalCompare,
  pointer,
  pointerTokens,
} from "./json.js";
import { kindOf } from "./canonicalise.js";
import { keywords } from "./keywords.js";
import { SchemaError } from "./schema-error.js";
import { refuseInstanceCycles } from "./references.js";

/** What stands beside a schema and is not in it: corrections of the printed type, openness, documentation. */
export interface NodeRemarks {
  readonly description?: string;
  readonly deprecated?: Deprecation;
  readonly typeText?: string;
  readonly open?: true;
}

export interface DefinitionRemarks {
  readonly extends?: readonly string[];
  readonly see?: readonly string[];
}

export interface ReadOptions {
  /** Remarks on the node at a JSON Pointer of the canonical document. */
  readonly nodeRemarks?: (pointer: string) => NodeRemarks | undefined;
  readonly definitionRemarks?: (name: string) => DefinitionRemarks | undefined;
}

/**
 * Reads a canonical document (see `canonicalise`) into the schema IR.
 *
 * References to anything but a definition are given a definition of their own, named after the place.
 *
 * @throws SchemaError for a keyword it does not know or whose value is malformed, a reference that leads
 *   nowhere, outside the document or back to itself without stepping into the instance
 */
export function readSchema(document: JsonObject, options: ReadOptions = {}): Schema {
  const reader = new Reader(document, options);
  const definitions = document["$defs"];
  if (definitions !== undefined && !isJsonObject(definitions)) {
    throw new SchemaError(
      "malformed-keyword",
      "/$defs",
      `expected an object of schemas, got ${kindOf(definitions)}`,
    );
  }
  for (const name of Object.keys(definitions ?? {})) reader.define(name, pointer("/$defs", name));
  const root = reader.root();
  reader.readPromoted();

  const sorted = new Map([...reader.definitions].sort(([a], [b]) => naturalCompare(a, b)));
  const schema: Schema = { definitions: sorted, ...(root && { root }) };
  refuseInstanceCycles(schema);
  return schema;
}

/** Keywords at the root that say nothing about instances: a document of these alone is only a library. */
const libraryKeywords = new Set(["$schema", "$id", "$defs", "$comment", "title", "description"]);

class Reader {
  readonly definitions = new Map<string, Definition>();
  /** Places that references name and that are not definitions, by pointer. */
  private readonly promoted = new Map<string, string>();
  private readonly document: JsonObject;
  private readonly options: ReadOptions;

  constructor(document: JsonObject, options: ReadOptions) {
    this.document = document;
    this.options = options;
  }

  define(name: string, at: string): void {
    const node = this.node(atPointer(this.document, at)!, at);
    this.definitions.set(name, { name, node, ...this.options.definitionRemarks?.(name) });
  }

  root(): SchemaNode | undefined {
    return Object.keys(this.document).every((key) => libraryKeywords.has(key))
      ? undefined
      : this.node(this.document, "");
  }

  readPromoted(): void {
    // Reading one promoted place may name further ones; a Map's iteration includes those added meanwhile.
    for (const [at, name] of this.promoted) this.define(name, at);
  }

  private node(value: JsonValue, at: string): SchemaNode {
    if (value === true) return { pointer: at, always: true };
    if (value === false) return { pointer: at, never: true };
    if (!isJsonObject(value)) {
      throw new SchemaError(
        "not-a-schema",
        at,
        `expected a schema (an object or a boolean), got ${kindOf(value)}`,
      );
    }
    const node: Writable<SchemaNode> = { pointer: at };
    for (const [keyword, content] of Object.entries(value)) this.keyword(node, keyword, content, at);
    const { description } = node;
    // What the schema says of itself goes before what is said beside it.
    return Object.assign(node, this.options.nodeRemarks?.(at), description !== undefined && { description });
  }

  private keyword(node: Writable<SchemaNode>, keyword: string, value: JsonValue, at: string): void {
    const place = pointer(at, keyword);
    const read = keywordReaders[keyword];
    if (read) read(node, value, place, (child, childAt) => this.node(child, childAt));
    else if (keyword === "$ref") node.ref = this.reference(value, place);
    else if (!ignored.has(keyword) && !keyword.startsWith("x-")) {
      throw new SchemaError(
        "unsupported-keyword",
        place,
        `the keyword ${JSON.stringify(keyword)} is not supported`,
        [...keywords.keys()],
      );
    }
  }

  /** The name of the definition that a `$ref` means. */
  private reference(value: JsonValue, at: string): string {
    const text = expectString(value, at);
    if (text !== "#" && !text.startsWith("#/")) {
      if (text.startsWith("#"))
        throw new SchemaError("unsupported-keyword", at, `references to anchors (${text}) are not supported`);
      throw new SchemaError(
        "remote-reference",
        at,
        `expected a reference into this document, got ${JSON.stringify(text)}; remote schemas are never fetched`,
      );
    }
    const target = text.slice(1);
    const tokens = pointerTokens(target);
    if (tokens.length === 2 && tokens[0] === "$defs") {
      const names = this.document["$defs"];
      if (isJsonObject(names) && Object.hasOwn(names, tokens[1]!)) return tokens[1]!;
      throw new SchemaError(
        "unresolved-reference",
        at,
        `there is no definition ${JSON.stringify(tokens[1])}`,
        isJsonObject(names) ? Object.keys(names) : [],
      );
    }
    return this.promote(target, tokens, at);
  }

  private promote(target: string, tokens: readonly string[], at: string): string {
    if (atPointer(this.document, target) === undefined) {
      throw new SchemaError("unresolved-reference", at, `there is nothing at ${JSON.stringify(target)}`);
    }
    let name = this.promoted.get(target);
    if (name === undefined) {
      name = tokens.length === 0 ? "#" : tokens.filter((token) => !keywords.has(token)).join("/") || target;
      const taken = new Set([
        ...Object.keys((this.document["$defs"] as JsonObject | undefined) ?? {}),
        ...this.promoted.values(),
      ]);
      while (taken.has(name)) name += "/";
      this.promoted.set(target, name);
    }
    return name;
  }
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };
type Child = (value: JsonValue, at: string) => SchemaNode;
type KeywordReader = (node: Writable<SchemaNode>, value: JsonValue, at: string, child: Child) => void;

/** Keywords that mean nothing to the IR: identity of the document, comments, holders of definitions. */
const ignored = new Set(["$schema", "$id", "$comment", "$defs", "markdownDescription"]);

const keywordReaders: { readonly [keyword: string]: KeywordReader } = {
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
  pattern: (node, value, at) => void (node.pattern = expectPattern(expectString(value, at), at)),
  deprecated: (node, value, at) => {
    if (expectBoolean(value, at)) node.deprecated = {};
  },
  dependentRequired: (node, value, at) => {
    const entries = Object.entries(expectObject(value, at));
    node.dependentRequired = new Map(
      entries.map(([key, names]) => [key, expectStrings(names, pointer(at, key))]),
    );
  },
};

type NamesOf<V> = {
  [K in keyof SchemaNode]-?: NonNullable<SchemaNode[K]> extends V
    ? V extends NonNullable<SchemaNode[K]>
      ? K
      : never
    : never;
}[keyof SchemaNode];

function schema(name: NamesOf<SchemaNode>): KeywordReader {
  return (node, value, at, child) => void (node[name] = child(value, at));
}

function schemas(name: "allOf" | "anyOf" | "oneOf" | "prefixItems"): KeywordReader {
  return (node, value, at, child) => {
    const members = expectArray(value, at);
    if (members.length === 0)
      throw new SchemaError("malformed-keyword", at, "expected at least one schema, got none");
    node[name] = members.map((member, index) => child(member, pointer(at, index)));
  };
}

function schemaMap(name: "properties" | "patternProperties" | "dependentSchemas"): KeywordReader {
  return (node, value, at, child) => {
    const entries = Object.entries(expectObject(value, at)).sort(([a], [b]) => naturalCompare(a, b));
    if (name === "patternProperties") for (const [key] of entries) expectPattern(key, pointer(at, key));
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

function expectPattern(value: string, at: string): string {
  try {
    new RegExp(value, "u");
  } catch {
    throw new SchemaError(
      "malformed-keyword",
      at,
      `expected a regular expression (ECMA-262), got ${describe(value)}`,
    );
  }
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

function expectString(value: JsonValue, at: string): string {
  if (typeof value === "string") return value;
  throw new SchemaError("malformed-keyword", at, `expected a string, got ${kindOf(value)}`);
}

function expectBoolean(value: JsonValue, at: string): boolean {
  if (typeof value === "boolean") return value;
  throw new SchemaError("malformed-keyword", at, `expected a boolean, got ${kindOf(value)}`);
}

/** A short scalar is shown, anything else only named. */
function describe(value: JsonValue): string {
  return typeof value === "object" ? kindOf(value) : JSON.stringify(value).slice(0, 60);
}
