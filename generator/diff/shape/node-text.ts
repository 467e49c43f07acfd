import { type JsonValue, canonicalText } from "@mcpgen/engine";

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
  return canonicalText(plain(part));
}

function plain(part: unknown): JsonValue {
  if (part instanceof Map)
    return Object.fromEntries([...part].map(([key, value]) => [String(key), plain(value)]));
  if (Array.isArray(part)) return part.map(plain);
  if (typeof part !== "object" || part === null) return part as JsonValue;
  const said = Object.entries(part).filter(([key, value]) => !unsaid.has(key) && value !== undefined);
  return Object.fromEntries(said.map(([key, value]) => [key, plain(value)]));
}
