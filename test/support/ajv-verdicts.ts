import { Ajv2020 } from "ajv/dist/2020.js";
import type { JsonValue, Schema } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";

/** Verdicts of ajv on the definitions of a document written as plain JSON. */
export function ajvFor(definitions: object): (name: string, value: JsonValue) => boolean {
  // Without `ownProperties` ajv takes inherited members, such as `constructor`, for present.
  const options = { strict: false, validateFormats: false, ownProperties: true };
  // The dialect's own schemas are not needed, and take longer to compile than what is tested.
  const ajv = new Ajv2020({ ...options, meta: false, validateSchema: false });
  ajv.addSchema(withItems({ $defs: definitions } as JsonValue) as object, "document");
  return (name, value) => {
    const token = encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"));
    return ajv.getSchema(`document#/$defs/${token}`)!(value) as boolean;
  };
}

const maps = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
  "dependencies",
]);

/**
 * A schema that says in `minItems` what `contains` says already: that there is an item. Of an empty array, ajv's `contains`
 * repeats the verdict on the array before.
 */
export function withItems(value: JsonValue, isSchema = true): JsonValue {
  if (Array.isArray(value)) return value.map((item) => withItems(item));
  if (typeof value !== "object" || value === null) return value;
  const { contains, minContains, minItems = 0 } = value;
  const needsItem = isSchema && contains !== undefined && minContains !== 0 && minItems === 0;
  const members = Object.entries(value).map(([key, child]): [string, JsonValue] => {
    const isValue = isSchema && ["const", "enum", "default", "examples"].includes(key);
    return [key, isValue ? child : withItems(child, !isSchema || !maps.has(key))];
  });
  return Object.fromEntries(needsItem ? [...members, ["minItems", 1]] : members) as JsonValue;
}

/** Keywords, and a member's name, that random schemas for ajv leave out: it does not know them, or judges them otherwise. */
export const leftOutForAjv: ReadonlySet<string> = new Set([
  "multipleOf",
  "__proto__",
  "unevaluatedProperties",
  "unevaluatedItems",
  "$dynamicRef",
  "$dynamicAnchor",
]);

/** Numbers that ajv divides otherwise: as floating-point numbers, and by parseInt, which reads "1e+300" as 1. */
export function isDividedByAjv(schema: unknown, value: unknown): boolean {
  return (value !== 1e300 && value !== 19.99) || !mentions(schema, "multipleOf");
}

/**
 * Whether ajv reads a schema as the specification means it. It does not where
 * - `unevaluated*` depend on arms (what a refused arm looked at counts, and `if` alone does not);
 * - `prefixItems`, or a list of `items`, stand beside `contains` (items are counted from behind the prefix on);
 * - `not` refuses everything, so that code behind it uses variables that ajv declares before it alone;
 * - `contains` stands in `contains` (the code that ajv makes names variables it does not declare);
 * - a member called `__proto__` is described (ajv sets it on a plain object, where it is the prototype).
 */
export function isReadByAjv(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isReadByAjv);
  if (typeof schema !== "object" || schema === null) return true;
  const has = (key: string): boolean => Object.hasOwn(schema, key);
  if (["unevaluatedProperties", "unevaluatedItems", "__proto__"].some(has)) return false;
  const { contains, items, not } = schema as { contains?: unknown; items?: unknown; not?: unknown };
  if (not === true || JSON.stringify(not) === "{}") return false;
  const hasPrefix = has("prefixItems") || Array.isArray(items);
  if (has("contains") && (hasPrefix || mentions(contains, "contains"))) return false;
  return Object.values(schema).every(isReadByAjv);
}

function mentions(schema: unknown, key: string): boolean {
  if (typeof schema !== "object" || schema === null) return false;
  return Object.hasOwn(schema, key) || Object.values(schema).some((child) => mentions(child, key));
}

/** Members whose presence changes how fast-deep-equal compares objects: it calls two of them, and takes one for a class. */
const comparing = ["constructor", "toString", "valueOf"];

/**
 * Whether ajv compares `value` with constants, or its items with each other, as the specification means equality.
 * It does not where a member has the name of one that every object inherits, and that fast-deep-equal looks at.
 */
export function isComparedByAjv(schema: unknown, value: unknown): boolean {
  return !holdsComparing(value) || !compares(schema);
}

/** Whether some object of `value` has such a member. */
function holdsComparing(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return comparing.some((key) => Object.hasOwn(value, key)) || Object.values(value).some(holdsComparing);
}

/** Whether a schema compares objects: with a constant, or with each other. */
function compares(schema: unknown): boolean {
  if (typeof schema !== "object" || schema === null) return false;
  const isComparing = ["uniqueItems", "const", "enum"].some((key) => Object.hasOwn(schema, key));
  return isComparing || Object.values(schema).some(compares);
}

/** Verdicts of the engine's interpreter. */
export function interpreterFor(schema: Schema): (name: string, value: JsonValue) => boolean {
  return (name, value) => isValid(schema, schema.definitions.get(name)!.node, value);
}
