import { type Dialect, type JsonObject, dialectOf, readSchema } from "@mcpgen/engine";
import type { JsonFile } from "../files/json-file.js";
import { canonicalDocument, withPlaces } from "./schema-source.js";
import { sha256 } from "../files/sha256.js";

/** A schema document in the form it is stored in. */
export interface StoredSchema {
  readonly document: JsonObject;
  /** The content of schema.json. */
  readonly text: string;
  readonly sha256: string;
  /** The dialect the file was written in. */
  readonly dialect: Dialect;
}

/**
 * The form in which a revision's schema is stored: canonical, two spaces of indentation, final newline.
 *
 * @throws CodedError MG11xx with the place in the file when it is not a schema that can be read
 */
export async function storedSchema(
  file: JsonFile,
  options: { readonly descriptions: boolean },
): Promise<StoredSchema> {
  const document = await canonicalDocument(file, options);
  // A schema from which code could not be generated is refused here.
  await withPlaces(file, () => readSchema(document));
  const text = JSON.stringify(document, null, 2) + "\n";
  return { document, text, sha256: sha256(text), dialect: dialectOf(file.value as JsonObject) };
}
