import type { Schema } from "../ir/ir.js";
import { type JsonObject, type JsonValue, isJsonObject, pointer, pointerTokens } from "../ir/json.js";
import { keywords } from "../ir/keywords.js";
import { SchemaError } from "../ir/schema-error.js";

/** A part of a schema that cannot be read. */
export interface UnreadPart {
  /** The part that is left out: a keyword, or a whole subschema, which then accepts any value. */
  readonly left: "keyword" | "schema";
  /** JSON Pointer of the part. */
  readonly pointer: string;
  readonly error: SchemaError;
}

/** Maximum number of parts to leave out of one schema, since it is read again after each. */
const mostParts = 32;

/**
 * Reads a schema and leaves out the parts that cannot be read: of a pattern, an annotation or a null keyword only the
 * keyword, otherwise the smallest subschema around the fault. The remaining schema accepts every value that the whole
 * schema accepts.
 *
 * @param others parts that were left out of another schema: the same places are left out here, too
 * @returns `schema` is absent if only the whole schema could be left out; `parts` has the reasons in every case
 */
export function readableSchema(
  written: JsonObject,
  read: (document: JsonObject) => Schema,
  others: readonly UnreadPart[] = [],
): { readonly schema?: Schema; readonly document: JsonObject; readonly parts: readonly UnreadPart[] } {
  const parts: UnreadPart[] = [];
  const origins = new Map<JsonObject, string>();
  let document = others.length === 0 ? written : copied(written, origins);
  for (const part of others) leaveOut(document, part);
  for (;;) {
    try {
      return { schema: read(document), document, parts };
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error;
      if (document === written) document = copied(written, origins);
      const reported = asWritten(error, document, origins);
      const part = parts.length < mostParts ? leftOut(document, error) : undefined;
      if (!part) return { document: written, parts: [{ left: "schema", pointer: "", error: reported }] };
      parts.push({ ...part, error: reported });
    }
  }
}

/** A copy to change, and in `origins` the places of its schemas before they are moved. */
function copied(document: JsonObject, origins: Map<JsonObject, string>): JsonObject {
  const copy = JSON.parse(JSON.stringify(document)) as JsonObject;
  for (const { schema, at } of schemasIn(copy)) origins.set(schema, at);
  return copy;
}

/** An error with the place in the written document, where it is in a schema that was moved. */
function asWritten(
  error: SchemaError,
  document: JsonObject,
  origins: ReadonlyMap<JsonObject, string>,
): SchemaError {
  if (error.document !== undefined) return error;
  const { way, rest } = wayTo(document, pointerTokens(error.pointer));
  const { schema, at } = way.at(-1)!;
  const origin = origins.get(schema) ?? at;
  if (origin === at) return error;
  return new SchemaError(error.code, pointer(origin, ...rest), error.message, error.candidates);
}

/** Leaves the given part out of `document`. */
function leaveOut(document: JsonObject, { left, pointer: at, error }: UnreadPart): void {
  const { way, rest } = wayTo(document, pointerTokens(at));
  const [keyword] = rest;
  if (left === "schema") {
    if (keyword === undefined && way.length > 1) emptied(document, way, error);
    return;
  }
  // The part is inside `patternProperties`. This document may have other patterns there, so all of them are left out.
  if (keyword === undefined) withoutKeyword(document, way.slice(0, -1), "patternProperties", error);
  else withoutKeyword(document, way, keyword, error);
}

/** Leaves the cause of an error out of `document`. Returns nothing if the cause is the whole document. */
function leftOut(document: JsonObject, error: SchemaError): UnreadPart | undefined {
  if (error.document !== undefined) return undefined;
  const { way, rest } = wayTo(document, pointerTokens(error.pointer));
  const { schema, at } = way.at(-1)!;
  const holder = way.at(-2);
  const [keyword, member] = rest;
  if (keyword === "$schema" || (keyword === undefined && !holder)) return undefined;
  const [around, name] = keyword === undefined ? pointerTokens(at.slice(holder!.at.length)) : rest;
  if (around === "patternProperties" && name !== undefined && isAboutPattern(error))
    return withoutPattern(document, keyword === undefined ? way.slice(0, -1) : way, name, error);
  if (keyword === undefined) return emptied(document, way, error);
  const value = schema[keyword];
  const isNoSchema = error.code === "not-a-schema" && value !== null;
  if (isNoSchema && rest.length === 1 && isSchemaKeyword(keyword)) {
    const inner = (schema[keyword] = {});
    return emptied(document, [...way, { schema: inner, at: pointer(at, keyword) }], error);
  }
  if (rest.length === 2 && isHolder(keyword)) {
    const inner = ((value as JsonObject)[member!] = {});
    return emptied(document, [...way, { schema: inner, at: pointer(at, keyword, member!) }], error);
  }
  if (value === null || keyword === "pattern" || !holder || isAnnotation(keyword))
    return withoutKeyword(document, way, keyword, error);
  return emptied(document, way, error);
}

function isAboutPattern({ code }: SchemaError): boolean {
  return code === "malformed-keyword" || code === "unsafe-pattern";
}

/** Whether a keyword does not affect validation. */
function isAnnotation(keyword: string): boolean {
  return keywords.get(keyword)?.annotation === true || keyword === "definitions";
}

/**
 * Makes the innermost schema of a path accept every value. Empties the object in place, because schemas around it may be
 * moved.
 */
function emptied(document: JsonObject, way: readonly Step[], error: SchemaError): UnreadPart {
  const { schema, at } = way.at(-1)!;
  widen(document, way);
  for (const keyword of Object.keys(schema)) delete schema[keyword];
  return { left: "schema", pointer: at, error };
}

function withoutKeyword(
  document: JsonObject,
  way: readonly Step[],
  keyword: string,
  error: SchemaError,
): UnreadPart {
  const { schema, at } = way.at(-1)!;
  if (!isAnnotation(keyword)) widen(document, way);
  delete schema[keyword];
  for (const dependent of dependents[keyword] ?? []) delete schema[dependent];
  return { left: "keyword", pointer: pointer(at, keyword), error };
}

function withoutPattern(
  document: JsonObject,
  way: readonly Step[],
  pattern: string,
  error: SchemaError,
): UnreadPart {
  const { schema, at } = way.at(-1)!;
  widen(document, way);
  delete (schema["patternProperties"] as { [pattern: string]: JsonValue })[pattern];
  // Otherwise, its members would now count as additional.
  delete schema["additionalProperties"];
  return { left: "keyword", pointer: pointer(at, "patternProperties", pattern), error };
}

/** Keywords that apply to the rest that another keyword leaves. */
const dependents: { readonly [keyword: string]: readonly string[] } = {
  properties: ["additionalProperties"],
  patternProperties: ["additionalProperties"],
  prefixItems: ["items"],
  items: ["additionalItems"],
};

interface Step {
  readonly schema: { [keyword: string]: JsonValue };
  readonly at: string;
}

/** The schemas on the path to a place, outermost first, and the remaining tokens below the innermost. */
function wayTo(
  document: JsonObject,
  tokens: readonly string[],
): { readonly way: readonly Step[]; readonly rest: readonly string[] } {
  const way: Step[] = [{ schema: document as Step["schema"], at: "" }];
  let start = 0;
  for (let end = 1; end <= tokens.length; end++) {
    const inner = tokens.slice(start, end);
    const found = end - start <= 2 ? schemaBelow(way.at(-1)!.schema, inner) : undefined;
    if (!found) continue;
    way.push({ schema: found as Step["schema"], at: pointer("", ...tokens.slice(0, end)) });
    start = end;
  }
  return { way, rest: tokens.slice(start) };
}

/** The subschema at a keyword, or at a keyword and a member. */
function schemaBelow(schema: JsonObject, [keyword, member]: readonly string[]): JsonObject | undefined {
  if (!isHolder(keyword!) && !isSchemaKeyword(keyword!)) return undefined;
  const value = schema[keyword!];
  if (member === undefined) return isSchemaKeyword(keyword!) && isJsonObject(value) ? value : undefined;
  const holds = Array.isArray(value) || (isHolder(keyword!) && isJsonObject(value));
  const found = holds ? (value as JsonObject)[member] : undefined;
  return isJsonObject(found) ? found : undefined;
}

/** Whether the keyword's value contains subschemas as members or items. */
function isHolder(keyword: string): boolean {
  return (
    ["definitions", "dependencies"].includes(keyword) ||
    ["schemaMap", "schemaSet", "schemaList"].includes(keywords.get(keyword)?.shape ?? "")
  );
}

function isSchemaKeyword(keyword: string): boolean {
  return keyword === "additionalItems" || keywords.get(keyword)?.shape === "schema";
}

/**
 * Adapts the schemas around a part that will accept more values, so that they do not accept fewer. They would if the
 * part is below `not`, `if` or `maxContains`, or is an arm of `oneOf`. References may lead to the part from any such
 * place.
 */
function widen(document: JsonObject, way: readonly Step[]): void {
  const isReferred = JSON.stringify(document).includes('"$ref"');
  const around = new Set(way.map(({ schema }) => schema));
  for (const { schema } of schemasIn(document)) {
    delete schema["unevaluatedProperties"];
    delete schema["unevaluatedItems"];
    const concerns = (value: JsonValue | undefined): boolean =>
      value !== undefined &&
      ((isReferred && JSON.stringify(value).includes('"$ref"')) ||
        (around.has(schema) && [...schemasIn(value)].some(({ schema: each }) => around.has(each))));
    if (concerns(schema["not"])) delete schema["not"];
    if (concerns(schema["contains"])) delete schema["maxContains"];
    if (concerns(schema["oneOf"])) {
      conjoin(schema, { anyOf: schema["oneOf"]! });
      delete schema["oneOf"];
    }
    if (concerns(schema["if"])) {
      const { then, else: otherwise } = schema;
      if (then !== undefined && otherwise !== undefined) conjoin(schema, { anyOf: [then, otherwise] });
      for (const keyword of ["if", "then", "else"]) delete schema[keyword];
    }
  }
}

function conjoin(schema: Step["schema"], part: JsonObject): void {
  const parts = schema["allOf"];
  schema["allOf"] = [...(Array.isArray(parts) ? parts : []), part];
}

/** All schema objects in a value that is a schema or a list of schemas, with their places in the value. */
function* schemasIn(value: JsonValue): Generator<Step> {
  const members = (from: JsonObject | JsonValue[], at: string): [JsonValue, string][] =>
    Object.entries(from).map(([name, each]) => [each, pointer(at, name)]);
  const pending: [JsonValue, string][] = Array.isArray(value) ? members(value, "") : [[value, ""]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [schema, at] = next;
    if (!isJsonObject(schema)) continue;
    yield { schema: schema as Step["schema"], at };
    for (const [keyword, content] of Object.entries(schema)) {
      const place = pointer(at, keyword);
      if (isSchemaKeyword(keyword)) pending.push([content, place]);
      if ((isHolder(keyword) || isSchemaKeyword(keyword)) && typeof content === "object" && content !== null)
        if (Array.isArray(content) || isHolder(keyword)) pending.push(...members(content, place));
    }
  }
}
