import type { JsonValue, SchemaNode, TypeName } from "@mcpgen/engine";
import { isJsonObject } from "@mcpgen/engine";
import { propertyKey, stringLiteral } from "../../print/text.js";
import { isConstrainedToObjects, printObject } from "./object.js";

/** Definition name → the TypeScript identifier of its type. */
export type TypeNames = ReadonlyMap<string, string>;

/** `unknown` for a node that says nothing; else the exact TypeScript type of the values it describes. */
export function printType(node: SchemaNode, names: TypeNames, indent = ""): string {
  if (node.typeText !== undefined) return node.typeText;
  if (node.never) return "never";
  const parts = [...new Set(constraints(node, names, indent))].filter((part) => part !== "unknown");
  if (parts.length === 0) return "unknown";
  return parts.length === 1 ? parts[0]! : parts.map(inIntersection).join(" & ");
}

/** The types that a value must all have. */
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
  const items = node.prefixItems.map((item, index) => {
    const text = printType(item, names, indent);
    return index < required ? text : `${inArray(text)}?`;
  });
  if (!node.items?.never) items.push(`...${inArray(rest)}[]`);
  return `[${items.join(", ")}]`;
}

/** A union of `members`, each once; `unknown` takes in all others. */
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

/** `type` without what stands inside brackets or string literals: only top-level operators remain. */
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
