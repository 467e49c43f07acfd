import { referencedPointer } from "../ir/fragment.js";
import {
  type JsonObject,
  type JsonValue,
  canonicalText,
  isJsonObject,
  jsonObject,
  naturalCompare,
  pointer,
  pointerTokens,
} from "../ir/json.js";
import { type Dialect, keywords } from "../ir/keywords.js";
import { SchemaError } from "../ir/schema-error.js";
import { currentReference, dialectOf, inCurrentVocabulary } from "../ir/vocabulary.js";
import { speaksIn } from "./dialects.js";

/** The dialect of canonical schemas. */
export const canonicalDialect = "https://json-schema.org/draft/2020-12/schema";

export interface CanonicaliseOptions {
  /** Keep `description`, `title` and comments (the default), or drop them. */
  readonly descriptions?: boolean;
  /**
   * The order of `enum` values: natural (the default), or the order in the document, which may have a meaning for
   * people.
   */
  readonly enums?: "natural" | "written";
}

/** The depth limit for subschemas and for values of other keywords. Schemas written by hand stay far below. */
const maximumDepth = 128;

/**
 * Returns the canonical form of a schema document: JSON Schema 2020-12, with definitions under `$defs`, and object keys
 * and set-like arrays in natural order. The meaning stays, the result does not depend on the input's order of keys and
 * set members, and it is its own canonical form. A set keeps its order if a reference addresses a member by index
 * (`#/$defs/A/anyOf/1`).
 *
 * @param document a parsed schema document, draft-07 or 2020-12
 * @throws SchemaError if the document is not a schema, declares another dialect or is nested too deeply
 */
export function canonicalise(document: JsonValue, options: CanonicaliseOptions = {}): JsonObject {
  return canonicalised(document, options);
}

/** Like `canonicalise`, but also returns the original place in `document` of each schema object of the result. */
export function canonicaliseWithOrigins(
  document: JsonValue,
  options: CanonicaliseOptions = {},
): { readonly canonical: JsonObject; readonly origins: ReadonlyMap<JsonObject, string> } {
  const origins = new Map<JsonObject, string>();
  return { canonical: canonicalised(document, options, origins), origins };
}

function canonicalised(
  document: JsonValue,
  options: CanonicaliseOptions,
  origins?: Map<JsonObject, string>,
): JsonObject {
  if (!isJsonObject(document)) {
    throw new SchemaError("not-a-schema", "", `expected a JSON object, got ${kindOf(document)}`);
  }
  const work: Work = {
    document,
    dialect: dialectOf(document),
    descriptions: options.descriptions ?? true,
    keepsEnums: options.enums === "written",
    sets: [],
    named: new Set(),
    ...(origins && { origins }),
  };
  const canonical = schemaObject(document, "", 0, work);
  for (const { at, members } of work.sets) if (!work.named.has(at)) sortSet(members);
  return canonical;
}

/** The state of one run. Places are places in the original document, because errors name them. */
interface Work {
  readonly document: JsonObject;
  readonly dialect: Dialect;
  readonly descriptions: boolean;
  readonly keepsEnums: boolean;
  /** Whether the document has `unevaluatedItems`; computed once. */
  takesRest?: boolean;
  /** Sets of schemas, inner ones first. They are sorted when all references are known. */
  readonly sets: { readonly at: string; readonly members: JsonValue[] }[];
  /** Places on the paths of references. */
  readonly named: Set<string>;
  /** The original places, if the caller wants them. */
  readonly origins?: Map<JsonObject, string>;
}

function schema(value: JsonValue, at: string, depth: number, work: Work): JsonValue {
  if (typeof value === "boolean") return value;
  if (!isJsonObject(value)) {
    throw new SchemaError(
      "not-a-schema",
      at,
      `expected a schema (an object or a boolean), got ${kindOf(value)}`,
    );
  }
  refuseDepth(depth, at, "subschemas");
  return schemaObject(value, at, depth, work);
}

function schemaObject(source: JsonObject, at: string, depth: number, work: Work): JsonObject {
  const target = jsonObject();
  if (at === "") target["$schema"] = canonicalDialect;
  for (const { keyword, value, written } of inCurrentVocabulary(source, work.dialect)) {
    if (keywords.get(keyword)?.prose && !work.descriptions) continue;
    if (at === "" && keyword === "$schema") continue;
    const place = pointer(at, written);
    if (hasOtherMeanings(work.dialect)) refuseOtherMeaning(keyword, written, place, work);
    const content = keywordValue(keyword, value, place, depth, work);
    target[keyword] = Object.hasOwn(target, keyword) ? merged(target[keyword]!, content, place) : content;
  }
  const result = sorted(target);
  work.origins?.set(result, at);
  return result;
}

/** Whether a dialect has keywords with a meaning that 2020-12 cannot express, or lacks keywords of 2020-12. */
function hasOtherMeanings(dialect: Dialect): boolean {
  return dialect === "draft-04" || dialect === "2019-09";
}

function refuseOtherMeaning(keyword: string, written: string, at: string, work: Work): void {
  const { dialect } = work;
  if (keywords.has(keyword) && !keywords.get(keyword)!.annotation && !speaksIn(dialect, written)) {
    const message = `the keyword ${JSON.stringify(written)} means nothing in ${dialect}, and something in 2020-12`;
    throw new SchemaError("unsupported-keyword", at, message);
  }
  if (keyword.startsWith("$recursive")) {
    const message = `the keyword ${JSON.stringify(written)} of ${dialect} is not supported here`;
    throw new SchemaError("unsupported-keyword", at, message);
  }
  if (dialect !== "2019-09" || keyword !== "contains") return;
  work.takesRest ??= JSON.stringify(work.document).includes('"unevaluatedItems":');
  if (!work.takesRest) return;
  const message =
    "items that `contains` finds are left over for `unevaluatedItems` in 2019-09, and not in 2020-12";
  throw new SchemaError("unsupported-keyword", at, message);
}

function keywordValue(keyword: string, value: JsonValue, at: string, depth: number, work: Work): JsonValue {
  const shape = keywords.get(keyword)?.shape;
  switch (shape) {
    case "schema":
      return schema(value, at, depth + 1, work);
    case "schemaMap":
      return mapValues(expectObject(value, at), (member, key) =>
        schema(member, pointer(at, key), depth + 1, work),
      );
    case "schemaSet":
    case "schemaList": {
      const members = expectArray(value, at).map((member, index) =>
        schema(member, pointer(at, index), depth + 1, work),
      );
      if (shape === "schemaSet") work.sets.push({ at, members });
      return members;
    }
    case "valueSet": {
      const values = plainValue(value, at, 0);
      return keyword === "enum" && work.keepsEnums ? unique(values) : uniqueInNaturalOrder(values);
    }
    case "stringSetMap":
      return mapValues(expectObject(value, at), (member, key) =>
        uniqueInNaturalOrder(plainValue(member, pointer(at, key), 0)),
      );
    default:
      return keyword === "$ref" && typeof value === "string"
        ? followed(value, work)
        : plainValue(value, at, 0);
  }
}

/** Returns a reference in canonical form, and records the places on its path. */
function followed(reference: string, work: Work): string {
  if (reference.startsWith("#/")) {
    const tokens = pointerTokens(referencedPointer(reference));
    for (let length = 1; length < tokens.length; length++) {
      work.named.add(pointer("", ...tokens.slice(0, length)));
    }
  }
  return currentReference(reference, work.document, work.dialect);
}

/** Returns a value that is not a schema, with object keys in natural order. */
function plainValue(value: JsonValue, at: string, depth: number): JsonValue {
  if (typeof value === "number" && !Number.isFinite(value)) {
    throw new SchemaError("malformed-keyword", at, "expected a number within the range of IEEE 754 doubles");
  }
  if (typeof value !== "object" || value === null) return value;
  refuseDepth(depth, at, "values");
  // A fast path for strings, which are the most frequent values and do not need a place for errors.
  const inner = (item: JsonValue, token: string | number): JsonValue =>
    typeof item === "string" ? item : plainValue(item, pointer(at, token), depth + 1);
  return Array.isArray(value) ? value.map(inner) : mapValues(value, inner);
}

/** @throws SchemaError if `depth` exceeds the limit */
export function refuseDepth(depth: number, at: string, what: string): void {
  if (depth > maximumDepth)
    throw new SchemaError("too-deep", at, `expected at most ${maximumDepth} nested ${what}`);
}

/** Joins the definitions of `definitions` and `$defs`. */
function merged(present: JsonValue, further: JsonValue, at: string): JsonValue {
  if (!isJsonObject(present) || !isJsonObject(further)) return further;
  for (const name of Object.keys(further)) {
    if (!Object.hasOwn(present, name)) continue;
    throw new SchemaError("malformed-keyword", pointer(at, name), "defined under another spelling as well");
  }
  return sorted(jsonObject([...Object.entries(present), ...Object.entries(further)]));
}

function mapValues(source: JsonObject, change: (value: JsonValue, key: string) => JsonValue): JsonObject {
  const result = jsonObject();
  for (const key of Object.keys(source)) result[key] = change(source[key]!, key);
  return sorted(result);
}

/** Returns `source` with its keys in natural order; `source` itself if they are already in order. */
function sorted(source: JsonObject): JsonObject {
  const keys = Object.keys(source);
  if (keys.every((key, index) => index === 0 || naturalCompare(keys[index - 1]!, key) <= 0)) return source;
  const result = jsonObject();
  for (const key of keys.sort(naturalCompare)) result[key] = source[key]!;
  return result;
}

function inNaturalOrder(values: readonly JsonValue[]): JsonValue[] {
  return values
    .map((value) => ({ value, text: canonicalText(value) }))
    .sort((a, b) => naturalCompare(a.text, b.text))
    .map(({ value }) => value);
}

function sortSet(members: JsonValue[]): void {
  for (const [index, member] of inNaturalOrder(members).entries()) members[index] = member;
}

function unique(value: JsonValue): JsonValue {
  if (!Array.isArray(value)) return value;
  return [...new Map(value.map((item) => [canonicalText(item), item])).values()];
}

function uniqueInNaturalOrder(value: JsonValue): JsonValue {
  if (!Array.isArray(value)) return value;
  const byText = new Map(value.map((item) => [canonicalText(item), item]));
  return [...byText].sort(([one], [other]) => naturalCompare(one, other)).map(([, item]) => item);
}

function expectObject(value: JsonValue, at: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw new SchemaError("malformed-keyword", at, `expected an object of schemas, got ${kindOf(value)}`);
}

function expectArray(value: JsonValue, at: string): JsonValue[] {
  if (Array.isArray(value)) return value;
  throw new SchemaError("malformed-keyword", at, `expected an array of schemas, got ${kindOf(value)}`);
}

/** Describes a value in an error message by its kind, without its content. */
export function kindOf(value: JsonValue): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : typeof value === "object" ? "an object" : `a ${typeof value}`;
}
