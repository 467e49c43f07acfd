import { type SchemaNode, canonicalText } from "@mcpgen/engine";
import { type Conjunction, saysNothing } from "../../../compare/shape/form.js";

/** Keywords that validators ignore. */
const idle: ReadonlySet<string> = new Set([
  "pointer",
  "always",
  "title",
  "description",
  "default",
  "deprecated",
  "examples",
  "format",
  "open",
  "typeText",
]);

/** A text that is equal for nodes with the same schema, wherever they are. */
export function signatureOfNodes(nodes: Conjunction): string {
  return canonicalText(structure(nodes) as never);
}

function structure(value: unknown): unknown {
  if (value instanceof Map)
    return [...(value as Map<string, unknown>)].map(([key, inner]) => [key, structure(inner)]);
  if (Array.isArray(value)) return value.map(structure);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([key, inner]) => !isIdle(key, inner));
  return Object.fromEntries(entries.map(([key, inner]) => [key, structure(inner)]));
}

/** Whether a keyword constrains nothing. */
export function isIdle(keyword: string, value: unknown): boolean {
  if (idle.has(keyword)) return true;
  if (value === undefined || (value instanceof Map && value.size === 0)) return true;
  return keyword === "additionalProperties" && saysNothing(value as SchemaNode);
}
