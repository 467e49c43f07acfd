import type { JsonValue } from "../ir/json.js";
import { isJsonObject } from "../ir/json.js";
import { type Dialect, keywords } from "../ir/keywords.js";
import { SchemaError } from "../ir/schema-error.js";
import { dialectOf } from "../ir/vocabulary.js";
import { splitFragment } from "./uri.js";

/** The rules by which the schemas of one resource are read. */
export interface Rules {
  readonly dialect: Dialect;
  readonly assertsFormats?: boolean;
  /** Whether the dialect has a keyword, given its name in the document. */
  hasKeyword(written: string): boolean;
}

/** The dialects; each also has the keywords of the earlier ones. */
const dialects: readonly Dialect[] = ["draft-04", "draft-07", "2019-09", "2020-12"];

/** Whether a keyword is at most as new as a dialect. */
function isOf(dialect: Dialect, written: string): boolean {
  const keyword = keywords.get(written);
  return keyword !== undefined && dialects.indexOf(keyword.since) <= dialects.indexOf(dialect);
}

/** The keywords of a vocabulary of 2020-12; undefined if the vocabulary does not exist. */
function keywordsOf(vocabulary: string): string[] | undefined {
  const name = vocabulary === "format-assertion" ? "format-annotation" : vocabulary;
  const found = [...keywords].filter(([, keyword]) => keyword.vocabulary === name);
  return found.length > 0 ? found.map(([word]) => word) : undefined;
}

const vocabularyBase = "https://json-schema.org/draft/2020-12/vocab/";

const isDraft07Keyword = (written: string): boolean =>
  isOf("draft-07", written) || ["definitions", "dependencies", "additionalItems"].includes(written);

const wholeDialects: { readonly [D in Dialect]: Rules } = {
  "2020-12": {
    dialect: "2020-12",
    hasKeyword: (written) => keywords.has(written) || written === "definitions",
  },
  "2019-09": {
    dialect: "2019-09",
    hasKeyword: (written) =>
      isOf("2019-09", written) ||
      ["definitions", "additionalItems", "$recursiveRef", "$recursiveAnchor"].includes(written),
  },
  "draft-07": { dialect: "draft-07", hasKeyword: isDraft07Keyword },
  "draft-04": {
    dialect: "draft-04",
    hasKeyword: (written) =>
      isOf("draft-04", written) || ["definitions", "dependencies", "additionalItems", "id"].includes(written),
  },
};

/** Whether a dialect has a keyword, given its name in the document. */
export function speaksIn(dialect: Dialect, written: string): boolean {
  return wholeDialects[dialect].hasKeyword(written);
}

/**
 * Returns the rules that a schema declares by `$schema`, or else the inherited rules. A meta-schema in `documents` may
 * leave vocabularies out (core, section 8.1.2): their keywords are then ignored.
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
    const listed = uri.startsWith(vocabularyBase) ? keywordsOf(uri.slice(vocabularyBase.length)) : undefined;
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
