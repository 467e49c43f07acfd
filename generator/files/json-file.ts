import { type JsonValue, isJsonObject } from "@mcpgen/engine";
import { CodedError } from "../diagnostics/coded-error.js";
import { readRegularFile } from "./regular-file.js";
import { decodeText } from "./text-file.js";

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

/** As `loadJson`, for text that is read already. */
export async function parseJson(text: string, file: string): Promise<JsonFile> {
  const value = await parsed(text, file);
  const duplicate = duplicateKey(text, value);
  if (duplicate) throw await ambiguous(text, file, duplicate);
  return { file, text, value };
}

async function parsed(text: string, file: string): Promise<JsonValue> {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    throw await syntaxError(text, file, error);
  }
}

async function ambiguous(text: string, file: string, duplicate: DuplicateKey): Promise<CodedError> {
  const { lineAndColumn } = await import("./positions.js");
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
  const { firstSyntaxError, lineAndColumn } = await import("./positions.js");
  const problem = firstSyntaxError(text, cause);
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

/** A key that stands twice in one object of a JSON text. */
interface DuplicateKey {
  readonly key: string;
  /** Character offsets of the first one and of the one that repeats it. */
  readonly first: number;
  readonly offset: number;
}

/** Whole strings, so that no character inside one is read as syntax; keys with their colon. */
const strings = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/g;

/** Strings, brackets, colons and commas. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/g;

/**
 * The first key that repeats another one of its object; `JSON.parse` keeps the last of them and says nothing.
 *
 * @param value what `text` parses to
 */
export function duplicateKey(text: string, value: JsonValue): DuplicateKey | undefined {
  // Counting is much faster than looking, and almost always settles it.
  return writtenKeys(text) === keysOf(value) ? undefined : find(text);
}

function writtenKeys(text: string): number {
  let count = 0;
  for (const match of text.matchAll(strings)) if (match[1] !== undefined) count++;
  return count;
}

/** Any depth: no recursion. */
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
  /** For each container around the place: the offsets of an object's keys so far; empty for an array. */
  const around: (Map<string, number> | undefined)[] = [];
  let last: { readonly token: string; readonly offset: number } | undefined;
  for (const { 0: token, index: offset } of text.matchAll(tokens)) {
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
