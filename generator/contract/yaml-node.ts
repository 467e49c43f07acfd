import { type Document, type Node, isAlias, isMap, isNode, isSeq } from "yaml";
import { type Resolve, isMergeKey, keyText } from "./yaml-value.js";

/** A node of a document that has a place. */
interface Found {
  readonly node: unknown;
  /** The start of a node; for an absent value, that of its key. */
  readonly offset: number;
  /** Whether the whole path was there. */
  readonly exact: boolean;
}

/** The node at a path, through aliases and merge keys; else the nearest around it. */
export function nodeAt(document: Document, path: readonly string[], resolve: Resolve): Found {
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
  // The reader has already rejected mappings that merge each other.
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

/** The mappings that a merge key names, which may be aliases. */
function mergeSources(value: unknown, resolve: Resolve): readonly unknown[] {
  const named = isAlias(value) ? resolve(value) : value;
  return isSeq(named) ? named.items : [value];
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? (node as Node).range?.[0] : undefined;
}
