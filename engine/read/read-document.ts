import { type CanonicaliseOptions, canonicaliseWithOrigins } from "../resources/canonicalise.js";
import type { Schema } from "../ir/ir.js";
import { type JsonObject, type JsonValue, isJsonObject, pointer, pointerTokens } from "../ir/json.js";
import { type ReadOptions, readSchema } from "./read.js";
import { type Bundle, type BundleOptions, bundle } from "../resources/bundle.js";
import { SchemaError } from "../ir/schema-error.js";

/** Options of reading: the documents that a schema may refer to, the order of `enum` values, and the budget for patterns. */
export type DocumentOptions = BundleOptions &
  Pick<CanonicaliseOptions, "enums"> &
  Pick<ReadOptions, "patternBudget">;

/**
 * Reads any schema document into the schema IR, for example the schemas of tools. Ignores unknown keywords, because
 * JSON Schema demands it. Protocol schemas are read by `canonicalise` and `readSchema` instead, which refuse unknown
 * keywords.
 *
 * The schema itself is `root`, absent if it accepts any value. `definitions` has the definitions of the document and all
 * other targets of references.
 *
 * @throws SchemaError with the place in `document`, or in the other document that the error's `document` names
 */
export function readDocument(document: JsonValue, options: DocumentOptions = {}): Schema {
  const bundled = bundle(document, options);
  let origins: ReadonlyMap<JsonObject, string> = new Map();
  let canonical: JsonObject | undefined;
  try {
    ({ canonical, origins } = canonicaliseWithOrigins(bundled.document, options));
    const schema = readSchema(canonical, options.patternBudget && { patternBudget: options.patternBudget });
    return bundled.assertsFormats ? { ...schema, assertsFormats: true } : schema;
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    const at = canonical ? bundledPlace(canonical, origins, error.pointer) : error.pointer;
    throw writtenError(error, at, bundled);
  }
}

/** Maps a place in the canonical form to its place in the bundle. */
function bundledPlace(canonical: JsonObject, origins: ReadonlyMap<JsonObject, string>, at: string): string {
  let place = "";
  let value: JsonValue | undefined = canonical;
  for (const token of pointerTokens(at)) {
    value = typeof value === "object" && value !== null ? (value as JsonObject)[token] : undefined;
    place = (isJsonObject(value) ? origins.get(value) : undefined) ?? pointer(place, token);
  }
  return place;
}

/** Moves an error to its place in the original document. */
function writtenError(error: SchemaError, at: string, { origins }: Bundle): SchemaError {
  let schema = at;
  while (schema !== "" && !origins.has(schema)) schema = schema.slice(0, schema.lastIndexOf("/"));
  const origin = origins.get(schema);
  const place = (origin?.at ?? "") + at.slice(schema.length);
  const document = origin?.resource.document;
  const message = document === undefined ? error.message : `${document}: ${error.message}`;
  return new SchemaError(error.code, place, message, error.candidates, document);
}
