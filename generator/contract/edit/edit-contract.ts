import { type JsonObject, type JsonValue, jsonEqual } from "@mcpgen/engine";
import { type Node, parseTree } from "jsonc-parser";
import { CodedError, invariant } from "../../diagnostics/coded-error.js";
import type { ContractDocument } from "../contract.js";
import { type Edit, type Entry, type Located, type Part, edited, placeOf, together, locate } from "./edit.js";
import { isJsonContract, readContract } from "../read-contract.js";

/** Edits that are made together or not at all. */
export type EditGroup = readonly Edit[];

/**
 * Applies edits to the text of a contract. A group is applied only if the edited text, when read again, is
 * exactly the edited contract. A YAML value that several places share (`*alias`, `<<`) changes only if all of
 * them are edited.
 *
 * @param groups pointers refer to the original document
 * @returns the edited contract, and the indexes of the applied groups
 */
export async function editContract(
  document: ContractDocument,
  groups: readonly EditGroup[],
): Promise<{ readonly document: ContractDocument; readonly made: readonly number[] }> {
  const root = await partsOf(document);
  let current = document;
  let made: readonly number[] = [];
  const tried = async (indexes: readonly number[]): Promise<void> => {
    if (indexes.length === 0) return;
    const all = [...made, ...indexes].sort((a, b) => a - b);
    const next = await withEdits(document, root, together(all.flatMap((index) => groups[index]!)));
    if (next) {
      current = next;
      made = all;
    } else if (indexes.length > 1) {
      const half = indexes.length >> 1;
      await tried(indexes.slice(0, half));
      await tried(indexes.slice(half));
    }
  };
  await tried([...groups.keys()]);
  return { document: current, made };
}

async function partsOf({ text, file }: ContractDocument): Promise<Part> {
  if (isJsonContract(text, file)) return jsonParts(text);
  return (await import("../yaml.js")).yamlParts(text);
}

async function withEdits(
  { contract, file, text }: ContractDocument,
  root: Part,
  edits: readonly Edit[],
): Promise<ContractDocument | undefined> {
  const wanted = edited(contract as unknown as JsonObject, edits);
  const result = editText(text, root, isJsonContract(text, file) ? "json" : "yaml", edits);
  if (result === undefined) return undefined;
  try {
    const document = await readContract(result, file);
    return jsonEqual(document.contract as unknown as JsonObject, wanted) ? document : undefined;
  } catch (error) {
    if (error instanceof CodedError) return undefined;
    throw error;
  }
}

/** Locates the values in a valid JSON text. */
function jsonParts(text: string): Part {
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

/** A range of the text, and its replacement. */
interface Change {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Applies edits to a text and leaves every other character unchanged. Comments inside removed values are
 * removed, others stay.
 *
 * @param root the located values of the text
 * @param syntax notation of the text, which decides how values are written
 * @returns undefined if the text has no place for an edit. The caller must verify that the result reads as
 * intended.
 */
function editText(
  text: string,
  root: Part,
  syntax: "json" | "yaml",
  edits: readonly Edit[],
): string | undefined {
  const changes: Change[] = [];
  const removed = new Map<Part, Set<Entry>>();
  for (const edit of edits) {
    const located = locate(root, placeOf(edit));
    if (!located) return undefined;
    if ("remove" in edit) {
      const entries = removed.get(located.holder) ?? new Set();
      removed.set(located.holder, entries.add(located.entry));
      continue;
    }
    const change = new Writing(text, syntax).changeOf(edit, located);
    if (!change) return undefined;
    changes.push(change);
  }
  for (const [holder, entries] of removed) {
    const removals = removalsIn(text, holder, entries);
    if (!removals) return undefined;
    changes.push(...removals);
  }
  return changed(text, changes);
}

/** Applies changes, ignoring duplicates; undefined if two overlap. */
function changed(text: string, changes: readonly Change[]): string | undefined {
  const sorted = [...changes].sort((a, b) => a.start - b.start || a.end - b.end);
  let result = "";
  let at = 0;
  let last: Change | undefined;
  for (const change of sorted) {
    const { start, end, text: inserted } = change;
    // An alias leads to the same text as its anchor, so the change may occur twice.
    if (last && last.start === start && last.end === end && last.text === inserted) continue;
    if (start < at) return undefined;
    result += text.slice(at, start) + inserted;
    at = end;
    last = change;
  }
  return result + text.slice(at);
}

/** Writes new keys and values in the style of the surrounding ones. */
class Writing {
  readonly #text: string;
  readonly #syntax: "json" | "yaml";

  constructor(text: string, syntax: "json" | "yaml") {
    this.#text = text;
    this.#syntax = syntax;
  }

  changeOf(edit: Exclude<Edit, { remove: string }>, { holder, entry }: Located): Change | undefined {
    if ("rename" in edit) return { start: entry.start, end: entry.keyEnd, text: this.#key(edit.key, entry) };
    if ("replace" in edit) return this.#replacement(holder, entry, edit.value);
    const separator = this.#text.slice(entry.keyEnd, this.#text.indexOf(":", entry.keyEnd) + 1);
    const pair = `${this.#key(edit.key, entry)}${separator}${this.#gapBefore(entry)}${this.#value(edit.value)}`;
    return holder.style === "flow" ? this.#behind(holder, entry, pair) : this.#lineBelow(entry, pair);
  }

  #key(key: string, { start }: Entry): string {
    const quote = this.#text[start]!;
    return `"'`.includes(quote) ? `${quote}${key}${quote}` : key;
  }

  /** A value on one line. */
  #value(value: JsonValue): string {
    if (Array.isArray(value)) return `[${value.map((item) => this.#value(item)).join(", ")}]`;
    const isPlain = typeof value === "string" && /^[a-z][a-z_]*$/i.test(value) && !reserved.test(value);
    return this.#syntax === "yaml" && isPlain ? value : JSON.stringify(value);
  }

  /** The space between the colon and the value, or one space if the value begins on another line. */
  #gapBefore({ keyEnd, value }: Entry): string {
    const gap = this.#text.slice(this.#text.indexOf(":", keyEnd) + 1, value.start);
    return /^[ \t]*$/.test(gap) && (this.#syntax === "json" || gap !== "") ? gap : " ";
  }

  #replacement({ isList }: Part, entry: Entry, value: JsonValue): Change | undefined {
    const { start, end, style } = entry.value;
    if (style !== "block") return { start, end, text: this.#value(value) };
    const from = isList ? entry.keyEnd : this.#text.indexOf(":", entry.keyEnd) + 1;
    // A comment or anchor between the colon or dash and the first line would be lost.
    if (this.#text.slice(from, start).trim() !== "") return undefined;
    return { start: from, end: entry.end, text: ` ${this.#value(value)}` };
  }

  #behind({ entries, start }: Part, entry: Entry, pair: string): Change {
    const before = entries[entries.indexOf(entry) - 1];
    const space = /\s*$/.exec(this.#text.slice(before?.end ?? start + 1, entry.start))![0];
    return { start: entry.end, end: entry.end, text: `,${space}${pair}` };
  }

  #lineBelow(entry: Entry, pair: string): Change {
    const column = entry.start - lineStart(this.#text, entry.start);
    const end = lineEnd(this.#text, entry.end);
    const line = " ".repeat(column) + pair;
    const lineBreak = this.#text.includes("\r\n") ? "\r\n" : "\n";
    const isLast = this.#text[end - 1] !== "\n";
    return { start: end, end, text: isLast ? lineBreak + line : line + lineBreak };
  }
}

/** Words that YAML 1.1 or 1.2 does not read as strings. */
const reserved = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

/** The changes that remove entries of one value. */
function removalsIn(text: string, holder: Part, entries: ReadonlySet<Entry>): Change[] | undefined {
  if (entries.size === holder.entries.length) return emptied(text, holder);
  const runs = runsOf(holder, entries);
  const changes = runs.map((run) =>
    holder.style === "flow" ? removalBetween(text, holder, run) : removalOfLines(text, holder, run),
  );
  return changes.every((change) => change !== undefined) ? changes.flat() : undefined;
}

/** Groups adjacent entries; returns the first and last index of each group. */
function runsOf({ entries: all }: Part, entries: ReadonlySet<Entry>): [first: number, last: number][] {
  const runs: [number, number][] = [];
  for (const [index, entry] of all.entries()) {
    if (!entries.has(entry)) continue;
    const run = runs.at(-1);
    if (run?.[1] === index - 1) run[1] = index;
    else runs.push([index, index]);
  }
  return runs;
}

function emptied(text: string, { start, end, style, isList, entries }: Part): Change[] | undefined {
  const empty = isList ? "[]" : "{}";
  if (style === "flow") {
    const outside = text.slice(start + 1, entries[0]!.start) + text.slice(entries.at(-1)!.end, end - 1);
    return outside.includes("#") ? undefined : [{ start, end, text: empty }];
  }
  // The block lines become one value after the colon or dash.
  const before = text.slice(0, start).trimEnd();
  if (!/[:-]$/.test(before)) return undefined;
  return [{ start: before.length, end, text: ` ${empty}` }];
}

function removalBetween(text: string, { entries }: Part, [first, last]: [number, number]): Change[] {
  const [before, next] = [entries[first - 1], entries[last + 1]];
  const start = before ? before.end : entries[first]!.start;
  const end = before || !next ? entries[last]!.end : next.start;
  const removed = entries.slice(first, last + 1);
  if (!hasComment(text, start, end, removed)) return [{ start, end, text: "" }];
  return removed.map((entry) => {
    const comma = /^\s*,/.exec(text.slice(entry.end))?.[0] ?? "";
    return { start: entry.start, end: entry.end + comma.length, text: "" };
  });
}

/** Whether a range contains a comment outside of the entries. */
function hasComment(text: string, start: number, end: number, entries: readonly Entry[]): boolean {
  let at = start;
  for (const entry of entries) {
    if (text.slice(at, entry.start).includes("#")) return true;
    at = entry.end;
  }
  return text.slice(at, Math.max(at, end)).includes("#");
}

/** The change that removes the lines of entries, with comments at their ends. */
function removalOfLines(
  text: string,
  { entries }: Part,
  [first, last]: [number, number],
): Change[] | undefined {
  const [from, next] = [entries[first]!, entries[last + 1]];
  const start = lineStart(text, from.start);
  const end = lineEnd(text, entries[last]!.end);
  if (text.slice(start, from.start).trim() === "") return [{ start, end, text: "" }];
  // The first entry follows the dash of a list item; the next entry takes its place.
  if (!next || text.slice(end, next.start).trim() !== "") return undefined;
  return [{ start: from.start, end: next.start, text: "" }];
}

function lineStart(text: string, at: number): number {
  return text.lastIndexOf("\n", at - 1) + 1;
}

/** The start of the next line. */
function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end + 1;
}
