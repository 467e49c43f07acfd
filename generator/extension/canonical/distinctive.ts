import { type JsonValue, isJsonObject } from "@mcpgen/engine";
import type { Resolve } from "./shapes.js";

/**
 * Whether a schema says so much that another one like it is a copy of it, and not a coincidence: two values or more, an
 * object of two members of which one is required, or of three members, or a union or a map of such.
 */
export function isDistinctive(node: JsonValue, resolve: Resolve, depth = 0): boolean {
  if (!isJsonObject(node) || depth > maximumDepth) return false;
  const { $ref, enum: values, allOf, properties, required } = node;
  if (typeof $ref === "string") {
    const target = resolve($ref);
    return target !== undefined && isDistinctive(target.node, target.resolve, depth + 1);
  }
  const inside = (arm: JsonValue | undefined): boolean =>
    arm !== undefined && isDistinctive(arm, resolve, depth + 1);
  if (Array.isArray(values)) return values.length > 1;
  if (isJsonObject(properties)) {
    const members = Object.keys(properties).length;
    return members > 2 || (members === 2 && Array.isArray(required) && required.length > 0);
  }
  if (Array.isArray(allOf)) return allOf.some(inside);
  if (inside(node["propertyNames"]) || inside(node["additionalProperties"])) return true;
  const arms = node["anyOf"] ?? node["oneOf"];
  if (!Array.isArray(arms) || arms.length < 2) return false;
  return arms.every((arm) => inside(arm) || isConstant(arm)) || arms.filter(inside).length > 1;
}

/**
 * Whether another schema like this one is a copy of it if it stands in a member that the definition is called after: any
 * object with members.
 */
export function isNameable(node: JsonValue): boolean {
  return isJsonObject(node) && isJsonObject(node["properties"]) && Object.keys(node["properties"]).length > 0;
}

const maximumDepth = 8;

function isConstant(arm: JsonValue): boolean {
  return isJsonObject(arm) && "const" in arm;
}
