import {
  type JsonObject,
  type JsonValue,
  type SchemaError,
  atPointer,
  isJsonObject,
  keywords,
  pointer,
  pointerTokens,
} from "@mcpgen/engine";
import { closest } from "../../diagnostics/suggest.js";

/** Names of types in other languages and in older drafts, and how JSON Schema says the same. */
const otherTypes: { readonly [name: string]: string } = {
  any: "Remove `type`: a schema without it accepts every value.",
  bool: 'Write "boolean".',
  date: 'Write "string", with `format: "date"`.',
  datetime: 'Write "string", with `format: "date-time"`.',
  dict: 'Write "object".',
  double: 'Write "number".',
  file: 'Write "string", with `contentEncoding: "base64"`.',
  float: 'Write "number".',
  int: 'Write "integer".',
  list: 'Write "array".',
  long: 'Write "integer".',
  map: 'Write "object".',
  none: 'Write "null".',
  str: 'Write "string".',
  tuple: 'Write "array".',
  undefined: "Leave the member out of `required`: JSON has no such value.",
  unknown: "Remove `type`: a schema without it accepts every value.",
};

/** What to write in a schema in place of what cannot be read. */
export function schemaAdvice(error: SchemaError, schema: JsonObject): string {
  const tokens = pointerTokens(error.pointer);
  const value = error.document === undefined ? atPointer(schema, error.pointer) : undefined;
  const advice =
    value === undefined
      ? undefined
      : error.code === "not-a-schema"
        ? forPlace(value, tokens)
        : error.code === "malformed-keyword"
          ? forKeyword(value, tokens, schema)
          : undefined;
  if (advice !== undefined) return advice;
  const wanted = /"([^"]*)"/.exec(error.message)?.[1];
  const meant = wanted === undefined ? undefined : closest(wanted, error.candidates);
  if (meant !== undefined) return `Did you mean ${JSON.stringify(meant)}?`;
  if (error.code === "unresolved-reference")
    return "Add the schema that it refers to under `$defs`, or remove the reference.";
  if (error.code === "remote-reference" && !/^[a-z][a-z0-9+.-]*:/i.test(wanted ?? ""))
    return "Give the folder of the file with --base DIR, or `base` of the contract in the configuration.";
  return "Correct the schema; `mcpgen explain MG6005` says what is accepted.";
}

/** Where a schema has to stand. */
function forPlace(value: JsonValue, tokens: readonly string[]): string {
  if (Array.isArray(value) && tokens.at(-1) === "items")
    return "Write `prefixItems` for a list of schemas, or name draft-07 in `$schema`.";
  if (typeof value === "string" && isType(value)) return `Write { "type": ${JSON.stringify(value)} }.`;
  return "Write a schema, {} for any value, or remove it.";
}

function forKeyword(value: JsonValue, tokens: readonly string[], schema: JsonObject): string | undefined {
  const index = tokens.findLastIndex((token) => keywords.has(token) || token === "definitions");
  const keyword = tokens[index]!;
  const around = tokens.slice(0, index);
  if (value === null && index === tokens.length - 1) return `Remove \`${keyword}\`: null says nothing.`;
  if (keyword === "type" && typeof value === "string")
    return Object.hasOwn(otherTypes, value.toLowerCase()) ? otherTypes[value.toLowerCase()] : undefined;
  if (keyword === "required") return forRequired(value, around);
  if (keyword === "enum") return `Write a list: ${isJsonObject(value) ? "[ … ]" : JSON.stringify([value])}.`;
  if (keyword.startsWith("exclusive") && typeof value === "boolean")
    return forExclusive(keyword, around, schema);
  if (typeof value === "string" && isWrittenScalar(value)) return `Write ${value.trim()}, without quotes.`;
  const shape = keywords.get(keyword)?.shape;
  const isMap = shape === "schemaMap" || shape === "stringSetMap" || keyword === "definitions";
  if (isMap && !isJsonObject(value)) return `Write an object: "${keyword}": {}.`;
  if (["schemaSet", "schemaList"].includes(shape ?? ""))
    return isJsonObject(value)
      ? `Write a list: "${keyword}": [{ … }].`
      : `Write schemas in it, or remove it.`;
  if (["title", "description", "format", "pattern"].includes(keyword) && typeof value !== "string")
    return "Write a text in quotes, or remove it.";
  return undefined;
}

/** Draft-03 says at each member whether it is required. */
function forRequired(value: JsonValue, around: readonly string[]): string | undefined {
  const member = around.at(-2) === "properties" ? around.at(-1) : undefined;
  if (value === false) return "Remove it: members are optional unless `required` of the object lists them.";
  if (value === true)
    return `Write the name in \`required\` of the object around it${member === undefined ? "" : `: "required": [${JSON.stringify(member)}]`}.`;
  return typeof value === "string" ? `Write a list: "required": [${JSON.stringify(value)}].` : undefined;
}

/** Draft-04 says beside the limit that it is exclusive. */
function forExclusive(keyword: string, around: readonly string[], schema: JsonObject): string {
  const limit = keyword === "exclusiveMinimum" ? "minimum" : "maximum";
  const holder = atPointer(schema, pointer("", ...around));
  const value = isJsonObject(holder!) ? holder[limit] : undefined;
  return typeof value === "number"
    ? `Write "${keyword}": ${value} in place of \`${limit}\`, or name draft-04 in \`$schema\`.`
    : `Write the limit itself, or remove it.`;
}

function isType(text: string): boolean {
  return ["array", "boolean", "integer", "null", "number", "object", "string"].includes(text);
}

/** Whether a text is a number or a truth value in quotes. */
function isWrittenScalar(text: string): boolean {
  return /^\s*(?:-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|true|false)\s*$/i.test(text);
}
