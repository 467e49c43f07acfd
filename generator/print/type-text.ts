import { type JsonValue, type SchemaNode, canonicalText } from "@mcpgen/engine";
import { propertyKey } from "./text.js";

/** The type of a node on one line, closer to JSON Schema than to TypeScript: integers remain integers. */
export function typeText(node: SchemaNode): string {
  if (node.never) return "never";
  const parts = [
    ...(node.ref === undefined ? [] : [node.ref]),
    ...(node.allOf ?? []).map(inIntersection),
    ...[node.anyOf, node.oneOf]
      .filter((arms) => arms !== undefined)
      .map((arms) => grouped(arms.map(typeText), " | ")),
    ...ownType(node),
    ...(node.not ? [`not (${typeText(node.not)})`] : []),
  ];
  if (parts.length === 0) return "unknown";
  return parts.length === 1 ? ungrouped(parts[0]!) : parts.join(" & ");
}

function inIntersection(node: SchemaNode): string {
  const text = typeText(node);
  return text.includes(" | ") ? `(${text})` : text;
}

function ownType(node: SchemaNode): string[] {
  if (node.const) return [canonicalText(node.const.value)];
  if (node.enum)
    return [
      grouped(
        node.enum.map((value: JsonValue) => canonicalText(value)),
        " | ",
      ),
    ];
  if (node.types)
    return [
      grouped(
        node.types.map((type) =>
          type === "array" ? arrayText(node) : type === "object" ? objectText(node) : type,
        ),
        " | ",
      ),
    ];
  if (node.properties || node.additionalProperties || node.patternProperties) return [objectText(node)];
  return node.items || node.prefixItems ? [arrayText(node)] : [];
}

function arrayText(node: SchemaNode): string {
  if (node.prefixItems) {
    const rest = node.items?.never ? [] : [`...${node.items ? typeText(node.items) : "unknown"}[]`];
    return `[${[...node.prefixItems.map(typeText), ...rest].join(", ")}]`;
  }
  const item = node.items ? typeText(node.items) : "unknown";
  return / [|&] /.test(item) ? `(${item})[]` : `${item}[]`;
}

/** An object type. Its members are listed only if they have no separate lines. */
function objectText(node: SchemaNode): string {
  const required = new Set(node.required);
  const members = [...(node.properties ?? [])].map(
    ([name, child]) => `${propertyKey(name)}${required.has(name) ? "" : "?"}: ${typeText(child)}`,
  );
  const open = opennessText(node);
  const all = open === undefined ? members : [...members, open];
  return all.length === 0 ? "object" : `{ ${all.join("; ")} }`;
}

/** The type of undeclared members, if the schema describes them. */
export function opennessText(node: SchemaNode): string | undefined {
  const { additionalProperties: additional } = node;
  if (additional === undefined) return undefined;
  return additional.never ? "no others" : `[key]: ${typeText(additional)}`;
}

function grouped(arms: readonly string[], separator: string): string {
  return arms.length === 1 ? arms[0]! : `(${arms.join(separator)})`;
}

/** Removes the parentheses of a union that stands alone. */
function ungrouped(text: string): string {
  if (!text.startsWith("(") || !text.endsWith(")")) return text;
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length - 1; index++) {
    const character = text[index];
    if (inString && character === "\\") index++;
    else if (character === '"') inString = !inString;
    else if (!inString && character === "(") depth++;
    else if (!inString && character === ")" && --depth === 0) return text;
  }
  return text.slice(1, -1);
}
