import type { EmittedFile } from "./emitted-file.js";
import { stringLiteral } from "./text.js";
import {
  type Layout,
  group,
  hardline,
  indent,
  join,
  line,
  print,
  softline,
  whenBroken,
  width,
} from "./layout.js";

/** Pieces of code for tables and stubs, laid out as prettier does. */

/** `key: value`. A long value moves to the next line, unless the key is too short to gain space. */
function memberLayout(key: string, value: Layout): Layout {
  if (typeof value !== "string" || key.length < 5) return [key, ": ", value];
  return group(key, ":", indent(line, value));
}

/** Members in braces, on one line if they fit. */
export function objectLayout(members: readonly (readonly [string, Layout])[]): Layout {
  if (members.length === 0) return "{}";
  const printed = members.map(([key, value]) => memberLayout(key, value));
  return group("{", indent(line, join([",", line], printed), whenBroken(",")), line, "}");
}

/**
 * A list in brackets. @param isApart put several items on separate lines even if they fit on one, as prettier
 * does for objects and lists
 */
export function arrayLayout(items: readonly Layout[], isApart = false): Layout {
  if (items.length === 0) return "[]";
  if (isApart && items.length > 1) {
    return ["[", indent(hardline, join([",", hardline], items), ","), hardline, "]"];
  }
  return group("[", indent(softline, join([",", line], items), whenBroken(",")), softline, "]");
}

export function stringsLayout(texts: readonly string[]): Layout {
  return arrayLayout(texts.map(stringLiteral));
}

/** Members of a type in braces, on one line if they fit. */
export function typeMembers(members: readonly Layout[]): Layout {
  return group("{", indent(line, join([";", line], members), whenBroken(";")), line, "}");
}

/** `name: A | B` with the arms on separate lines if they do not fit. */
export function unionMember(name: string, arms: readonly string[]): Layout {
  if (arms.length === 1) return [name, ": ", arms[0]!];
  const leading = [whenBroken("| "), join([line, "| "], arms)];
  return group(name, ":", indent(line, leading));
}

/** `export type Name = A | B;` */
export function unionType(name: string, arms: readonly string[]): Layout {
  const union = arms.length === 0 ? "never" : group(whenBroken("| "), join([line, "| "], arms));
  return group(`export type ${name} =`, indent(line, union), ";");
}

/** The text between the parentheses of `head(…)tail`, on one line if all of it fits. */
export function argumentsWithin(depth: number, head: string, args: readonly string[], tail: string): string {
  const inside = [indent(softline, join([",", line], args), whenBroken(",")), softline];
  return printAt(depth, group(`${head}(`, inside, `)${tail}`)).slice(head.length + 1, -tail.length - 1);
}

/** Prints `layout` at an indentation depth; the template indents the first line. */
export function printAt(depth: number, layout: Layout): string {
  let nested: Layout = [hardline, layout];
  for (let level = 0; level < depth; level++) nested = indent(nested);
  return print(nested).trimStart();
}

/** A member of an object with one member per line, with its comma. */
export function memberLine(depth: number, key: string, value: Layout): string {
  return printAt(depth, [memberLayout(key, value), ","]);
}

/** Matches a line of code, not of a comment, that prettier would break. */
const tooLong = new RegExp(`^(?! *(?://|/?\\*)).{${width + 1},}`, "m");

/** Marks a file as formatted if every line fits; its template and literals already have prettier's layout. */
export function laidOut(content: string): EmittedFile {
  return tooLong.test(content) ? { content } : { content, formatted: true };
}

/**
 * Same as `laidOut` for a file with text from a schema, unless it has characters that prettier may count as
 * two columns or none.
 */
export function laidOutTexts(content: string): EmittedFile {
  return /^[\n -~]*$/.test(content) ? laidOut(content) : { content };
}
