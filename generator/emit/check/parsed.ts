import type { JsonValue } from "@mcpgen/engine";
import { escapeUnprintable } from "../text.js";
import { type Literal, array, code, object, width } from "./literal.js";

/** Shorter data stays a literal: it costs little. */
const shortest = 60;

/**
 * `literal` with its data as JSON text: an object literal costs whoever compiles it a type of each of its parts, of
 * which the shapes of many tools have more than all else together.
 *
 * @param indent columns that the line it starts on is indented by
 */
export function parsed(literal: Literal, indent: number): Literal {
  const read = parsedWhole(literal, indent);
  if (read !== undefined) return read;
  if (literal.kind === "array") return array(literal.items.map((item) => parsed(item, indent + 2)));
  if (literal.kind === "code") return literal;
  return object(literal.members.map(([key, value]) => [key, parsed(value, indent + 2)]));
}

/** `literal` as JSON text, if all of it is data, and enough. */
export function parsedWhole(literal: Literal, indent: number): Literal | undefined {
  if (literal.kind === "code" || literal.flat.length < shortest) return undefined;
  const data = dataOf(literal);
  return data === undefined ? undefined : code(`JSON.parse(\`${escaped(laidOut(data, indent))}\`)`);
}

/** What a literal is, if nothing in it is code: a reference to another shape, or a number that JSON does not have. */
function dataOf(literal: Literal): JsonValue | undefined {
  if (literal.kind === "code") return valueOf(literal.flat);
  const inner = literal.kind === "array" ? literal.items : literal.members.map(([, value]) => value);
  const values = inner.map(dataOf);
  if (values.includes(undefined)) return undefined;
  const present = values as JsonValue[];
  if (literal.kind === "array") return present;
  return Object.fromEntries(literal.members.map(([key], index) => [key, present[index]!]));
}

function valueOf(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** JSON, on one line where it fits. */
function laidOut(value: JsonValue, indent: number): string {
  const flat = JSON.stringify(value);
  if (typeof value !== "object" || value === null || indent + flat.length <= width) return flat;
  const margin = `\n${" ".repeat(indent + 2)}`;
  const end = `\n${" ".repeat(indent)}`;
  if (Array.isArray(value))
    return `[${value.map((item) => margin + laidOut(item, indent + 2)).join(",")}${end}]`;
  const members = Object.entries(value).map(
    ([key, member]) => `${margin}${JSON.stringify(key)}: ${laidOut(member, indent + 2)}`,
  );
  return `{${members.join(",")}${end}}`;
}

function escaped(text: string): string {
  return text
    .replace(/\\|`|\$\{/g, (found) => `\\${found}`)
    .split("\n")
    .map(escapeUnprintable)
    .join("\n");
}
