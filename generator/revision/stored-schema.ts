import {
  type Dialect,
  type JsonObject,
  type JsonValue,
  canonicalise,
  dialectOf,
  isJsonObject,
} from "@mcpgen/engine";
import { sha256 } from "../output/sha256.js";

/** A schema document in the form it is stored in. */
export interface StoredSchema {
  readonly document: JsonObject;
  /** What schema.json holds. */
  readonly text: string;
  readonly sha256: string;
  readonly dialect: Dialect;
}

/**
 * The form in which a revision's schema is stored: canonical, two spaces of indentation, final newline.
 *
 * @throws SchemaError when the document is not a schema
 */
export function storedSchema(
  document: JsonValue,
  { descriptions }: { readonly descriptions: boolean },
): StoredSchema {
  const canonical = canonicalise(document, { descriptions });
  const text = JSON.stringify(canonical, null, 2) + "\n";
  const dialect = isJsonObject(document) ? dialectOf(document) : "2020-12";
  return { document: canonical, text, sha256: sha256(text), dialect };
}
