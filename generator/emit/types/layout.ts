import type { EmittedFile } from "../../print/emitted-file.js";
import { width } from "../../print/layout.js";

/**
 * `prefix type;` at the given indentation, broken where it is too wide the way prettier breaks it: a union
 * goes to the next line, or one member a line; other types break inside their brackets.
 *
 * @param prefix what stands before the type on its line, e.g. `name?:` or `export type Name =`
 */
export function assigned(prefix: string, type: string, indent: string): string {
  const line = `${indent}${prefix} ${type};`;
  const members = topLevel(type, " | ");
  if (type.includes("\n")) {
    if (members.length === 1) return `${indent}${prefix} ${intersected(topLevel(type, " & "), indent)};`;
    const arms = members.map((member) => `\n${indent}  | ${member.replaceAll("\n", "\n    ")}`);
    return `${indent}${prefix}${arms.join("")};`;
  }
  if (line.length <= width) return line;
  if (members.length > 1) {
    const inner = unionLines(type, members, `${indent}  `, ";");
    return `${indent}${prefix}\n${inner}`;
  }
  const item = /^\((.*)\)\[\]$/.exec(type)?.[1];
  if (item !== undefined) {
    const lines = unionLines(item, topLevel(item, " | "), `${indent}  `, "");
    return `${indent}${prefix} (\n${lines}\n${indent})[];`;
  }
  const parts = topLevel(type, " & ");
  if (parts.length > 1) return `${indent}${prefix} ${intersected(parts, indent)};`;
  const value = /^\{ \[key: string\]: (.*) \}$/.exec(type)?.[1];
  if (value !== undefined) {
    return `${indent}${prefix} {\n${assigned("[key: string]:", value, `${indent}  `)}\n${indent}};`;
  }
  return line;
}

/** The union on one line, or one member a line where that is too wide. */
function unionLines(type: string, members: readonly string[], indent: string, end: string): string {
  const line = `${indent}${type}${end}`;
  return line.length <= width ? line : members.map((member) => `${indent}| ${member}`).join("\n") + end;
}

/** An intersection over several lines: a name that follows a name goes to the next line, others stay beside `&`. */
function intersected(given: readonly string[], indent: string): string {
  const parts = given.map((part) => brokenUnion(part, indent) ?? part);
  const isObject = (index: number): boolean => parts[index]!.startsWith("{");
  let isIndented = false;
  return parts.reduce((text, part, index) => {
    const inner = part.replaceAll("\n", "\n  ");
    if (!isObject(index - 1) && !isObject(index)) return `${text} &\n${indent}  ${inner}`;
    if (index > 1 && isObject(index - 1) !== isObject(index)) isIndented = true;
    return `${text} & ${isIndented ? inner : part}`;
  });
}

/** A union in parentheses that has objects over several lines, one member a line. */
function brokenUnion(type: string, indent: string): string | undefined {
  if (!type.startsWith("(") || !type.endsWith(")") || !type.includes("\n")) return undefined;
  const members = topLevel(type.slice(1, -1), " | ");
  if (members.length === 1) return undefined;
  const arms = members.map((member) => `\n${indent}  | ${member.replaceAll("\n", "\n    ")}`);
  return `(${arms.join("")}\n${indent})`;
}

/** `export interface Name extends A, B`, its bases on a separate line if they do not fit. */
export function interfaceHead(identifier: string, bases: readonly string[]): string {
  const head = `export interface ${identifier}`;
  if (bases.length === 0) return head;
  const line = `${head} extends ${bases.join(", ")}`;
  if (line.length + " {".length <= width || bases.length === 1) return line;
  const next = `  extends ${bases.join(", ")}`;
  if (next.length + " {".length <= width) return `${head}\n${next}`;
  return `${head}\n  extends\n${bases.map((base) => `    ${base}`).join(",\n")}`;
}

/** An `import type` statement; one name a line where they do not fit on one. Empty without names. */
export function importTypes(names: readonly string[], from: string): string {
  return importStatement("import type", names, from);
}

/** The same of values. */
export function importValues(names: readonly string[], from: string): string {
  return importStatement("import", names, from);
}

function importStatement(start: string, names: readonly string[], from: string): string {
  if (names.length === 0) return "";
  const line = `${start} { ${names.join(", ")} } from "${from}";`;
  return line.length <= width
    ? line
    : `${start} {\n${names.map((name) => `  ${name},\n`).join("")}} from "${from}";`;
}

/** Pieces of `type` between separators that stand outside brackets and string literals. */
function topLevel(type: string, separator: string): string[] {
  const pieces: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index < type.length; index++) {
    const character = type[index]!;
    if (character === '"' || character === "'") index = literalEnd(type, index);
    else if (type.startsWith("/*", index)) index = type.indexOf("*/", index) + 1;
    else if ("{[(<".includes(character)) depth++;
    else if ("}])>".includes(character)) depth--;
    else if (depth === 0 && type.startsWith(separator, index)) {
      pieces.push(type.slice(start, index));
      start = index + separator.length;
      index = start - 1;
    }
  }
  return [...pieces, type.slice(start)];
}

/** Index of the quote that ends the literal starting at `start`. */
function literalEnd(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length && text[index] !== text[start]) index += text[index] === "\\" ? 2 : 1;
  return index;
}

/**
 * Whether generated type declarations are laid out exactly as prettier would lay them out. Cautious: text
 * with any other construct counts as not settled and goes through prettier.
 */
export function isSettled(text: string): boolean {
  const code = text.replace(/\/\*\*[\s\S]*?\*\//g, "").replace(/^\/\/.*$/gm, "");
  return code.split("\n").every((line) => {
    // A single base stays on the line of its interface, and a name beside its key, however long they are.
    if (/^ *[\w$]+\??: [\w$]+;$/.test(line)) return true;
    if (/^export interface [\w$]+ extends [\w$]+ \{\}?$/.test(line)) return true;
    // A name and an object hug, before the object and behind it.
    if (/^(?: *[\w$]+\??: |export type [\w$]+ = | +)[\w$.]+ & \{$/.test(line)) return true;
    if (/^ *\} & [\w$.]+;$/.test(line)) return true;
    return line.length <= width && !/^ *\} [|&]|& \{$|\} \||: \[$|null \| \{$/.test(line);
  });
}

/** A file of type declarations, spared prettier where that would change nothing. */
export function settled(content: string): EmittedFile {
  return isSettled(content) ? { content, formatted: true } : { content };
}
