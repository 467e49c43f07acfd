import { McpError } from "../jsonrpc/errors.js";
import { isObject } from "../jsonrpc/message.js";
import type { JsonSchema } from "./schema-type.js";

/** Keywords of the fields of a form, by type (2025-11-25, elicitation, requested schema). */
const keywords: { readonly [type: string]: readonly string[] } = {
  string: ["minLength", "maxLength", "enum", "oneOf"],
  number: ["minimum", "maximum"],
  integer: ["minimum", "maximum"],
  boolean: [],
  array: ["minItems", "maxItems", "items"],
};

const common = ["type", "title", "description", "default"];
const formats: ReadonlySet<unknown> = new Set(["email", "uri", "date", "date-time"]);

/**
 * The form for the schema of a library: a flat object of strings, numbers, booleans and choices. Keywords that forms do not
 * have, such as `pattern`, are left out: the library checks the answer.
 *
 * @param schema JSON Schema of the library
 * @param place the name of the schema in errors
 * @throws {McpError} `invalid-definition`: a member is none of these
 */
export function formOf(schema: JsonSchema, place: string): JsonSchema {
  const { properties, required, $defs } = schema;
  if (schema["type"] !== "object" || !isObject(properties))
    throw new McpError("invalid-definition", `${place}: expected an object schema with members.`);
  const fields = Object.entries(properties).map(([name, property]) => {
    const field = fieldOf(property, $defs);
    if (field) return [name, field];
    const problem = "a form asks for strings, numbers, booleans and choices only";
    throw new McpError("invalid-definition", `${place}, member ${name}: ${problem}.`);
  });
  const needed = Array.isArray(required) && required.length > 0 ? { required } : {};
  return { type: "object", properties: Object.fromEntries(fields) as object, ...needed };
}

/** @returns nothing for what no field of a form can be */
function fieldOf(property: unknown, definitions: unknown): JsonSchema | undefined {
  const given = resolved(property, definitions);
  if (!given) return undefined;
  const choice = choiceOf(given);
  const field: Record<string, unknown> = choice ? { ...given, type: "string", ...choice } : { ...given };
  if (field["type"] === "array") {
    const items = resolved(field["items"], definitions);
    const { type, enum: values, oneOf } = (items && choiceOf(items)) ?? {};
    if (!values && !oneOf) return undefined;
    // A choice of several lists titled values under `anyOf`.
    field["items"] = values ? { type, enum: values } : { anyOf: oneOf };
  }
  const known = keywords[String(field["type"])];
  if (!known || (!choice && ("enum" in field || "const" in field || "anyOf" in field || "oneOf" in field)))
    return undefined;
  const kept = new Set([...common, ...known, ...(formats.has(field["format"]) ? ["format"] : [])]);
  return Object.fromEntries(Object.entries(field).filter(([keyword]) => kept.has(keyword)));
}

/** A schema, or the definition that it refers to, with the texts beside the reference. */
function resolved(schema: unknown, definitions: unknown): JsonSchema | undefined {
  if (!isObject(schema)) return undefined;
  const { $ref, ...others } = schema;
  if (typeof $ref !== "string") return schema;
  const name = /^#\/\$defs\/([^/]+)$/.exec($ref)?.[1];
  const target = name !== undefined && isObject(definitions) ? definitions[name] : undefined;
  return isObject(target) && target["$ref"] === undefined ? { ...target, ...others } : undefined;
}

/** The values of a choice of texts: as a list, or with titles, if some alternative has one. */
function choiceOf({ enum: values, const: only, anyOf, oneOf }: JsonSchema): JsonSchema | undefined {
  if (isTexts(values)) return { type: "string", enum: values };
  if (typeof only === "string") return { type: "string", enum: [only] };
  const arms: unknown = anyOf ?? oneOf;
  if (!Array.isArray(arms) || arms.length === 0) return undefined;
  const constants = arms.map((arm) => (isObject(arm) ? arm["const"] : undefined));
  if (!isTexts(constants)) return undefined;
  const titled = arms.map(({ const: value, title }: JsonSchema) => ({ const: value, title: title ?? value }));
  const hasTitles = arms.some(({ title }: JsonSchema) => title !== undefined);
  return hasTitles ? { type: "string", oneOf: titled } : { type: "string", enum: constants };
}

function isTexts(values: unknown): values is string[] {
  return Array.isArray(values) && values.length > 0 && values.every((value) => typeof value === "string");
}
