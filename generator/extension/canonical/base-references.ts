import { type JsonObject, type JsonValue, isJsonObject, jsonObject } from "@mcpgen/engine";
import { basePrefix, decoded, mapReferences } from "./references.js";

/**
 * References to the published schema of a revision as references to the base: `https://…/2026-07-28/schema.json#/$defs/X`
 * names the same definition as `base#/$defs/X`.
 *
 * @param document canonical; it is left as it is
 * @param revisions ids of all revisions that are known
 */
export function baseReferences(
  document: JsonObject,
  revisions: readonly string[],
): { readonly document: JsonObject; readonly count: number } {
  let count = 0;
  const change = (reference: string): string => {
    const [address = "", fragment = ""] = reference.split("#", 2);
    const folders = address.split("/").slice(0, -1).map(decoded);
    if (!folders.some((folder) => revisions.includes(folder))) return reference;
    count++;
    // Draft-07 documents have their definitions under another name; the base is canonical.
    return `${basePrefix}#${fragment.replace(/^\/definitions\//, "/$defs/")}`;
  };
  const visit = (node: JsonValue): JsonValue =>
    isJsonObject(node) ? mapReferences(node, change, visit) : node;
  return { document: jsonObject(Object.entries(visit(document) as JsonObject)), count };
}
