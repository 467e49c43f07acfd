// The text of places, values and names in explanations. Explanations go to logs and terminals: values are shortened, and
// invisible characters are escaped.
import { pointer } from "../ir/json.js";

/** Longest part of a string that is shown. */
const longestString = 40;

/** Longest list of names or values. */
const longestList = 160;

/** Longest place. */
const longestPlace = 80;

/** Control, bidirectional and invisible characters, and ends of lines. */
const unprintable = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** A key of an object, or an index of an array. */
export type Key = string | number;

/** A scalar as JSON text; a long string is cut. */
export function scalarText(value: unknown): string {
  if (typeof value !== "string") return String(value);
  const text = value.length > longestString ? `${value.slice(0, longestString)}…` : value;
  return JSON.stringify(text).replace(unprintable, escapedText);
}

function escapedText(character: string): string {
  const units = character.split("").map((unit) => unit.charCodeAt(0));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

/** A scalar with its type; of any other value, its type. */
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
  const texts = values.map((value) =>
    typeof value === "object" && value !== null ? valueText(value) : scalarText(value),
  );
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

/** A place as code writes it: `params.content[0]["a b"]`; the beginning of a long place is left out. */
export function placeText(path: readonly Key[]): string {
  let text = "";
  for (const key of path) {
    if (typeof key === "number") text += `[${key}]`;
    else if (!/^[A-Za-z_$][\w$]*$/.test(key)) text += `[${scalarText(key)}]`;
    else text += text === "" ? key : `.${key}`;
  }
  return text.length > longestPlace ? `…${text.slice(1 - longestPlace)}` : text;
}

/** A place as a JSON Pointer (RFC 6901). */
export function pointerText(path: readonly Key[]): string {
  return pointer("", ...path);
}

/** The candidate nearest to `name`, if they differ by at most two letters. */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  let found: string | undefined;
  let least = 3;
  for (const candidate of candidates) {
    const shorter = Math.min(name.length, candidate.length);
    const distance = editDistance(name, candidate, Math.min(least, shorter));
    if (distance >= least || distance >= shorter) continue;
    found = candidate;
    least = distance;
  }
  return found;
}

/** Letters to insert, delete or replace; `limit` if that many or more. */
export function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const replaced = (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    if (Math.min(...next) >= limit) return limit;
    row = next;
  }
  return row[b.length] ?? limit;
}
