import { type JsonValue, atPointer, isJsonObject } from "../ir/json.js";
import type { WrittenSchema } from "../ir/subschemas.js";

/** Keywords of the fields of a form, by type. */
const keywords = new Map<unknown, readonly string[]>([
  ["string", ["minLength", "maxLength", "enum", "oneOf"]],
  ["number", ["minimum", "maximum"]],
  ["integer", ["minimum", "maximum"]],
  ["boolean", []],
  ["array", ["minItems", "maxItems", "items"]],
]);

const common = ["type", "title", "description", "default"];
const formats: ReadonlySet<unknown> = new Set(["email", "uri", "date", "date-time"]);

/** A form, or the reason why a schema is not a form; `member` names the member at fault, if there is one. */
export type FormReading =
  | { readonly form: WrittenSchema }
  | { readonly form?: undefined; readonly problem: string; readonly member?: string };

/**
 * Converts a schema to a form: a flat object of strings, numbers, booleans and choices. Keywords that forms lack, such
 * as `pattern`, are left out, because the whole schema later checks the answer. The form does not offer null for an
 * optional member.
 */
export function formOf(schema: WrittenSchema): FormReading {
  const { type, properties, required } = whole(schema, schema) ?? {};
  if (type !== "object" || !isJsonObject(properties))
    return { problem: "expected an object schema with members" };
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  const fields = new Map<string, WrittenSchema>();
  for (const [member, property] of Object.entries(properties)) {
    const field = fieldOf(property, schema, needed.includes(member));
    if (!field) return { problem: "a form asks for strings, numbers, booleans and choices only", member };
    fields.set(member, field);
  }
  const form = { type: "object", properties: Object.fromEntries(fields) };
  return { form: needed.length > 0 ? { ...form, required: needed } : form };
}

/** @returns `undefined` if a form cannot have such a field */
function fieldOf(property: unknown, root: WrittenSchema, isNeeded: boolean): WrittenSchema | undefined {
  const given = whole(property, root);
  const field = given && asked(given, root, isNeeded);
  const known = keywords.get(field?.["type"]);
  if (!field || !known) return undefined;
  const { type, format } = field;
  const items = type === "array" ? itemsOf(field["items"], root) : undefined;
  if (type === "array" && !items) return undefined;
  const written: WrittenSchema = { ...field, ...limitsOf(field), ...(items && { items }) };
  const kept = [...common, ...known, ...(formats.has(format) ? ["format"] : [])].filter(
    (keyword) =>
      written[keyword] !== undefined && (keyword !== "default" || isDefault(type, written[keyword])),
  );
  return Object.fromEntries(kept.map((keyword) => [keyword, written[keyword]]));
}

/** The items of a multiple choice, which has titled values under `anyOf`. */
function itemsOf(given: unknown, root: WrittenSchema): WrittenSchema | undefined {
  const items = whole(given, root);
  const { enum: values, oneOf } = (items && asked(items, root, true)) ?? {};
  if (values) return { type: "string", enum: values };
  return oneOf ? { anyOf: oneOf } : undefined;
}

/** Limits that a form can have. Limits beyond exact integers are left out, because users do not need them. */
function limitsOf({
  type,
  minimum,
  maximum,
  exclusiveMinimum,
  exclusiveMaximum,
}: WrittenSchema): WrittenSchema {
  const least = [minimum, type === "integer" && after(exclusiveMinimum, 1)].filter(isExact);
  const most = [maximum, type === "integer" && after(exclusiveMaximum, -1)].filter(isExact);
  return {
    minimum: least.length > 0 ? Math.max(...least) : undefined,
    maximum: most.length > 0 ? Math.min(...most) : undefined,
  };
}

/** The next greater or smaller integer. */
function after(limit: unknown, step: 1 | -1): unknown {
  return typeof limit === "number" && (step === 1 ? Math.floor(limit) + 1 : Math.ceil(limit) - 1);
}

function isExact(limit: unknown): limit is number {
  return typeof limit === "number" && Math.abs(limit) < Number.MAX_SAFE_INTEGER;
}

/** Whether a form can have the default: a library may write a default of another type. */
function isDefault(type: unknown, value: unknown): boolean {
  if (type === "array") return Array.isArray(value) && value.every((each) => typeof each === "string");
  return type === "integer" ? Number.isInteger(value) : typeof value === type;
}

/**
 * Reduces a schema with constants or alternatives to a schema of one type or a choice of texts, if possible.
 *
 * @param within alternatives that contain the schema: an alternative that contains itself is not a field
 */
function asked(
  given: WrittenSchema,
  root: WrittenSchema,
  isNeeded: boolean,
  within: readonly unknown[] = [],
): WrittenSchema | undefined {
  const { type, anyOf, oneOf, enum: values, const: only, ...own } = given;
  const isAsked = (value: unknown): boolean => isNeeded || value !== null;
  if (values !== undefined || only !== undefined)
    return ofConstants([values ?? only].flat().filter(isAsked), own);
  const alternatives: unknown = anyOf ?? oneOf;
  if (Array.isArray(alternatives)) {
    const arms = alternatives.map((arm) => (within.includes(arm) ? undefined : whole(arm, root)));
    const left = arms.filter((arm) => isNeeded || arm?.["type"] !== "null");
    const fields = left.map((arm) => arm && asked(arm, root, true, [...within, ...alternatives]));
    return fields.every((field) => field !== undefined) ? ofFields(fields, own) : undefined;
  }
  const types = [type].flat().filter((each) => isNeeded || each !== "null");
  return types.length === 1 ? { ...own, type: types[0] } : undefined;
}

function ofConstants(values: readonly unknown[], own: WrittenSchema): WrittenSchema | undefined {
  if (isTexts(values)) return choice(values, own["enumNames"], own);
  // A form cannot demand one boolean value, so it offers both; the library refuses the wrong one.
  const areTruthValues = values.length > 0 && values.every((value) => typeof value === "boolean");
  return areTruthValues ? { ...own, type: "boolean" } : undefined;
}

/** Joins alternatives: to one choice of all their texts, or to a field of their type. */
function ofFields(fields: readonly WrittenSchema[], own: WrittenSchema): WrittenSchema | undefined {
  if (fields.length === 1) return { ...fields[0], ...own };
  const options = fields.map(optionsOf);
  if (options.every((each) => each !== undefined)) {
    const all = options.flat();
    return choice(
      all.map((option) => option.const),
      all.map(({ title }) => title),
      own,
    );
  }
  // Without limits, because alternatives have different ones.
  const types = new Set(fields.map(({ type }) => type));
  if (types.has("number")) types.delete("integer");
  const [type] = types;
  return types.size === 1 && type !== "array" ? { ...own, type } : undefined;
}

interface Option {
  readonly const: string;
  readonly title?: unknown;
}

/** The texts that a choice offers. */
function optionsOf({ enum: values, oneOf, title }: WrittenSchema): readonly Option[] | undefined {
  if (!Array.isArray(values)) return oneOf as readonly Option[] | undefined;
  return (values as string[]).map((value) => ({
    const: value,
    title: values.length === 1 ? title : undefined,
  }));
}

/** A choice of texts, with titles if a value's title differs from the title of the choice. */
function choice(values: readonly string[], titles: unknown, own: WrittenSchema): WrittenSchema {
  // Arktype also gives the title of a choice to each of its values.
  const titleOf = (index: number): unknown => {
    const title: unknown = Array.isArray(titles) ? titles[index] : undefined;
    return title === own["title"] ? undefined : title;
  };
  if (!values.some((_, index) => typeof titleOf(index) === "string"))
    return { ...own, type: "string", enum: values };
  return {
    ...own,
    type: "string",
    oneOf: values.map((value, index) => ({ const: value, title: titleOf(index) ?? value })),
  };
}

/** Merges a schema with the target of its reference and the parts of its `allOf`. */
function whole(
  schema: unknown,
  root: WrittenSchema,
  within: readonly unknown[] = [],
): WrittenSchema | undefined {
  if (!isJsonObject(schema) || within.includes(schema)) return undefined;
  const { $ref, allOf, ...own } = schema;
  const parts: readonly unknown[] = [
    ...(typeof $ref === "string"
      ? [$ref.startsWith("#") ? atPointer(root as JsonValue, $ref.slice(1)) : undefined]
      : []),
    ...(Array.isArray(allOf) ? allOf : []),
  ];
  let joined: WrittenSchema = {};
  for (const part of parts) {
    const inner = whole(part, root, [...within, schema]);
    if (!inner) return undefined;
    joined = both(joined, inner);
  }
  return both(joined, own);
}

/** Merges two schemas. If both have the same keyword, the second wins: the library checks all of them later. */
function both(one: WrittenSchema, other: WrittenSchema): WrittenSchema {
  const joined = { ...one, ...other };
  const required = [one["required"] ?? [], other["required"] ?? []].flat();
  const properties = { ...(one["properties"] as object), ...(other["properties"] as object) };
  return "properties" in joined ? { ...joined, properties, required } : joined;
}

function isTexts(values: readonly unknown[]): values is string[] {
  return values.length > 0 && values.every((value) => typeof value === "string");
}
