import { width } from "../../../print/layout.js";
import {
  type JsonValue,
  type SchemaNode,
  type TypeName,
  type Definition,
  isJsonObject,
  naturalCompare,
} from "@mcpgen/engine";
import { deprecationLine, docComment, propertyKey, stringLiteral } from "../../../print/text.js";
import { tuple } from "./array-form.js";
import type { EmittedFile } from "../../../print/emitted-file.js";

/** Definition name → the TypeScript identifier of its type. */
export type TypeNames = ReadonlyMap<string, string>;

/** The TypeScript type of the values that a node describes; `unknown` for a node without keywords. */
export function printType(node: SchemaNode, names: TypeNames, indent = ""): string {
  if (node.typeText !== undefined) return node.typeText;
  if (isNever(node)) return "never";
  const parts = [...new Set(constraints(node, names, indent))].filter((part) => part !== "unknown");
  if (parts.length === 0) return "unknown";
  return parts.length === 1 ? parts[0]! : parts.map(inIntersection).join(" & ");
}

/** Whether no value is valid: `false`, or the equivalent `{ "not": {} }`. */
function isNever({ never, not }: SchemaNode): boolean {
  return (
    never === true ||
    (not !== undefined && Object.keys(not).every((key) => key === "pointer" || key === "always"))
  );
}

/** The types whose intersection is the node's type. */
function constraints(node: SchemaNode, names: TypeNames, indent: string): string[] {
  const print = (child: SchemaNode): string => printType(child, names, indent);
  const parts: string[] = [];
  if (node.ref !== undefined) parts.push(names.get(node.ref)!);
  if (node.allOf) parts.push(...node.allOf.map(print));
  if (node.anyOf) parts.push(union(node.anyOf.map(print)));
  if (node.oneOf) parts.push(union(node.oneOf.map(print)));
  if (node.const) parts.push(literal(node.const.value));
  else if (node.enum) parts.push(union(node.enum.map(literal)));
  else if (node.types) parts.push(union(node.types.map((type) => typeOf(type, node, names, indent))));
  else if (isConstrainedToObjects(node)) parts.push(printObject(node, names, indent));
  else if (node.items || node.prefixItems) parts.push(printArray(node, names, indent));
  return parts;
}

function typeOf(type: TypeName, node: SchemaNode, names: TypeNames, indent: string): string {
  switch (type) {
    case "array":
      return printArray(node, names, indent);
    case "object":
      return printObject(node, names, indent);
    case "integer":
      return "number";
    default:
      return type;
  }
}

function printArray(node: SchemaNode, names: TypeNames, indent: string): string {
  const rest = node.items ? printType(node.items, names, indent) : "unknown";
  if (!node.prefixItems) return node.items?.never ? "[]" : `${inArray(rest)}[]`;
  const required = node.minItems ?? 0;
  const form = tuple(node.prefixItems, node.items ?? { pointer: "" }, required);
  if (form.anyOf ?? form.allOf) return printType(form, names, indent);
  const items = node.prefixItems.map((item, index) => {
    const text = printType(item, names, indent);
    return index < required ? text : `${inArray(text)}?`;
  });
  if (!node.items?.never) items.push(`...${inArray(rest)}[]`);
  return `[${items.join(", ")}]`;
}

/** A union of `members` without duplicates; `unknown` absorbs all others. */
export function union(members: readonly string[]): string {
  const distinct = [...new Set(members)].filter((member) => member !== "never");
  if (distinct.length === 0) return "never";
  if (distinct.includes("unknown")) return "unknown";
  return distinct.map((member) => (/ & /.test(outside(member)) ? `(${member})` : member)).join(" | ");
}

function inIntersection(type: string): string {
  return / \| /.test(outside(type)) ? `(${type})` : type;
}

function inArray(type: string): string {
  return / [|&] /.test(outside(type)) ? `(${type})` : type;
}

/** `type` without the contents of brackets and string literals, so that only top-level operators remain. */
function outside(type: string): string {
  let depth = 0;
  let result = "";
  for (const [token] of type.matchAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\/\*[\s\S]*?\*\/|[\s\S]/g)) {
    if ("{[(".includes(token)) depth++;
    if (depth === 0) result += token.length > 1 ? "" : token;
    if ("}])".includes(token)) depth--;
  }
  return result;
}

/** The literal type of a JSON value. */
export function literal(value: JsonValue): string {
  if (typeof value === "string") return stringLiteral(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (isJsonObject(value)) {
    const members = Object.entries(value).map(([key, member]) => `${propertyKey(key)}: ${literal(member)}`);
    return members.length === 0 ? "{ [key: string]: never }" : `{ ${members.join("; ")} }`;
  }
  return String(value);
}

/** One line of an interface body. */
export interface InterfaceMember {
  readonly name: string;
  readonly optional: boolean;
  readonly node: SchemaNode | undefined;
  /** The type as printed at this indentation. */
  readonly type: string;
}

/** Whether a node without `type` has only keywords about objects. It is then read as an object schema. */
export function isConstrainedToObjects(node: SchemaNode): boolean {
  return (
    node.types === undefined &&
    (node.properties !== undefined ||
      node.required !== undefined ||
      node.additionalProperties !== undefined ||
      node.patternProperties !== undefined)
  );
}

/** The type of an object node: members in braces, an index signature, or `object`. */
function printObject(node: SchemaNode, names: TypeNames, indent: string): string {
  // `{ properties: {}, additionalProperties: true }` means TypeScript's `object`.
  if (node.additionalProperties?.always && node.properties?.size === 0) return "object";
  return printBody(membersOf(node, names, indent + "  "), indexSignature(node, names, indent + "  "), indent);
}

/**
 * An object type: `members` and the index signature in braces.
 *
 * @param expanded prints one member per line even for a lone index signature, as in interfaces
 */
export function printBody(
  members: readonly InterfaceMember[],
  index: string | undefined,
  indent: string,
  expanded = false,
): string {
  const inner = indent + "  ";
  const lines = members.map(
    ({ name, optional, node, type }) =>
      propertyDoc(node, inner) + assigned(`${propertyKey(name)}${optional ? "?" : ""}:`, type, inner),
  );
  if (!expanded && lines.length === 0 && index !== undefined && !index.includes("\n")) {
    return `{ [key: string]: ${index} }`;
  }
  if (index !== undefined) lines.push(assigned("[key: string]:", index, inner));
  return lines.length === 0 ? "{}" : `{\n${lines.join("\n")}\n${indent}}`;
}

function propertyDoc(node: SchemaNode | undefined, indent: string): string {
  return node ? docComment([node.description, deprecationLine(node.deprecated)], indent) : "";
}

/**
 * The members that an object node declares, in the order constants, required, optional, `_meta`; each group
 * in natural order.
 */
export function membersOf(node: SchemaNode, names: TypeNames, indent: string): InterfaceMember[] {
  const required = new Set(node.required);
  const members = [...(node.properties ?? [])].map(([name, child]) => ({
    name,
    optional: !required.has(name),
    node: child,
    type: printType(child, names, indent),
  }));
  const undeclared = [...required].filter((name) => !node.properties?.has(name));
  return [
    ...members,
    ...undeclared.map((name) => ({ name, optional: false, node: undefined, type: "unknown" })),
  ].sort((a, b) => rank(a) - rank(b) || naturalCompare(a.name, b.name));
}

function rank({ name, optional, node }: InterfaceMember): number {
  if (name === "_meta") return 3;
  if (optional) return 2;
  return node?.const ? 0 : 1;
}

/** The value type of the index signature; `undefined` if the type has none. */
export function indexSignature(node: SchemaNode, names: TypeNames, indent: string): string | undefined {
  const { additionalProperties: additional, patternProperties: patterns } = node;
  const isBare = !node.properties?.size && !node.required?.length;
  if (additional === undefined && patterns === undefined) return isBare ? "unknown" : undefined;
  if (additional && isNever(additional) && patterns === undefined) return isBare ? "never" : undefined;
  const types = [...(patterns?.values() ?? [])].map((pattern) => printType(pattern, names, indent));
  if (!additional || !isNever(additional))
    types.push(additional ? printType(additional, names, indent) : "unknown");
  // TypeScript requires every declared member to be assignable to the index signature.
  const members = membersOf(node, names, indent);
  for (const member of members) types.push(member.type);
  if (members.some((member) => member.optional)) types.push("undefined");
  return union(types);
}

/** Whether the definition describes only objects, so that an interface can be declared. */
export function isInterface({ node }: Definition): boolean {
  const onlyObject = node.types?.length === 1 ? node.types[0] === "object" : isConstrainedToObjects(node);
  const combined =
    node.ref ?? node.allOf ?? node.anyOf ?? node.oneOf ?? node.const ?? node.enum ?? node.typeText;
  const isObjectType = node.additionalProperties?.always === true && node.properties?.size === 0;
  return onlyObject && combined === undefined && !node.never && !isObjectType;
}

/** The type declaration of a definition. */
export function declare(definition: Definition, identifier: string, names: TypeNames): string {
  const { node } = definition;
  if (!isInterface(definition)) return assigned(`export type ${identifier} =`, printType(node, names), "");
  const body = printBody(membersOf(node, names, "  "), indexSignature(node, names, "  "), "", true);
  return `${interfaceHead(identifier, [])} ${body}`;
}

/**
 * Prints `prefix type;` at the given indentation. If it is too wide, breaks it as prettier does: a union
 * continues on the next line or has one member per line; other types break inside their brackets.
 *
 * @param prefix the text before the type on its line, e.g. `name?:` or `export type Name =`
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

/** The union on one line, or with one member per line if it is too wide. */
function unionLines(type: string, members: readonly string[], indent: string, end: string): string {
  const line = `${indent}${type}${end}`;
  return line.length <= width ? line : members.map((member) => `${indent}| ${member}`).join("\n") + end;
}

/**
 * An intersection over several lines. A name after a name starts a new line; other members stay beside `&`.
 */
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

/** A union in parentheses that contains multi-line objects, with one member per line. */
function brokenUnion(type: string, indent: string): string | undefined {
  if (!type.startsWith("(") || !type.endsWith(")") || !type.includes("\n")) return undefined;
  const members = topLevel(type.slice(1, -1), " | ");
  if (members.length === 1) return undefined;
  const arms = members.map((member) => `\n${indent}  | ${member.replaceAll("\n", "\n    ")}`);
  return `(${arms.join("")}\n${indent})`;
}

/** `export interface Name extends A, B`, with the bases on a separate line if they do not fit. */
export function interfaceHead(identifier: string, bases: readonly string[]): string {
  const head = `export interface ${identifier}`;
  if (bases.length === 0) return head;
  const line = `${head} extends ${bases.join(", ")}`;
  if (line.length + " {".length <= width || bases.length === 1) return line;
  const next = `  extends ${bases.join(", ")}`;
  if (next.length + " {".length <= width) return `${head}\n${next}`;
  return `${head}\n  extends\n${bases.map((base) => `    ${base}`).join(",\n")}`;
}

/** An `import type` statement, with one name per line if they do not fit on one. Empty without names. */
export function importTypes(names: readonly string[], from: string): string {
  return importStatement("import type", names, from);
}

/** An `import` statement for values, in the same form. */
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

/** Splits `type` at separators outside brackets and string literals. */
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

/** Index of the quote that ends the literal which begins at `start`. */
function literalEnd(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length && text[index] !== text[start]) index += text[index] === "\\" ? 2 : 1;
  return index;
}

/**
 * Whether generated type declarations already have prettier's layout. Text with an unknown construct counts
 * as not settled and goes through prettier.
 */
export function isSettled(text: string): boolean {
  const code = text.replace(/\/\*\*[\s\S]*?\*\//g, "").replace(/^\/\/.*$/gm, "");
  return code.split("\n").every((line) => {
    // Prettier keeps a single base on the interface's line, and a name beside its key, however long they are.
    if (/^ *[\w$]+\??: [\w$]+;$/.test(line)) return true;
    if (/^export interface [\w$]+ extends [\w$]+ \{\}?$/.test(line)) return true;
    // Prettier keeps `name & {` on one line, before and after the object.
    if (/^(?: *[\w$]+\??: |export type [\w$]+ = | +)[\w$.]+ & \{$/.test(line)) return true;
    if (/^ *\} & [\w$.]+;$/.test(line)) return true;
    return line.length <= width && !/^ *\} [|&]|& \{$|\} \||: \[$|null \| \{$/.test(line);
  });
}

/** Wraps a file of type declarations, and marks it as formatted if prettier would not change it. */
export function settled(content: string): EmittedFile {
  return isSettled(content) ? { content, formatted: true } : { content };
}
