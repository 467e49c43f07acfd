import type { JsonValue } from "../ir/json.js";
import { isJsonObject } from "../ir/json.js";
import { keywords } from "../ir/keywords.js";
import { SchemaError } from "../ir/schema-error.js";
import { type Dialect, dialectOf } from "../ir/vocabulary.js";
import { splitFragment } from "./uri.js";

/** How to read the schemas of one resource. */
export interface Rules {
  readonly dialect: Dialect;
  readonly assertsFormats?: boolean;
  /** Whether the resource's dialect has a keyword, spelled as in the document. */
  hasKeyword(written: string): boolean;
}

/** Keywords of 2020-12 that draft-07 does not have. `$defs` is left out: documents of both kinds use it. */
const newer = new Set([
  "$anchor",
  "$dynamicAnchor",
  "$dynamicRef",
  "$vocabulary",
  "contentSchema",
  "dependentRequired",
  "dependentSchemas",
  "deprecated",
  "maxContains",
  "minContains",
  "prefixItems",
  "unevaluatedItems",
  "unevaluatedProperties",
]);

/** The vocabularies of 2020-12 and the keywords each brings (core, section 8; validation, sections 6 to 9). */
const vocabularies: ReadonlyMap<string, readonly string[]> = new Map([
  ["core", ["$schema", "$id", "$ref", "$anchor", "$dynamicRef", "$dynamicAnchor", "$vocabulary", "$comment"]],
  [
    "applicator",
    [
      ...["prefixItems", "items", "contains", "properties", "patternProperties", "additionalProperties"],
      ...["propertyNames", "dependentSchemas", "if", "then", "else", "allOf", "anyOf", "oneOf", "not"],
    ],
  ],
  ["unevaluated", ["unevaluatedItems", "unevaluatedProperties"]],
  [
    "validation",
    [
      ...[
        "type",
        "const",
        "enum",
        "multipleOf",
        "maximum",
        "exclusiveMaximum",
        "minimum",
        "exclusiveMinimum",
      ],
      ...["maxLength", "minLength", "pattern", "maxItems", "minItems", "uniqueItems", "maxContains"],
      ...["minContains", "maxProperties", "minProperties", "required", "dependentRequired"],
    ],
  ],
  [
    "meta-data",
    [
      "title",
      "description",
      "default",
      "deprecated",
      "readOnly",
      "writeOnly",
      "examples",
      "markdownDescription",
    ],
  ],
  ["format-annotation", ["format"]],
  ["format-assertion", ["format"]],
  ["content", ["contentEncoding", "contentMediaType", "contentSchema"]],
]);

const vocabularyBase = "https://json-schema.org/draft/2020-12/vocab/";

/** Keywords of draft-07 that draft-04 does not have. */
const newerThanDraft04 = new Set([
  ...[
    "$id",
    "const",
    "contains",
    "contentEncoding",
    "contentMediaType",
    "else",
    "examples",
    "if",
    "propertyNames",
  ],
  ...["readOnly", "then", "writeOnly"],
]);

/** Keywords of 2020-12 that 2019-09 does not have. */
const newerThan2019 = new Set(["$dynamicAnchor", "$dynamicRef", "prefixItems"]);

const isDraft07Keyword = (written: string): boolean =>
  (keywords.has(written) && !newer.has(written)) ||
  written === "definitions" ||
  written === "dependencies" ||
  written === "additionalItems";

const wholeDialects: { readonly [D in Dialect]: Rules } = {
  "2020-12": {
    dialect: "2020-12",
    hasKeyword: (written) => keywords.has(written) || written === "definitions",
  },
  "2019-09": {
    dialect: "2019-09",
    hasKeyword: (written) =>
      (keywords.has(written) && !newerThan2019.has(written)) ||
      ["definitions", "additionalItems", "$recursiveRef", "$recursiveAnchor"].includes(written),
  },
  "draft-07": { dialect: "draft-07", hasKeyword: isDraft07Keyword },
  "draft-04": {
    dialect: "draft-04",
    hasKeyword: (written) =>
      (isDraft07Keyword(written) && !newerThanDraft04.has(written)) || written === "id",
  },
};

/** Whether a dialect has a keyword, spelled as in the document. */
export function speaksIn(dialect: Dialect, written: string): boolean {
  return wholeDialects[dialect].hasKeyword(written);
}

/**
 * The rules for a schema that declares `$schema`, or inherits them where it declares none. A meta-schema among
 * `documents` may leave vocabularies out (core, section 8.1.2); their keywords then mean nothing.
 *
 * @param at place of the schema, for errors
 */
export function rulesOf(
  schema: JsonValue,
  inherited: Rules | Dialect | undefined,
  documents: ReadonlyMap<string, JsonValue>,
  at: string,
): Rules {
  const declared = isJsonObject(schema) ? schema["$schema"] : undefined;
  if (declared === undefined) {
    if (typeof inherited === "object") return inherited;
    return wholeDialects[inherited ?? (isJsonObject(schema) ? dialectOf(schema) : "2020-12")];
  }
  return declaredRules(declared, documents, at, new Set());
}

function declaredRules(
  declared: JsonValue,
  documents: ReadonlyMap<string, JsonValue>,
  at: string,
  seen: Set<JsonValue>,
): Rules {
  const meta = typeof declared === "string" ? documents.get(splitFragment(declared).absolute) : undefined;
  const known = /^https?:\/\/json-schema\.org\/draft/.test(String(declared));
  if (known || !isJsonObject(meta) || seen.has(declared)) {
    return wholeDialects[dialectAt({ $schema: declared }, at)];
  }
  seen.add(declared);
  const base =
    meta["$schema"] === undefined ? undefined : declaredRules(meta["$schema"], documents, at, seen);
  const chosen = meta["$vocabulary"];
  if ((base && base.dialect !== "2020-12") || !isJsonObject(chosen)) return base ?? wholeDialects["2020-12"];
  const words = new Set(["$defs", "definitions"]);
  for (const [uri, required] of Object.entries(chosen)) {
    const listed = uri.startsWith(vocabularyBase)
      ? vocabularies.get(uri.slice(vocabularyBase.length))
      : undefined;
    if (!listed && required === true) {
      throw new SchemaError(
        "unsupported-dialect",
        at,
        `requires the unknown vocabulary ${JSON.stringify(uri)}`,
      );
    }
    for (const word of listed ?? []) words.add(word);
  }
  const assertsFormats = Object.hasOwn(chosen, `${vocabularyBase}format-assertion`);
  return { dialect: "2020-12", assertsFormats, hasKeyword: (written) => words.has(written) };
}

function dialectAt(schema: { $schema: JsonValue }, at: string): Dialect {
  try {
    return dialectOf(schema);
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    throw new SchemaError(error.code, at, error.message);
  }
}
