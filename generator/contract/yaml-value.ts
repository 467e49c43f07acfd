import type { JsonObject, JsonValue } from "@mcpgen/engine";
import {
  type Alias,
  type Document,
  type Node,
  type Scalar,
  type YAMLMap,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  visit,
} from "yaml";
import { mostLevels } from "./depth.js";

/** Most that aliases may add up to, in characters: a small file could stand for an enormous value. */
const mostShared = 8_000_000;

/** The cost of a value beside its text. */
const valueCost = 64;

/** The fault of a node that is no JSON. */
export class NotJson extends Error {
  readonly node: Node | undefined;

  constructor(node: unknown, problem: string) {
    super(problem);
    this.node = isNode(node) ? node : undefined;
  }
}

/** The node that an alias stands for; undefined without an anchor of that name before it. */
export type Resolve = (alias: Alias) => Node | undefined;

/** The nodes that the aliases of a document stand for, found in one pass. */
export function aliasesOf(document: Document): Resolve {
  const named = new Map<string, Node>();
  const targets = new Map<Alias, Node | undefined>();
  visit(document, {
    Alias: (_, alias) => void targets.set(alias, named.get(alias.source)),
    Value: (_, node) => void (node.anchor !== undefined && named.set(node.anchor, node)),
  });
  return (alias) => targets.get(alias);
}

/**
 * The JSON value of a document, aliases and merge keys (YAML 1.1, https://yaml.org/type/merge.html) written out.
 *
 * @throws NotJson
 */
export function yamlValue(document: Document, resolve: Resolve): JsonValue {
  return new Walk(resolve).value(document.contents, 0);
}

/** One walk through a document; each alias gets a separate copy of its target. */
class Walk {
  private readonly resolve: Resolve;
  /** The values around the one that is read. */
  private readonly around = new Set<Node>();
  /** How many aliases lead to the one that is read. */
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
      // Minus zero is no more than zero in JSON.
      if (Number.isFinite(value)) return value === 0 ? 0 : value;
      throw new NotJson(node, `${node.source ?? value} is a number that JSON does not have`);
    }
    if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
    throw new NotJson(node, "it has a value that JSON does not have");
  }

  /** A mapping's own keys win over merged ones, merged ones over those that are merged after them. */
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

  /** Reads what an alias stands for. */
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

  /** Reads what is inside of a collection. */
  private within<T>(node: Node, depth: number, read: () => T): T {
    // The contract reader reports one more level, with a better message.
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

/** Only a plain one: in quotes it is a key like any other. */
export function isMergeKey(key: unknown): boolean {
  return isScalar(key) && key.value === "<<" && key.type === "PLAIN" && key.tag === undefined;
}

/** A key as JSON has it; undefined for one that is a collection. */
export function keyText(key: unknown): string | undefined {
  if (key === null) return "";
  if (!isScalar(key)) return undefined;
  return key.value === null ? "" : String(key.value);
}
