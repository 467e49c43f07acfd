import type { Schema, SchemaNode, TypeName } from "./ir.js";
import { type JsonObject, type JsonValue, isJsonObject, jsonEqual } from "./json.js";

/**
 * Whether `value` is valid against `node`, read straight from the IR: for schemas that are known only at
 * run time, and the independent reading that emitted validators are compared with. Formats are annotations.
 *
 * @param schema the document that `node`'s references lead into
 */
export function isValid(schema: Schema, node: SchemaNode, value: JsonValue): boolean {
  if (node.never) return false;
  return (
    (node.ref === undefined || isValid(schema, schema.definitions.get(node.ref)!.node, value)) &&
    validScalar(node, value) &&
    validApplicators(schema, node, value) &&
    (!Array.isArray(value) || validArray(schema, node, value)) &&
    (!isJsonObject(value) || validObject(schema, node, value))
  );
}

function validScalar(node: SchemaNode, value: JsonValue): boolean {
  if (node.types && !node.types.some((type) => hasType(value, type))) return false;
  if (node.const && !jsonEqual(node.const.value, value)) return false;
  if (node.enum && !node.enum.some((member) => jsonEqual(member, value))) return false;
  if (typeof value === "number") return validNumber(node, value);
  if (typeof value === "string") return validString(node, value);
  return true;
}

function hasType(value: JsonValue, type: TypeName): boolean {
  switch (type) {
    case "array":
      return Array.isArray(value);
    case "object":
      return isJsonObject(value);
    case "null":
      return value === null;
    case "integer":
      return Number.isInteger(value);
    case "number":
      return Number.isFinite(value);
    default:
      return typeof value === type;
  }
}

function validNumber(node: SchemaNode, value: number): boolean {
  return (
    (node.minimum === undefined || value >= node.minimum) &&
    (node.maximum === undefined || value <= node.maximum) &&
    (node.exclusiveMinimum === undefined || value > node.exclusiveMinimum) &&
    (node.exclusiveMaximum === undefined || value < node.exclusiveMaximum) &&
    (node.multipleOf === undefined || Number.isInteger(value / node.multipleOf))
  );
}

function validString(node: SchemaNode, value: string): boolean {
  if (node.minLength !== undefined || node.maxLength !== undefined) {
    const length = [...value].length; // code points, not UTF-16 units (validation, section 6.3)
    if (length < (node.minLength ?? 0) || length > (node.maxLength ?? Infinity)) return false;
  }
  return node.pattern === undefined || new RegExp(node.pattern, "u").test(value);
}

function validApplicators(schema: Schema, node: SchemaNode, value: JsonValue): boolean {
  const valid = (child: SchemaNode): boolean => isValid(schema, child, value);
  if (node.allOf && !node.allOf.every(valid)) return false;
  if (node.anyOf && !node.anyOf.some(valid)) return false;
  if (node.oneOf && node.oneOf.filter(valid).length !== 1) return false;
  if (node.not && valid(node.not)) return false;
  const branch = node.if && (valid(node.if) ? node.then : node.else);
  return branch === undefined || valid(branch);
}

function validArray(schema: Schema, node: SchemaNode, value: readonly JsonValue[]): boolean {
  if (value.length < (node.minItems ?? 0) || value.length > (node.maxItems ?? Infinity)) return false;
  const prefix = node.prefixItems ?? [];
  for (let index = 0; index < value.length; index++) {
    const child = prefix[index] ?? node.items;
    if (child && !isValid(schema, child, value[index]!)) return false;
  }
  if (node.contains) {
    const matches = value.filter((item) => isValid(schema, node.contains!, item)).length;
    if (matches < (node.minContains ?? 1) || matches > (node.maxContains ?? Infinity)) return false;
  }
  return (
    !node.uniqueItems ||
    value.every((item, index) => !value.slice(0, index).some((earlier) => jsonEqual(earlier, item)))
  );
}

function validObject(schema: Schema, node: SchemaNode, value: JsonObject): boolean {
  const keys = Object.keys(value);
  if (keys.length < (node.minProperties ?? 0) || keys.length > (node.maxProperties ?? Infinity)) return false;
  if (node.required && !node.required.every((key) => Object.hasOwn(value, key))) return false;
  for (const [key, names] of node.dependentRequired ?? []) {
    if (Object.hasOwn(value, key) && !names.every((name) => Object.hasOwn(value, name))) return false;
  }
  for (const [key, child] of node.dependentSchemas ?? []) {
    if (Object.hasOwn(value, key) && !isValid(schema, child, value)) return false;
  }
  return keys.every(
    (key) =>
      (!node.propertyNames || isValid(schema, node.propertyNames, key)) &&
      memberSchemas(node, key).every((child) => isValid(schema, child, value[key]!)),
  );
}

/** The subschemas that judge the member `key` (applicator vocabulary, section 10.3.2). */
function memberSchemas(node: SchemaNode, key: string): SchemaNode[] {
  const named = node.properties?.get(key);
  const result = named ? [named] : [];
  for (const [pattern, child] of node.patternProperties ?? []) {
    if (new RegExp(pattern, "u").test(key)) result.push(child);
  }
  if (result.length === 0 && node.additionalProperties) result.push(node.additionalProperties);
  return result;
}
