import { type JsonValue, isJsonObject } from "@mcpgen/engine";

/** A key that stands twice in one object of a JSON text. */
export interface DuplicateKey {
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
