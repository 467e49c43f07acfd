import { type CanonicaliseOptions, canonicaliseWithOrigins } from "../resources/canonicalise.js";
import type { Schema } from "../ir/ir.js";
import { type JsonObject, type JsonValue, isJsonObject, pointer, pointerTokens } from "../ir/json.js";
import { type ReadOptions, readSchema } from "./read.js";
import { type Bundle, type BundleOptions, bundle } from "../resources/bundle.js";
import { SchemaError } from "../ir/schema-error.js";

/** How a document is read: what it may refer to, whether the order of values is kept, and how much work patterns may take. */
export type DocumentOptions = BundleOptions &
  Pick<CanonicaliseOptions, "enums"> &
  Pick<ReadOptions, "patternBudget">;

/**
 * Reads any schema document, JSON Schema 2020-12 or draft-07, into the schema IR: the schemas of tools, and
 * other documents that are not written for mcpgen. Unknown keywords are ignored, as JSON Schema
 * asks; `canonicalise` and `readSchema`, which protocol schemas go through, refuse them.
 *
 * The schema itself is `root`, absent where it takes any value; definitions are those of the document and
 * all other places that references name.
 *
 * @throws SchemaError with the place in `document`, or in the document that its `document` names
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

/** The place in the bundle for a place in its canonical form. */
function bundledPlace(canonical: JsonObject, origins: ReadonlyMap<JsonObject, string>, at: string): string {
  let place = "";
  let value: JsonValue | undefined = canonical;
  for (const token of pointerTokens(at)) {
    value = typeof value === "object" && value !== null ? (value as JsonObject)[token] : undefined;
    place = (isJsonObject(value) ? origins.get(value) : undefined) ?? pointer(place, token);
  }
  return place;
}

/** The same error at the place where people wrote what is wrong. */
function writtenError(error: SchemaError, at: string, { origins }: Bundle): SchemaError {
  let schema = at;
  while (schema !== "" && !origins.has(schema)) schema = schema.slice(0, schema.lastIndexOf("/"));
  const origin = origins.get(schema);
  const place = (origin?.at ?? "") + at.slice(schema.length);
  const document = origin?.resource.document;
  const message = document === undefined ? error.message : `${document}: ${error.message}`;
  return new SchemaError(error.code, place, message, error.candidates, document);
}
