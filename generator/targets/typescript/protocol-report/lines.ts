import {
  type Definition,
  type JsonValue,
  type SchemaNode,
  canonicalText,
  isJsonObject,
  limitKeywords,
} from "@mcpgen/engine";
import { codeSpan } from "../../../print/markdown.js";
import { isPlainObject, itemsOf } from "../../../print/schema-shape.js";
import { opennessText, typeText } from "../../../print/type-text.js";

/**
 * One line for the definition's type, or one line for each of its properties, including those of inline
 * objects.
 */
export function definitionLines({ node }: Definition): string[] {
  const members = propertyLines(node, "");
  const open = opennessText(node);
  if (isPlainObject(node)) {
    const limits = constraints(node, "");
    const isNamed = limits.length > 0 || (members.length === 0 && open === undefined);
    return [
      ...(isNamed ? [[codeSpan("object"), ...limits].join(", ")] : []),
      ...members,
      ...(open === undefined ? [] : [codeSpan(open)]),
    ];
  }
  return [...members, described(typeText(node), node)];
}

function propertyLines(node: SchemaNode, path: string): string[] {
  const required = new Set(node.required);
  const lines: string[] = [];
  for (const [name, child] of node.properties ?? []) {
    const here = path === "" ? pathStep(name) : `${path}.${pathStep(name)}`;
    const { holder, suffix } = itemsOf(child);
    const inline = isPlainObject(holder) && (holder.properties?.size ?? 0) > 0;
    const type = inline ? "object" + suffix : typeText(child);
    lines.push(described(`${here}${required.has(name) ? "" : "?"}: ${type}`, child));
    if (!inline) continue;
    lines.push(...propertyLines(holder, here + suffix));
    const open = opennessText(holder);
    if (open !== undefined) lines.push(codeSpan(`${here}${suffix}.${open}`));
  }
  return lines;
}

/** Quotes a name that looks like a path or needs escapes. */
function pathStep(name: string): string {
  return /^[\w$-]+$/.test(name) ? name : JSON.stringify(name);
}

/** Appends the other constraints of the node, and its place. */
function described(text: string, node: SchemaNode): string {
  const notes = [...constraints(node, ""), ...remarks(node)];
  return [codeSpan(text), ...notes].join(", ");
}

function constraints(node: SchemaNode, prefix: string): string[] {
  const own = limitKeywords
    .filter((keyword) => node[keyword] !== undefined)
    .map((keyword) => `${prefix}${keyword} ${codeSpan(canonicalText(node[keyword] as JsonValue))}`);
  const items = node.items && !node.prefixItems ? constraints(node.items, `${prefix}items `) : [];
  const members = node.additionalProperties
    ? constraints(node.additionalProperties, `${prefix}members `)
    : [];
  return [...own, ...items, ...members];
}

function remarks(node: SchemaNode): string[] {
  const { deprecated } = node;
  return [
    ...(node.default ? [`default ${codeSpan(valueText(node.default.value))}`] : []),
    ...(node.open ? ["open to later members"] : []),
    ...(deprecated
      ? [deprecated.since === undefined ? "deprecated" : `deprecated since ${deprecated.since}`]
      : []),
  ];
}

function valueText(value: JsonValue): string {
  return isJsonObject(value) || Array.isArray(value) ? canonicalText(value) : JSON.stringify(value);
}
