import { readFileSync } from "node:fs";
import { type JsonObject, type JsonValue, type Schema, canonicalise, readSchema } from "@mcpgen/engine";

/** The released revisions, oldest first. */
export const revisions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const;

/** Reads the committed canonical document of a revision. */
export function documentOf(revision: string): JsonObject {
  const file = new URL(`../../schema/${revision}/schema.json`, import.meta.url);
  return JSON.parse(readFileSync(file, "utf8")) as JsonObject;
}

/** Reads the schema of a revision without its notes. */
export function schemaOf(revision: string): Schema {
  return readSchema(documentOf(revision));
}

/** Reads a schema from definitions in plain JSON. The places in `open` (JSON Pointers) are declared open. */
export function schemaFrom(definitions: object, open: readonly string[] = []): Schema {
  const document = canonicalise({ $defs: definitions } as JsonValue);
  const places = new Set(open);
  return readSchema(document, { nodeRemarks: (at) => (places.has(at) ? { open: true } : undefined) });
}
