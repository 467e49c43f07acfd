import { type JsonObject, type JsonValue, pointerTokens } from "@mcpgen/engine";
import {
  type Alias,
  type Node,
  type Pair,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
  Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseAllDocuments,
  parseDocument,
  visit,
} from "yaml";
import { type Place, CodedError } from "../diagnostics/coded-error.js";
import type { Entry, Part } from "./edit/edit.js";
import { withoutCiCommands } from "../print/terminal-text.js";
import { escapedLines } from "../print/text.js";
import { mostLevels } from "./contract.js";

/** A YAML document converted to JSON, with positions. */
interface YamlDocument {
  readonly value: JsonValue;
  /** The position of the value at a JSON Pointer, or of the nearest enclosing value. */
  readonly place: (pointer: string) => Place;
  /** The number, boolean or string at a JSON Pointer as written, e.g. `1.0`. */
  readonly written: (pointer: string) => string | undefined;
}

/**
 * Reads YAML 1.2, with the merge keys of YAML 1.1.
 *
 * @throws CodedError MG6001 if the text is not a single YAML document, or has values that JSON cannot
 * represent
 */
export function parseYaml(text: string, file: string): YamlDocument {
  const lines = new LineCounter();
  const at = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  return guarded(file, at, () => {
    const document = onlyDocument(text, file, lines, at);
    const resolve = aliasesOf(document);
    const found = (pointer: string) => nodeAt(document, pointerTokens(pointer), resolve);
    return {
      value: yamlValue(document, resolve),
      place: (pointer) => ({ ...at(found(pointer).offset), pointer }),
      written: (pointer) => {
        const { node, exact } = found(pointer);
        return exact && isScalar(node) ? node.source : undefined;
      },
    };
  });
}

function onlyDocument(
  text: string,
  file: string,
  lineCounter: LineCounter,
  at: (offset: number) => Place,
): Document {
  // Duplicate keys are reported by the walk below, in linear time.
  const documents = parseAllDocuments(text, { lineCounter, prettyErrors: false, uniqueKeys: false });
  const [document, second] = Array.isArray(documents) ? documents : [];
  if (!document) throw yamlError("expected a contract, got an empty file", { file, line: 1, column: 1 });
  const [error] = document.errors;
  if (error) throw yamlError(said(error.message), at(error.pos[0]), error);
  if (second) throw yamlError("expected one document, got another after `---`", at(second.range?.[0] ?? 0));
  return document;
}

/** Rewords a message of the library. */
function said(message: string): string {
  const first = message.split("\n")[0]!.replace(/[.:]$/, "");
  return `expected YAML: ${first.slice(0, 1).toLowerCase()}${first.slice(1)}`;
}

function guarded<T>(file: string, at: (offset: number) => Place, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof NotJson) {
      const offset = error.node?.range?.[0];
      throw yamlError(error.message, offset === undefined ? { file } : at(offset), error);
    }
    if (error instanceof RangeError) throw yamlError("it is nested too deeply", { file }, error);
    throw error;
  }
}

function yamlError(message: string, place: Place, cause?: unknown): CodedError {
  return new CodedError("MG6001", message, {
    place,
    next: "Correct the file; it may also be JSON.",
    ...(cause !== undefined && { cause }),
  });
}

/** A node that has a position in the document. */
interface Found {
  readonly node: unknown;
  /** Start offset of the node; for an absent value, of its key. */
  readonly offset: number;
  /** Whether the complete path exists. */
  readonly exact: boolean;
}

/** The node at a path, through aliases and merge keys; else the nearest enclosing one. */
function nodeAt(document: Document, path: readonly string[], resolve: Resolve): Found {
  let node: unknown = document.contents;
  let offset = startOf(node) ?? 0;
  for (const token of path) {
    const next = memberOf(node, token, resolve, new Set());
    if (next === undefined) return { node, offset, exact: false };
    node = next.node;
    offset = startOf(node) ?? startOf(next.key) ?? offset;
  }
  return { node, offset, exact: true };
}

interface YamlEntry {
  readonly node: unknown;
  readonly key?: unknown;
}

function memberOf(node: unknown, token: string, resolve: Resolve, seen: Set<unknown>): YamlEntry | undefined {
  const inner = isAlias(node) ? resolve(node) : node;
  // Parsing has already rejected mappings that merge each other.
  if (seen.has(inner)) return undefined;
  seen.add(inner);
  if (isSeq(inner))
    return Number(token) < inner.items.length ? { node: inner.items[Number(token)] } : undefined;
  if (!isMap(inner)) return undefined;
  const isOwn = (key: unknown): boolean =>
    !isMergeKey(key) && keyText(isAlias(key) ? resolve(key) : key) === token;
  const pair = inner.items.find(({ key }) => isOwn(key));
  if (pair) return { node: pair.value, key: pair.key };
  for (const { key, value } of inner.items) {
    if (!isMergeKey(key)) continue;
    for (const source of mergeSources(value, resolve)) {
      const found = memberOf(source, token, resolve, seen);
      if (found) return found;
    }
  }
  return undefined;
}

/** The mappings named by a merge key, which may be aliases. */
function mergeSources(value: unknown, resolve: Resolve): readonly unknown[] {
  const named = isAlias(value) ? resolve(value) : value;
  return isSeq(named) ? named.items : [value];
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? (node as Node).range?.[0] : undefined;
}

/** Locates the values in a YAML text that was read as a contract. An alias is treated as its target. */
export function yamlParts(text: string): Part {
  const document: Document = parseDocument(text, { prettyErrors: false, uniqueKeys: false });
  return new Parts(text, aliasesOf(document)).of(document.contents);
}

const nothing: Part = { start: 0, end: 0, style: "scalar", isList: false, entries: [], merged: [] };

class Parts {
  readonly #text: string;
  readonly #resolve: Resolve;
  /** A value with several aliases is a single part. */
  readonly #known = new Map<Node, Part>();

  constructor(text: string, resolve: Resolve) {
    this.#text = text;
    this.#resolve = resolve;
  }

  of(node: unknown): Part {
    const target = isAlias(node) ? this.#resolve(node) : node;
    if (!isNode(target) || !target.range) return nothing;
    const known = this.#known.get(target);
    if (known) return known;
    const part = isMap(target) ? this.#mapping(target) : isSeq(target) ? this.#list(target) : scalar(target);
    this.#known.set(target, part);
    return part;
  }

  #mapping(node: YAMLMap): Part {
    const merging = node.items.filter(({ key }) => isMergeKey(key));
    const own = node.items.filter(({ key }) => !isMergeKey(key) && isNode(key));
    return {
      ...this.#extent(node),
      isList: false,
      entries: own.map((pair) => this.#member(pair)),
      merged: merging.flatMap(({ value }) => {
        const part = this.of(value);
        return part.isList ? part.entries.map((entry) => entry.value) : [part];
      }),
    };
  }

  #member({ key, value }: Pair): Entry {
    const { range } = key as Node;
    const inner = isAlias(key) ? this.#resolve(key) : key;
    const keyEnd = range![1];
    // An omitted value ends at the colon.
    const colon = this.#text.indexOf(":", keyEnd) + 1;
    const end = Math.max(isNode(value) ? this.#endOf(value) : colon, keyEnd);
    return { name: keyText(inner) ?? "", start: range![0], keyEnd, end, value: this.of(value) };
  }

  #list(node: YAMLSeq): Part {
    const entries = node.items.map((item, index): Entry => {
      const value = this.of(item);
      const [first] = isNode(item) ? item.range! : [0];
      const dash = node.flow ? first : this.#text.lastIndexOf("-", first - 1);
      const end = isNode(item) ? this.#endOf(item) : first;
      return { name: String(index), start: dash, keyEnd: node.flow ? first : dash + 1, end, value };
    });
    return { ...this.#extent(node), isList: true, entries, merged: [] };
  }

  #extent(node: YAMLMap | YAMLSeq): Pick<Part, "start" | "end" | "style"> {
    return {
      start: node.range![0],
      end: this.#endOf(node),
      style: node.flow === true ? "flow" : "block",
    };
  }

  /**
   * End offset of the value's last character; the parser's range of a block value includes the following
   * text.
   */
  #endOf(node: Node): number {
    let last: unknown = node;
    while ((isMap(last) || isSeq(last)) && last.flow !== true && last.items.length > 0) {
      const item: unknown = last.items.at(-1);
      const { key, value } = (isNode(item) ? { key: item, value: item } : item) as Pair;
      last = isNode(value) && value.range![1] > value.range![0] ? value : key;
      if (last === key && isScalar(key) && key !== value) return this.#text.indexOf(":", key.range![1]) + 1;
    }
    const end = (last as Node).range![1];
    return this.#text.slice(0, end).trimEnd().length;
  }
}

function scalar({ range }: Node): Part {
  return { ...nothing, start: range![0], end: range![1] };
}

/** Characters that are not visible as such; includes tabs, except in a text of several lines. */
const hidden = /[^\P{Cc}\n]|[\p{Cf}\u2028\u2029\p{Surrogate}]/u;

/** Prints `value` as a YAML 1.2 document that parses to the same value, without folded lines or aliases. */
export function stringifyYaml(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar(_, scalar: Scalar) {
      const { value } = scalar;
      // An unquoted `<<` would merge its value, and a CI runner could obey a command in plain text. Quoted
      // text can be escaped.
      if (typeof value !== "string") return;
      const isObeyed = value === "<<" || withoutCiCommands(value) !== value;
      if (isObeyed || hidden.test(value)) scalar.type = "QUOTE_DOUBLE";
    },
  });
  const text = document.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Infinity });
  return withoutCiCommands(escapedLines(text));
}

/**
 * Maximum total size of alias expansions in characters: a small file could otherwise represent an enormous
 * value.
 */
const mostShared = 8_000_000;

/** Cost of a value in addition to its text. */
const valueCost = 64;

/** Thrown for a node that JSON cannot represent. */
class NotJson extends Error {
  readonly node: Node | undefined;

  constructor(node: unknown, problem: string) {
    super(problem);
    this.node = isNode(node) ? node : undefined;
  }
}

/** Returns the target of an alias; undefined if no anchor of that name precedes it. */
type Resolve = (alias: Alias) => Node | undefined;

/** Finds the targets of all aliases of a document in one pass. */
function aliasesOf(document: Document): Resolve {
  const named = new Map<string, Node>();
  const targets = new Map<Alias, Node | undefined>();
  visit(document, {
    Alias: (_, alias) => void targets.set(alias, named.get(alias.source)),
    Value: (_, node) => void (node.anchor !== undefined && named.set(node.anchor, node)),
  });
  return (alias) => targets.get(alias);
}

/**
 * Converts a document to JSON, with aliases and merge keys (YAML 1.1, https://yaml.org/type/merge.html)
 * expanded.
 *
 * @throws NotJson
 */
function yamlValue(document: Document, resolve: Resolve): JsonValue {
  return new Walk(resolve).value(document.contents, 0);
}

/** Walks a document once. Each alias gets a separate copy of its target. */
class Walk {
  private readonly resolve: Resolve;
  /** The values that contain the current one. */
  private readonly around = new Set<Node>();
  /** Number of aliases on the path to the current value. */
  private aliases = 0;
  private shared = 0;

  constructor(resolve: Resolve) {
    this.resolve = resolve;
  }

  value(node: unknown, depth: number): JsonValue {
    if (node === null || node === undefined) return null;
    if (isAlias(node)) return this.behind(node, (target) => this.value(target, depth));
    if (isScalar(node)) return this.scalar(node);
    if (isMap(node)) return this.within(node, depth, () => this.mapping(node, depth));
    if (isSeq(node))
      return this.within(node, depth, () => node.items.map((item) => this.value(item, depth + 1)));
    throw new NotJson(node, "it has a value that JSON does not have");
  }

  private scalar(node: Scalar): JsonValue {
    const { value } = node;
    this.count(node, typeof value === "string" ? value.length : 0);
    if (typeof value === "number") {
      // Negative zero equals zero in JSON.
      if (Number.isFinite(value)) return value === 0 ? 0 : value;
      throw new NotJson(node, `${node.source ?? value} is a number that JSON does not have`);
    }
    if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
    throw new NotJson(node, "it has a value that JSON does not have");
  }

  /** A mapping's own keys override merged ones; of merged mappings, earlier ones override later ones. */
  private mapping(map: YAMLMap, depth: number): JsonObject {
    const own = new Set<string>();
    const members = new Map<string, JsonValue>();
    for (const { key, value } of map.items) {
      if (isMergeKey(key)) {
        this.merge(value, members, depth, true);
        continue;
      }
      const name = this.key(key);
      if (own.has(name)) throw new NotJson(key, "a mapping has the same key twice");
      own.add(name);
      members.set(name, this.value(value, depth + 1));
    }
    return Object.fromEntries(members);
  }

  private merge(source: unknown, members: Map<string, JsonValue>, depth: number, takesList: boolean): void {
    if (isAlias(source))
      return this.behind(source, (target) => this.merge(target, members, depth, takesList));
    if (takesList && isSeq(source)) {
      for (const item of source.items) this.merge(item, members, depth, false);
      return;
    }
    if (!isMap(source)) throw new NotJson(source, "expected `<<` to name a mapping, or a list of mappings");
    const merged = this.within(source, depth, () => this.mapping(source, depth));
    for (const [name, value] of Object.entries(merged)) if (!members.has(name)) members.set(name, value);
  }

  private key(key: unknown): string {
    if (isAlias(key)) return this.behind(key, (target) => this.key(target));
    const name = keyText(key);
    if (name === undefined) throw new NotJson(key, "expected a string as key, got a list or a mapping");
    this.count(key, name.length);
    return name;
  }

  /** Reads the target of an alias. */
  private behind<T>(alias: Alias, read: (target: Node) => T): T {
    const target = this.resolve(alias);
    if (!target) throw new NotJson(alias, `the alias *${alias.source} has no anchor before it`);
    if (this.around.has(target))
      throw new NotJson(alias, `the alias *${alias.source} refers to a value that contains it`);
    this.aliases++;
    this.count(alias, 0);
    try {
      return read(target);
    } finally {
      this.aliases--;
    }
  }

  /** Reads the content of a collection. */
  private within<T>(node: Node, depth: number, read: () => T): T {
    // The contract reader reports deeper nesting with a better message, so one more level is read.
    if (depth > mostLevels + 1) throw new NotJson(node, "it is nested too deeply");
    this.count(node, 0);
    this.around.add(node);
    try {
      return read();
    } finally {
      this.around.delete(node);
    }
  }

  private count(node: unknown, length: number): void {
    if (this.aliases === 0) return;
    this.shared += valueCost + length;
    if (this.shared > mostShared)
      throw new NotJson(node, `the aliases expand to more than ${mostShared / 1_000_000} MB in all`);
  }
}

/** Only an unquoted `<<` is a merge key. */
function isMergeKey(key: unknown): boolean {
  return isScalar(key) && key.value === "<<" && key.type === "PLAIN" && key.tag === undefined;
}

/** A key as JSON text; undefined if it is a collection. */
function keyText(key: unknown): string | undefined {
  if (key === null) return "";
  if (!isScalar(key)) return undefined;
  return key.value === null ? "" : String(key.value);
}
