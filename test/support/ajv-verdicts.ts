import { Ajv2020 } from "ajv/dist/2020.js";
import type { JsonValue, Schema } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";

/** Makes a function that validates values with ajv, by the definitions of a plain JSON document. */
export function ajvFor(definitions: object): (name: string, value: JsonValue) => boolean {
  // Without `ownProperties`, ajv treats inherited members, such as `constructor`, as present.
  const options = { strict: false, validateFormats: false, ownProperties: true };
  // The meta-schemas are not needed, and take longer to compile than the tested schemas.
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
 * Adds `minItems: 1` to schemas with `contains`, which implies it. For an empty array, ajv's `contains` repeats the verdict
 * on the previous array.
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
 * Whether ajv validates by a schema as the specification demands. It does not where
 * - `unevaluated*` depend on arms (ajv counts members that a refused arm evaluated, and ignores a lone `if`);
 * - `prefixItems`, or a list of `items`, occurs together with `contains` (ajv counts only items after the prefix);
 * - `not` refuses everything (later code uses variables that ajv declares only before it);
 * - `contains` occurs inside `contains` (ajv's code uses undeclared variables);
 * - a member is named `__proto__` (ajv assigns it on a plain object, which sets the prototype).
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

/**
 * Names of members that change how fast-deep-equal compares objects: it calls `toString` and `valueOf`, and compares
 * `constructor` as a class.
 */
const comparing = ["constructor", "toString", "valueOf"];

/**
 * Whether ajv compares `value` with constants, and its items with each other, as the specification demands. It does not if
 * a member has one of the inherited names that fast-deep-equal reads.
 */
export function isComparedByAjv(schema: unknown, value: unknown): boolean {
  return !holdsComparing(value) || !compares(schema);
}

/** Whether an object in `value` has such a member. */
function holdsComparing(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return comparing.some((key) => Object.hasOwn(value, key)) || Object.values(value).some(holdsComparing);
}

/** Whether a schema compares objects with constants or with each other. */
function compares(schema: unknown): boolean {
  if (typeof schema !== "object" || schema === null) return false;
  const isComparing = ["uniqueItems", "const", "enum"].some((key) => Object.hasOwn(schema, key));
  return isComparing || Object.values(schema).some(compares);
}

/** Makes a function that validates values with the engine's interpreter. */
export function interpreterFor(schema: Schema): (name: string, value: JsonValue) => boolean {
  return (name, value) => isValid(schema, schema.definitions.get(name)!.node, value);
}
