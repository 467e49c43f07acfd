import {
  type JsonObject,
  type JsonValue,
  canonicalText,
  escapeToken,
  isJsonObject,
  jsonObject,
  naturalCompare,
  pointer,
  pointerTokens,
} from "./json.js";
import { keywords } from "./keywords.js";
import { SchemaError } from "./schema-error.js";

/** The dialect every canonical schema is written in. */
export const canonicalDialect = "https://json-schema.org/draft/2020-12/schema";

/** The dialects that can be read. */
export type Dialect = "2020-12" | "draft-07";

export interface CanonicaliseOptions {
  /** Keep `description`, `title` and comments (the default), or drop them. */
  readonly descriptions?: boolean;
}

/** Subschemas nested deeper than this are refused: no schema written by people comes near. */
const maximumDepth = 512;

/**
 * The canonical form of a schema document: JSON Schema 2020-12, definitions under `$defs`, object keys
 * and set-like arrays in natural order. It means the same as the input, is the same for every order of
 * keys and set members in it, and is its own canonical form.
 *
 * @param document a parsed schema document, draft-07 or 2020-12
 * @throws SchemaError when the document is not a schema, names another dialect or is nested too deep
 */
export function canonicalise(document: JsonValue, options: CanonicaliseOptions = {}): JsonObject {
  if (!isJsonObject(document)) {
    throw new SchemaError("not-a-schema", "", `expected a JSON object, got ${kindOf(document)}`);
  }
  const dialect = dialectOf(document);
  const canonical = schemaObject(document, "", 0, { dialect, descriptions: options.descriptions ?? true });
  canonical["$schema"] = canonicalDialect;
  return sorted(canonical);
}

/** The dialect a document declares, or seems to be written in when it declares none. */
export function dialectOf(document: JsonObject): Dialect {
  const declared = document["$schema"];
  if (declared === undefined) return "definitions" in document ? "draft-07" : "2020-12";
  if (typeof declared === "string") {
    if (/^https?:\/\/json-schema\.org\/draft\/(2020-12|2019-09)\/schema#?$/.test(declared)) return "2020-12";
    if (/^https?:\/\/json-schema\.org\/draft-0[67]\/schema#?$/.test(declared)) return "draft-07";
  }
  throw new SchemaError(
    "unsupported-dialect",
    "/$schema",
    `expected JSON Schema 2020-12 or draft-07, got ${JSON.stringify(declared)}`,
  );
}

interface Context {
  readonly dialect: Dialect;
  readonly descriptions: boolean;
}

function schema(value: JsonValue, at: string, depth: number, context: Context): JsonValue {
  if (typeof value === "boolean") return value;
  if (!isJsonObject(value)) {
    throw new SchemaError(
      "not-a-schema",
      at,
      `expected a schema (an object or a boolean), got ${kindOf(value)}`,
    );
  }
  if (depth > maximumDepth) {
    throw new SchemaError("too-deep", at, `expected at most ${maximumDepth} nested subschemas`);
  }
  return sorted(schemaObject(value, at, depth, context));
}

function schemaObject(source: JsonObject, at: string, depth: number, context: Context): JsonObject {
  const target = jsonObject();
  for (const [keyword, value] of Object.entries(inCurrentVocabulary(source, at, context.dialect))) {
    const known = keywords.get(keyword);
    if (known?.prose && !context.descriptions) continue;
    target[keyword] = keywordValue(keyword, value, at, depth, context);
  }
  return target;
}

function keywordValue(
  keyword: string,
  value: JsonValue,
  at: string,
  depth: number,
  context: Context,
): JsonValue {
  const place = pointer(at, keyword);
  switch (keywords.get(keyword)?.shape) {
    case "schema":
      return schema(value, place, depth + 1, context);
    case "schemaMap":
      return mapValues(expectObject(value, place), (member, key) =>
        schema(member, pointer(place, key), depth + 1, context),
      );
    case "schemaSet":
    case "schemaList": {
      const members = expectArray(value, place).map((member, index) =>
        schema(member, pointer(place, index), depth + 1, context),
      );
      return keywords.get(keyword)?.shape === "schemaSet" ? inNaturalOrder(members) : members;
    }
    case "valueSet":
      return Array.isArray(value) ? uniqueInNaturalOrder(value) : value;
    case "stringSetMap":
      return mapValues(expectObject(value, place), (member) =>
        Array.isArray(member) ? uniqueInNaturalOrder(member) : member,
      );
    default:
      return keyword === "$ref" && typeof value === "string" ? currentReference(value) : value;
  }
}

/** Rewrites keywords that draft-07 spells differently; 2020-12 documents may still say `definitions`. */
function inCurrentVocabulary(source: JsonObject, at: string, dialect: Dialect): JsonObject {
  const target = jsonObject();
  const referenceAlone = dialect === "draft-07" && "$ref" in source;
  for (const [keyword, value] of Object.entries(source)) {
    // In draft-07 the siblings of `$ref` do not constrain.
    if (
      referenceAlone &&
      keyword !== "$ref" &&
      keyword !== "definitions" &&
      !keywords.get(keyword)?.annotation
    )
      continue;
    if (keyword === "definitions") mergeDefinitions(target, value, at);
    else if (keyword === "$defs") mergeDefinitions(target, value, at);
    else if (dialect === "draft-07" && keyword === "items" && Array.isArray(value))
      target["prefixItems"] = value;
    else if (dialect === "draft-07" && keyword === "additionalItems") {
      if (Array.isArray(source["items"])) target["items"] = value;
    } else if (dialect === "draft-07" && keyword === "dependencies") splitDependencies(target, value, at);
    else target[keyword] = value;
  }
  return target;
}

function mergeDefinitions(target: JsonObject, value: JsonValue, at: string): void {
  const present = isJsonObject(target["$defs"]) ? target["$defs"] : jsonObject();
  for (const [name, definition] of Object.entries(expectObject(value, pointer(at, "$defs")))) {
    if (name in present) {
      throw new SchemaError(
        "malformed-keyword",
        pointer(at, "definitions", name),
        `defined twice: under definitions and under $defs`,
      );
    }
    present[name] = definition;
  }
  target["$defs"] = present;
}

function splitDependencies(target: JsonObject, value: JsonValue, at: string): void {
  const required = jsonObject();
  const schemas = jsonObject();
  for (const [key, dependency] of Object.entries(expectObject(value, pointer(at, "dependencies")))) {
    if (Array.isArray(dependency)) required[key] = dependency;
    else schemas[key] = dependency;
  }
  if (Object.keys(required).length > 0) target["dependentRequired"] = required;
  if (Object.keys(schemas).length > 0) target["dependentSchemas"] = schemas;
}

/** A local `$ref` with `definitions` replaced by `$defs` where a schema may hold definitions. */
function currentReference(reference: string): string {
  if (!reference.startsWith("#/")) return reference;
  let position: "schema" | "map" | "list" | "other" = "schema";
  const tokens = pointerTokens(decodeFragment(reference)).map((token) => {
    if (position === "map" || position === "list") {
      position = "schema";
      return token;
    }
    if (position === "other") return token;
    const current = token === "definitions" ? "$defs" : token;
    const shape = keywords.get(current)?.shape;
    position =
      shape === "schemaMap"
        ? "map"
        : shape === "schemaSet" || shape === "schemaList"
          ? "list"
          : shape === "schema"
            ? "schema"
            : "other";
    return current;
  });
  return "#" + tokens.map((token) => "/" + escapeToken(token)).join("");
}

/** The JSON Pointer of a URI fragment; text that is not percent-encoding is taken literally. */
function decodeFragment(reference: string): string {
  try {
    return decodeURIComponent(reference.slice(1));
  } catch {
    return reference.slice(1);
  }
}

function mapValues(source: JsonObject, change: (value: JsonValue, key: string) => JsonValue): JsonObject {
  return sorted(jsonObject(Object.entries(source).map(([key, value]) => [key, change(value, key)] as const)));
}

function sorted(source: JsonObject): JsonObject {
  return jsonObject(
    Object.keys(source)
      .sort(naturalCompare)
      .map((key) => [key, source[key]!] as const),
  );
}

function inNaturalOrder(values: readonly JsonValue[]): JsonValue[] {
  return values
    .map((value) => ({ value, text: canonicalText(value) }))
    .sort((a, b) => naturalCompare(a.text, b.text))
    .map(({ value }) => value);
}

function uniqueInNaturalOrder(values: readonly JsonValue[]): JsonValue[] {
  const byText = new Map(values.map((value) => [canonicalText(value), value]));
  return inNaturalOrder([...byText.values()]);
}

function expectObject(value: JsonValue, at: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw new SchemaError("malformed-keyword", at, `expected an object of schemas, got ${kindOf(value)}`);
}

function expectArray(value: JsonValue, at: string): JsonValue[] {
  if (Array.isArray(value)) return value;
  throw new SchemaError("malformed-keyword", at, `expected an array of schemas, got ${kindOf(value)}`);
}

/** How an error message names a value: its kind, never its content. */
export function kindOf(value: JsonValue): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : typeof value === "object" ? "an object" : `a ${typeof value}`;
}
