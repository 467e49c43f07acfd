import { type JsonValue, pointer } from "../ir/json.js";
import { type Dialect, keywords } from "../ir/keywords.js";
import { Registry } from "../resources/registry.js";

/** A keyword without effect, because the schema's dialect does not have it. */
export interface IgnoredKeyword {
  /** The place of the keyword in the document. */
  readonly pointer: string;
  readonly keyword: string;
  readonly dialect: Dialect;
}

/**
 * Returns the keywords of a document that JSON Schema 2020-12 asserts but the document's dialect ignores, such as
 * `const` in draft-04 or `prefixItems` in 2019-09.
 *
 * @throws SchemaError for a dialect that cannot be read
 */
export function ignoredKeywords(document: JsonValue): IgnoredKeyword[] {
  const { places } = new Registry(document, new Map(), undefined);
  return [...places].flatMap(([schema, place]) => {
    const { rules } = place.resource;
    if (rules.dialect === "2020-12") return [];
    // Such dialects ignore every keyword beside `$ref`.
    return Object.keys(schema)
      .filter(
        (keyword) =>
          keywords.has(keyword) && !keywords.get(keyword)!.annotation && !rules.hasKeyword(keyword),
      )
      .map((keyword) => ({ pointer: pointer(place.at, keyword), keyword, dialect: rules.dialect }));
  });
}
