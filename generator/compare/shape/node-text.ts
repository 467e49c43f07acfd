import { type JsonValue, canonicalText } from "@mcpgen/engine";
import { typeText } from "../../print/type-text.js";
import type { Conjunction } from "./form.js";

const unsaid = new Set([
  "pointer",
  "title",
  "description",
  "default",
  "examples",
  "deprecated",
  "typeText",
  "open",
  "readOnly",
  "writeOnly",
]);

/** A part of the IR as text: the same for the same schema wherever it stands, references by name. */
export function nodeText(part: unknown): string {
  return canonicalText(nodeValue(part));
}

/** A part of the IR as JSON, without annotations: the same for the same schema wherever it stands. */
export function nodeValue(part: unknown): JsonValue {
  if (part instanceof Map)
    return Object.fromEntries([...part].map(([key, value]) => [String(key), nodeValue(value)]));
  if (Array.isArray(part)) return part.map(nodeValue);
  if (typeof part !== "object" || part === null) return part as JsonValue;
  const said = Object.entries(part).filter(([key, value]) => !unsaid.has(key) && value !== undefined);
  return Object.fromEntries(said.map(([key, value]) => [key, literal(key, value) ?? nodeValue(value)]));
}

/** Values of messages stand in a schema as they are. */
function literal(keyword: string, value: unknown): JsonValue | undefined {
  if (keyword === "const") return (value as { readonly value: JsonValue }).value;
  return keyword === "enum" ? (value as JsonValue) : undefined;
}

/** The type of a place in words. */
export function shapeOf(nodes: Conjunction): string {
  return nodes.length === 0 ? "unknown" : nodes.map(typeText).join(" & ");
}
