import { type Node, parseTree } from "jsonc-parser";
import { invariant } from "../../diagnostics/invariant.js";
import type { Entry, Part } from "./parts.js";

/** The values in a JSON text that has been read. */
export function jsonParts(text: string): Part {
  const root = parseTree(text);
  invariant(root, "the text has been read as JSON");
  return partOf(root);
}

function partOf({ type, offset: start, length, children = [] }: Node): Part {
  const isList = type === "array";
  const style = isList || type === "object" ? "flow" : "scalar";
  const entries = children.map((child, index) => (isList ? itemOf(child, index) : memberOf(child)));
  return { start, end: start + length, style, isList, entries, merged: [] };
}

function itemOf(node: Node, index: number): Entry {
  const value = partOf(node);
  return { name: String(index), start: value.start, keyEnd: value.start, end: value.end, value };
}

function memberOf({ children = [] }: Node): Entry {
  const [key, member] = children;
  const value = partOf(member!);
  const { offset: start, length } = key!;
  return { name: String(key!.value), start, keyEnd: start + length, end: value.end, value };
}
