// The text of places, values and names in explanations. Explanations go to logs and terminals: values are shortened, and
// invisible characters are escaped.
import { pointerTokens } from "../ir/json.js";

/** Maximum length of a shown string. */
const longestString = 40;

/** Maximum length of a shown list of names or values. */
const longestList = 160;

/** Maximum length of a shown place. */
const longestPlace = 80;

/** Longest message, and longest summary. */
export const longestMessage = 400;

/** Maximum length of names that are compared with others. */
const longestName = 40;

/** A key of an object, or an index of an array. */
export type Key = string | number;

/** A scalar as JSON text; a long string is cut. */
export function scalarText(value: unknown): string {
  if (typeof value !== "string") return String(value);
  const text = value.length > longestString ? `${value.slice(0, longestString)}…` : value;
  return visible(JSON.stringify(text));
}

/**
 * A text on one line: control, bidirectional and invisible characters, which terminals obey or hide, and ends of lines are written
 * as JSON escapes them.
 */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) =>
    character
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}

/** A scalar with its type; for any other value, only its type. */
export function valueText(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  const type = typeof value;
  if (type === "number" && !Number.isFinite(value)) return String(value);
  const isScalarType = type === "string" || type === "number" || type === "boolean";
  return isScalarType ? `${scalarText(value)} (${type})` : type;
}

/** `"a"`, or `one of "a", "b"`; a long list ends with the number of values left out. */
export function choiceText(values: readonly unknown[]): string {
  const texts = values.map((value) => (value !== Object(value) ? scalarText(value) : valueText(value)));
  let list = "";
  for (const [index, text] of texts.entries()) {
    if (list.length + text.length > longestList) return `one of ${list}, … (${texts.length - index} more)`;
    list += index === 0 ? text : `, ${text}`;
  }
  return texts.length === 1 ? list : `one of ${list}`;
}

/** `a`, `a or b`, `a, b or c`. */
export function alternatives(texts: readonly string[]): string {
  const last = texts.at(-1) ?? "nothing";
  return texts.length < 2 ? last : `${texts.slice(0, -1).join(", ")} or ${last}`;
}

/** A place in the notation of code: `params.content[0]["a b"]`; the beginning of a long place is left out. */
export function placeText(path: readonly Key[]): string {
  let text = "";
  for (const key of path) {
    if (typeof key === "number") text += `[${key}]`;
    else if (!/^[A-Za-z_$][\w$]*$/.test(key)) text += `[${scalarText(key)}]`;
    else text += text === "" ? key : `.${key}`;
  }
  return text.length > longestPlace ? `…${text.slice(1 - longestPlace)}` : text;
}

/** The place of a JSON Pointer in the notation of code. */
export function placeOf(pointer: string): string {
  return placeText(pointerTokens(pointer).map((key) => (/^\d+$/.test(key) ? Number(key) : key)));
}

/** The sentence about the problem at a place. */
export function sentence(place: string, expected: string, got: string, advice = ""): string {
  return `${place && `${place}: `}expected ${expected}, got ${got}${advice}`.slice(0, longestMessage);
}

/** At most three lines, and 400 characters; if there are more, the last line gives the number left out. */
export function summaryOf(lines: readonly string[]): string {
  for (let shown = lines.length > 3 ? 2 : lines.length; ; shown--) {
    const more = shown < lines.length ? [`and ${lines.length - shown} more`] : [];
    const text = [...lines.slice(0, shown), ...more].join("\n");
    if (shown <= 1 || text.length <= longestMessage) return text.slice(0, longestMessage);
  }
}

/**
 * The text among `candidates` that `name` misspells: at most a third of its letters differ, and at most four, or two
 * letters are swapped. A name that differs more may be intended. Upper and lower case do not matter.
 */
export function nearest(name: string, candidates: readonly unknown[]): string | undefined {
  let found: string | undefined;
  let least = longestName;
  const sorted = (text: string): string => [...text].sort().join("");
  const given = name.toLowerCase();
  for (const candidate of candidates) {
    if (typeof candidate !== "string" || Math.max(name.length, candidate.length) > longestName) continue;
    const other = candidate.toLowerCase();
    const limit = Math.min(least, given.length, other.length);
    const letters = editDistance(given, other, limit);
    const isSwapped = letters === 2 && sorted(given) === sorted(other);
    if (letters >= limit || !(isSwapped || letters <= Math.max(1, Math.min(4, other.length / 3)))) continue;
    found = candidate;
    least = letters;
  }
  return found;
}

/** Returns the number of letters to insert, delete or replace; `limit` if it is `limit` or more. */
export function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const replaced = row[j]! + Number(a[i] !== b[j]);
      next.push(Math.min(replaced, row[j + 1]! + 1, next[j]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
