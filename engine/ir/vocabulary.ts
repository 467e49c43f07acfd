import { referenceTo, referencedPointer } from "./fragment.js";
import { type JsonObject, type JsonValue, escapeToken, isJsonObject, pointerTokens } from "./json.js";
import { type Dialect, keywords } from "./keywords.js";
import { SchemaError } from "./schema-error.js";

const declarations: readonly (readonly [RegExp, Dialect])[] = [
  [/^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/, "2020-12"],
  [/^https?:\/\/json-schema\.org\/draft\/2019-09\/schema#?$/, "2019-09"],
  [/^https?:\/\/json-schema\.org\/draft-0[67]\/schema#?$/, "draft-07"],
  [/^https?:\/\/json-schema\.org\/draft-04\/schema#?$/, "draft-04"],
];

/**
 * Returns the dialect that a document declares. Without a declaration: draft-07 if it has `definitions`, otherwise
 * 2020-12.
 */
export function dialectOf(document: JsonObject): Dialect {
  const declared = document["$schema"];
  if (declared === undefined) return Object.hasOwn(document, "definitions") ? "draft-07" : "2020-12";
  const found = typeof declared === "string" && declarations.find(([form]) => form.test(declared));
  if (found) return found[1];
  throw new SchemaError(
    "unsupported-dialect",
    "/$schema",
    `expected JSON Schema 2020-12, 2019-09, draft-07, draft-06 or draft-04, got ${shown(declared)}`,
  );
}

/** Whether a dialect ignores the siblings of `$ref`, as all dialects before 2019-09 do. */
export function hasReferencesAlone(dialect: Dialect): boolean {
  return dialect === "draft-07" || dialect === "draft-04";
}

function shown(declared: JsonValue): string {
  return typeof declared === "object" ? "no address" : JSON.stringify(declared);
}

/** A keyword with its name in 2020-12, its value, and its name in the document. */
interface CurrentKeyword {
  readonly keyword: string;
  readonly value: JsonValue;
  readonly written: string;
}

/**
 * Yields the keywords of a schema object with their names in 2020-12 (also `$defs` for `definitions` in 2020-12
 * documents). Yields a keyword twice if the document has it under two names.
 */
export function* inCurrentVocabulary(source: JsonObject, dialect: Dialect): Generator<CurrentKeyword> {
  const referenceAlone = hasReferencesAlone(dialect) && Object.hasOwn(source, "$ref");
  for (const [written, value] of Object.entries(source)) {
    const keyword = currentKeyword(written, source, dialect);
    if (referenceAlone && keyword !== "$ref" && !keywords.get(keyword)?.annotation) continue;
    if (dialect !== "2020-12" && written === "additionalItems" && keyword === written) continue;
    if (dialect === "draft-04" && Object.hasOwn(exclusive, written)) {
      // In draft-04, a boolean sibling makes a limit exclusive.
      if (value === true && source[exclusive[written]!] !== undefined)
        yield { keyword: written, value: source[exclusive[written]!]!, written: exclusive[written]! };
      if (typeof value === "boolean") continue;
    }
    if (dialect === "draft-04" && source[exclusives[written] ?? ""] === true) continue;
    if (keyword === "dependentSchemas" && written === "dependencies" && isJsonObject(value)) {
      yield* splitDependencies(value, written);
    } else {
      yield { keyword, value, written };
    }
  }
}

/** The boolean keywords of draft-04 that make a limit exclusive, with the limits. */
const exclusive: { readonly [keyword: string]: string } = {
  exclusiveMaximum: "maximum",
  exclusiveMinimum: "minimum",
};
const exclusives: { readonly [limit: string]: string } = {
  maximum: "exclusiveMaximum",
  minimum: "exclusiveMinimum",
};

/** The name in 2020-12 of a keyword of `schema`. */
function currentKeyword(keyword: string, schema: JsonValue | undefined, dialect: Dialect): string {
  if (keyword === "definitions") return "$defs";
  if (dialect === "2020-12" || !isJsonObject(schema)) return keyword;
  if (dialect === "draft-04" && keyword === "id") return "$id";
  const tuple = Array.isArray(schema["items"]);
  if (keyword === "items") return tuple ? "prefixItems" : "items";
  if (keyword === "additionalItems") return tuple ? "items" : "additionalItems";
  return keyword === "dependencies" && dialect !== "2019-09" ? "dependentSchemas" : keyword;
}

function* splitDependencies(value: JsonObject, written: string): Generator<CurrentKeyword> {
  const names = Object.entries(value).filter(([, dependency]) => Array.isArray(dependency));
  const schemas = Object.entries(value).filter(([, dependency]) => !Array.isArray(dependency));
  if (names.length > 0) yield { keyword: "dependentRequired", value: Object.fromEntries(names), written };
  if (schemas.length > 0) yield { keyword: "dependentSchemas", value: Object.fromEntries(schemas), written };
}

/** Returns a reference into `document` with the keywords on its path named as in 2020-12. */
export function currentReference(reference: string, document: JsonObject, dialect: Dialect): string {
  if (reference === "") return "#";
  if (!reference.startsWith("#/")) return reference;
  let position: "schema" | "members" | "value" = "schema";
  let here: JsonValue | undefined = document;
  const tokens = pointerTokens(referencedPointer(reference)).map((token) => {
    const current = position === "schema" ? currentKeyword(token, here, dialect) : token;
    position = position === "schema" ? below(current) : position === "members" ? "schema" : "value";
    here = memberOf(here, token);
    return current;
  });
  return referenceTo(tokens.map((token) => "/" + escapeToken(token)).join(""));
}

/** Whether a JSON Pointer into a canonical document leads to a schema, not to another value. */
export function isSchemaPlace(pointer: string): boolean {
  let position: "schema" | "members" | "value" = "schema";
  for (const token of pointerTokens(pointer)) {
    position = position === "schema" ? below(token) : position === "members" ? "schema" : "value";
  }
  return position === "schema";
}

/** The kind of a keyword's value: a schema, a container of schemas, or another value. */
function below(keyword: string): "schema" | "members" | "value" {
  switch (keywords.get(keyword)?.shape) {
    case "schema":
      return "schema";
    case "schemaMap":
    case "schemaSet":
    case "schemaList":
      return "members";
    default:
      return "value";
  }
}

function memberOf(value: JsonValue | undefined, token: string): JsonValue | undefined {
  if (Array.isArray(value)) return value[Number(token)];
  return isJsonObject(value) && Object.hasOwn(value, token) ? value[token] : undefined;
}
