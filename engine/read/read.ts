import type { Definition, Deprecation, Schema, SchemaNode } from "../ir/ir.js";
import { referencedPointer } from "../ir/fragment.js";
import {
  type JsonObject,
  type JsonValue,
  atPointer,
  isJsonObject,
  naturalCompare,
  pointer,
  pointerTokens,
} from "../ir/json.js";
import { kindOf } from "../resources/canonicalise.js";
import {
  type ReadingContext,
  type Writable,
  expectString,
  keywordReaders,
  meaninglessKeywords,
} from "./keyword-readers.js";
import { keywords } from "../ir/keywords.js";
import { PatternBudget } from "../patterns/budget.js";
import { DocumentPatterns } from "../patterns/pattern.js";
import { SchemaError } from "../ir/schema-error.js";
import { refuseInstanceCycles } from "../ir/references.js";
import { isSchemaPlace } from "../ir/vocabulary.js";

/** Data about a node from notes: corrections of the printed type, openness, documentation. */
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
  /** The budget for the analysis of patterns. Documents that are read with the same object share it. */
  readonly patternBudget?: PatternBudget;
}

/**
 * Reads a canonical document (see `canonicalise`) into the schema IR.
 *
 * If the target of a reference is not a definition, it becomes one, named after its place.
 *
 * @throws SchemaError for an unknown keyword, a malformed value, or a reference that leads nowhere, outside
 *   the document, or back to itself for the same value
 */
export function readSchema(document: JsonObject, options: ReadOptions = {}): Schema {
  const definitions = document["$defs"];
  if (definitions !== undefined && !isJsonObject(definitions)) {
    throw new SchemaError(
      "malformed-keyword",
      "/$defs",
      `expected an object of schemas, got ${kindOf(definitions)}`,
    );
  }
  const reader = new Reader(document, options);
  for (const name of Object.keys(definitions ?? {})) reader.define(name, pointer("/$defs", name));
  const root = reader.root();
  reader.readPromoted();

  const sorted = new Map([...reader.definitions].sort(([a], [b]) => naturalCompare(a, b)));
  const { matchers: patterns } = reader.patterns;
  const schema: Schema = {
    definitions: sorted,
    ...(root && { root }),
    ...(patterns.size > 0 && { patterns }),
  };
  refuseInstanceCycles(schema);
  return schema;
}

/** Root keywords without effect on instances. A document that has only these is a library of definitions. */
const libraryKeywords = new Set(["$schema", "$id", "$defs", "$comment", "title", "description"]);

class Reader implements ReadingContext {
  readonly definitions = new Map<string, Definition>();
  readonly patterns: DocumentPatterns;
  /** Names for targets of references that are not definitions, by pointer. */
  private readonly promoted = new Map<string, string>();
  /** Names of definitions and promoted places. */
  private readonly names: Set<string>;
  private readonly document: JsonObject;
  private readonly options: ReadOptions;

  constructor(document: JsonObject, options: ReadOptions) {
    this.document = document;
    this.options = options;
    this.patterns = new DocumentPatterns(options.patternBudget ?? new PatternBudget());
    this.names = new Set(Object.keys((document["$defs"] as JsonObject | undefined) ?? {}));
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
    // Reading one place may add others; the iteration includes them.
    for (const [at, name] of this.promoted) this.define(name, at);
  }

  /** The node of a subschema. */
  readonly child = (value: JsonValue, at: string): SchemaNode => this.node(value, at);

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
    // A description in the schema takes precedence over a remark.
    return Object.assign(node, this.options.nodeRemarks?.(at), description !== undefined && { description });
  }

  private keyword(node: Writable<SchemaNode>, keyword: string, value: JsonValue, at: string): void {
    const place = pointer(at, keyword);
    const read = keywordReaders.get(keyword);
    if (read) read(node, value, place, this);
    else if (keyword === "$ref") node.ref = this.reference(value, place);
    else if (!meaninglessKeywords.has(keyword) && !keyword.startsWith("x-")) {
      throw new SchemaError(
        "unsupported-keyword",
        place,
        `the keyword ${JSON.stringify(keyword)} is not supported`,
        [...keywords.keys()],
      );
    }
  }

  /** The name of the definition that a `$ref` leads to. */
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
    const target = referencedPointer(text);
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
    if (atPointer(this.document, target) === undefined || !isSchemaPlace(target)) {
      throw new SchemaError("unresolved-reference", at, `there is no schema at ${JSON.stringify(target)}`);
    }
    let name = this.promoted.get(target);
    if (name === undefined) {
      name = tokens.length === 0 ? "#" : tokens.filter((token) => !keywords.has(token)).join("/") || target;
      while (this.names.has(name)) name += "/";
      this.names.add(name);
      this.promoted.set(target, name);
    }
    return name;
  }
}
