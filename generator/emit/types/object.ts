import { type SchemaNode, naturalCompare } from "@mcpgen/engine";
import { deprecationLine, docComment, propertyKey } from "../../print/text.js";
import { assigned } from "./layout.js";
import { type TypeNames, printType, union } from "./print.js";

/** One line of an interface body. */
export interface Member {
  readonly name: string;
  readonly optional: boolean;
  readonly node: SchemaNode | undefined;
  /** The type as printed at this indentation. */
  readonly type: string;
}

/** A node without `type` that says something only of objects is read as describing objects. */
export function isConstrainedToObjects(node: SchemaNode): boolean {
  return (
    node.types === undefined &&
    (node.properties !== undefined ||
      node.required !== undefined ||
      node.additionalProperties !== undefined ||
      node.patternProperties !== undefined)
  );
}

/** The type of an object node: its members in braces, an index signature, or `object`. */
export function printObject(node: SchemaNode, names: TypeNames, indent: string): string {
  // `{ properties: {}, additionalProperties: true }` is how TypeScript's `object` is written, and nothing else.
  if (node.additionalProperties?.always && node.properties?.size === 0) return "object";
  return printBody(membersOf(node, names, indent + "  "), indexSignature(node, names, indent + "  "), indent);
}

/**
 * Braces around `members` and the index signature, which together say what the object may hold.
 *
 * @param expanded one member a line even where all is an index signature, as interfaces are written
 */
export function printBody(
  members: readonly Member[],
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

/** The members an object node declares: constants, required, optional, `_meta` last; natural order within each. */
export function membersOf(node: SchemaNode, names: TypeNames, indent: string): Member[] {
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

function rank({ name, optional, node }: Member): number {
  if (name === "_meta") return 3;
  if (optional) return 2;
  return node?.const ? 0 : 1;
}

/** The value type of the index signature, or `undefined` where the type has none. */
export function indexSignature(node: SchemaNode, names: TypeNames, indent: string): string | undefined {
  const { additionalProperties: additional, patternProperties: patterns } = node;
  const isBare = !node.properties?.size && !node.required?.length;
  if (additional === undefined && patterns === undefined) return isBare ? "unknown" : undefined;
  if (additional?.never && patterns === undefined) return isBare ? "never" : undefined;
  const types = [...(patterns?.values() ?? [])].map((pattern) => printType(pattern, names, indent));
  if (!additional?.never) types.push(additional ? printType(additional, names, indent) : "unknown");
  // TypeScript wants every declared member to be assignable to the index signature.
  const members = membersOf(node, names, indent);
  for (const member of members) types.push(member.type);
  if (members.some((member) => member.optional)) types.push("undefined");
  return union(types);
}
