import { type JsonValue, isJsonObject, escapeToken, pointerTokens } from "@mcpgen/engine";
import { CodedError } from "../diagnostics/coded-error.js";
import { readRegularFile, decodeText } from "./regular-file.js";
import type { ParseError } from "jsonc-parser";

/** A JSON file as read: its value and the text that positions refer to. */
export interface JsonFile {
  readonly file: string;
  readonly text: string;
  readonly value: JsonValue;
}

/**
 * Reads a JSON file.
 *
 * @param file path, also the name errors use
 * @throws CodedError MG1001–MG1004, MG1009; for text that is not JSON or not clear with line and column
 */
export async function loadJson(file: string): Promise<JsonFile> {
  return parseJson(decodeText(readRegularFile(file), file), file);
}

/** Same as `loadJson` for text that was already read. */
export async function parseJson(text: string, file: string): Promise<JsonFile> {
  const value = await parsed(text, file);
  const duplicate = duplicateKey(text, value);
  if (duplicate) throw await ambiguous(text, file, duplicate);
  return { file, text, value };
}

/** The value of a JSON text; undefined for any other text. */
export function parsedText(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

async function parsed(text: string, file: string): Promise<JsonValue> {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    throw await syntaxError(text, file, error);
  }
}

async function ambiguous(text: string, file: string, duplicate: DuplicateKey): Promise<CodedError> {
  const { key, first, offset } = duplicate;
  const { line } = lineAndColumn(text, first);
  return new CodedError(
    "MG1009",
    `the key ${JSON.stringify(key)} is used twice in one object, first in line ${line}`,
    {
      place: { file, ...lineAndColumn(text, offset) },
      next: "Remove one of them.",
    },
  );
}

async function syntaxError(text: string, file: string, cause: unknown): Promise<CodedError> {
  const problem = await firstSyntaxError(text, cause);
  return new CodedError("MG1002", problem.message, {
    place: { file, ...lineAndColumn(text, problem.offset) },
    next: nextOf(file),
    cause,
  });
}

function nextOf(file: string): string {
  if (/\.ya?ml$/i.test(file)) return "Schemas and notes are read as JSON: convert the YAML file.";
  if (/\.[cm]?[jt]s$/i.test(file))
    return "Name the schema, not the program that defines it: print the schema as JSON first.";
  return "Correct the file; if it was downloaded, fetch it again.";
}

/** A key that occurs twice in one object of a JSON text. */
interface DuplicateKey {
  readonly key: string;
  /** Character offsets of the first key and of its repetition. */
  readonly first: number;
  readonly offset: number;
}

/** Matches whole strings, so that their characters are not read as syntax; keys with their colon. */
const strings = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/g;

/** Matches strings, brackets, colons and commas. */
const punctuation = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/g;

/**
 * Finds the first key that repeats another key of its object. `JSON.parse` silently keeps the last one.
 *
 * @param value the parsed `text`
 */
export function duplicateKey(text: string, value: JsonValue): DuplicateKey | undefined {
  // Counting keys is much faster than searching, and almost always settles it.
  return writtenKeys(text) === keysOf(value) ? undefined : find(text);
}

function writtenKeys(text: string): number {
  let count = 0;
  for (const match of text.matchAll(strings)) if (match[1] !== undefined) count++;
  return count;
}

/** Without recursion, so that any depth works. */
function keysOf(value: JsonValue): number {
  let count = 0;
  const left: JsonValue[] = [value];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (Array.isArray(next)) for (const item of next) left.push(item);
    else if (isJsonObject(next)) {
      for (const member of Object.values(next)) {
        count++;
        left.push(member);
      }
    }
  }
  return count;
}

function find(text: string): DuplicateKey | undefined {
  /** For each open container around the position: offsets of the keys so far; undefined for an array. */
  const around: (Map<string, number> | undefined)[] = [];
  let last: { readonly token: string; readonly offset: number } | undefined;
  for (const { 0: token, index: offset } of text.matchAll(punctuation)) {
    if (token === "{") around.push(new Map());
    else if (token === "[") around.push(undefined);
    else if (token === "}" || token === "]") around.pop();
    else if (token === ":" && last) {
      const keys = around.at(-1)!;
      const key = JSON.parse(last.token) as string;
      const first = keys.get(key);
      if (first !== undefined) return { key, first, offset: last.offset };
      keys.set(key, last.offset);
    }
    last = { token, offset };
  }
  return undefined;
}

/** Line and column of a character offset, counted from 1. */
export function lineAndColumn(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: offset - lineStart + 1 };
}

/** The first syntax error in a text that `JSON.parse` rejected with `cause`. */
export async function firstSyntaxError(
  text: string,
  cause: unknown,
): Promise<{ offset: number; message: string }> {
  if (text.trim() === "") return { offset: 0, message: "expected JSON, got an empty file" };
  const { parseTree, printParseErrorCode } = await import("jsonc-parser");
  const errors: ParseError[] = [];
  try {
    parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
  } catch {
    // The text is nested too deep for a tree. `JSON.parse` accepts any depth, and its errors usually name the
    // offset.
    if (String(cause).includes("end of JSON")) return endOfFile(text);
    const said = /at position (\d+)/.exec(String(cause))?.[1];
    return { offset: Number(said ?? 0), message: "expected JSON, got something else inside deep nesting" };
  }
  const [first] = errors;
  if (first === undefined) return { offset: 0, message: "expected JSON" };
  if (text.slice(first.offset).trim() === "") return endOfFile(text);
  const expectation = printParseErrorCode(first.error)
    .replace(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`)
    .trim();
  return {
    offset: first.offset,
    message: `expected JSON, got ${JSON.stringify(text.slice(first.offset, first.offset + 12))} (${expectation})`,
  };
}

function endOfFile(text: string): { offset: number; message: string } {
  return { offset: text.trimEnd().length, message: "expected more JSON, got the end of the file" };
}

/** The position in `text` of the value at `pointer`, or of the nearest enclosing value if there is none. */
export function positionOf(text: string, pointer: string): { line: number; column: number } {
  return lineAndColumn(text, offsetOf(text, pointerTokens(pointer)));
}

/** Matches the tokens of JSON: strings, punctuation, and other words. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** Reads token by token without building a tree, because the text may be nested to any depth. */
function offsetOf(text: string, path: readonly string[]): number {
  let nearest = 0;
  /** Number of path tokens that lead to the current container, and its depth. */
  let matched = -1;
  let depth = 0;
  /**
   * The key of the next value in that container: the index of an item, or a member's key once it was read.
   */
  let name: string | number | undefined;
  for (const { 0: token, index } of text.matchAll(tokens)) {
    const direct = depth === matched + 1;
    if (token === "}" || token === "]") {
      if (direct) return nearest;
      depth--;
    } else if (token === ",") {
      if (direct) name = typeof name === "number" ? name + 1 : undefined;
    } else if (direct && matched >= 0 && name === undefined) {
      name = JSON.parse(token) as string;
    } else if (token !== ":") {
      const opens = token === "{" || token === "[";
      if (direct && (matched < 0 || String(name) === path[matched])) {
        nearest = index;
        if (++matched === path.length || !opens) return nearest;
        name = token === "[" ? 0 : undefined;
      }
      if (opens) depth++;
    }
  }
  return nearest;
}

interface Position {
  readonly line: number;
  readonly column: number;
}

/** An open container; its pointer is undefined if it is too deep for the index. */
interface Open {
  readonly pointer: string | undefined;
  readonly isArray: boolean;
  /** The key of its next value: the index of an item, or a member's key once it was read. */
  name: string | number | undefined;
}

/** Number of indexed levels. A lookup below them searches the text again. */
const deepest = 64;

/** Number of lookups without an index: one search is fast, and an index pays off only for many. */
const seldom = 16;

/** Same as `positionOf` for many lookups in one JSON text. */
export function positionsIn(text: string): (pointer: string) => Position {
  let asked = 0;
  let index: ((pointer: string) => Position | undefined) | undefined;
  return (pointer) => {
    if (++asked <= seldom) return positionOf(text, pointer);
    index ??= indexOf(text);
    return index(pointer) ?? positionOf(text, pointer);
  };
}

function indexOf(text: string): (pointer: string) => Position | undefined {
  const offsets = offsetsIn(text);
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  return (pointer) => {
    if (pointerTokens(pointer).length > deepest) return undefined;
    let nearest = pointer;
    while (!offsets.has(nearest) && nearest !== "") nearest = nearest.slice(0, nearest.lastIndexOf("/"));
    const offset = offsets.get(nearest);
    return offset === undefined ? undefined : positionAt(starts, offset);
  };
}

function positionAt(starts: readonly number[], offset: number): Position {
  let [low, high] = [0, starts.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (starts[middle]! <= offset) low = middle;
    else high = middle;
  }
  return { line: low + 1, column: offset - starts[low]! + 1 };
}

/** The offsets of all values that are not too deep, by pointer. */
function offsetsIn(text: string): ReadonlyMap<string, number> {
  const offsets = new Map<string, number>();
  const open: Open[] = [];
  for (const { 0: token, index } of text.matchAll(tokens)) {
    const around = open.at(-1);
    if (token === "}" || token === "]") open.pop();
    else if (token === ",") around!.name = around!.isArray ? Number(around!.name) + 1 : undefined;
    else if (token === ":") continue;
    else if (around && around.name === undefined) around.name = JSON.parse(token) as string;
    else {
      const pointer = pointerIn(around);
      if (pointer !== undefined) offsets.set(pointer, index);
      if (token !== "{" && token !== "[") continue;
      const isArray = token === "[";
      open.push({
        pointer: open.length < deepest ? pointer : undefined,
        isArray,
        name: isArray ? 0 : undefined,
      });
    }
  }
  return offsets;
}

function pointerIn(around: Open | undefined): string | undefined {
  if (!around) return "";
  return around.pointer === undefined ? undefined : `${around.pointer}/${escapeToken(String(around.name))}`;
}
