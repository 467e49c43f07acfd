import { parseTree } from "jsonc-parser";
import {
  type JsonObject,
  atPointer,
  canonicaliseWithOrigins,
  isJsonObject,
  pointerTokens,
} from "@mcpgen/engine";
import type { JsonFile } from "../../files/json-file.js";

/** Finds the line of a file that a JSON Pointer of its canonical form leads to. */
export function lineFinder({ text, value }: JsonFile): (pointer: string) => number {
  const { canonical, origins } = canonicaliseWithOrigins(value);
  const root = parseTree(text);
  const starts = lineStarts(text);
  const members = new Map<Tree, ReadonlyMap<string, Tree>>();
  const known = new Map<string, number>();
  const find = (pointer: string): number => {
    if (!root) return 1;
    const tokens = pointerTokens(originOf(canonical, origins, pointer));
    for (let length = tokens.length; length >= 0; length--) {
      const node = nodeAt(root, tokens.slice(0, length), members);
      if (node) return lineAt(starts, node.offset);
    }
    return 1;
  };
  return (pointer) => {
    const line = known.get(pointer) ?? find(pointer);
    known.set(pointer, line);
    return line;
  };
}

/** The line of the schema object at a pointer, or of the nearest one around it. */
function originOf(canonical: JsonObject, origins: ReadonlyMap<JsonObject, string>, pointer: string): string {
  for (let at = pointer; at !== ""; at = at.slice(0, at.lastIndexOf("/"))) {
    const object = atPointer(canonical, at);
    const origin = isJsonObject(object) ? origins.get(object) : undefined;
    if (origin !== undefined) return origin;
  }
  return "";
}

type Tree = NonNullable<ReturnType<typeof parseTree>>;

/** @param known the members of nodes that were looked into: looking through siblings takes too long for many */
function nodeAt(
  root: Tree,
  tokens: readonly string[],
  known: Map<Tree, ReadonlyMap<string, Tree>>,
): Tree | undefined {
  let node: Tree | undefined = root;
  for (const token of tokens) {
    if (!node) return undefined;
    let members = known.get(node);
    if (!members) known.set(node, (members = membersOf(node)));
    node = members.get(token);
  }
  return node;
}

/** The values in an object or an array by their tokens; of a key that is there twice, the first. */
function membersOf({ type, children = [] }: Tree): Map<string, Tree> {
  const members = new Map<string, Tree>();
  for (const [index, child] of children.entries()) {
    const [key, value] = child.children ?? [];
    const token = type === "array" ? String(index) : String(key?.value);
    const found = type === "array" ? child : value;
    if (found && !members.has(token)) members.set(token, found);
  }
  return members;
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/** The last line that starts at or before an offset, counted from 1. */
function lineAt(starts: readonly number[], offset: number): number {
  let [low, high] = [0, starts.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (starts[middle]! <= offset) low = middle;
    else high = middle;
  }
  return low + 1;
}
