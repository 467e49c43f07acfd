import type { SchemaNode } from "../ir/ir.js";
import type { JsonObject, JsonValue } from "../ir/json.js";
import { arrayCheck } from "./array.js";
import { type Check, type Compiler, every } from "./check.js";
import { inPlaceChecks } from "./in-place.js";
import { objectCheck } from "./object.js";
import { memberCheck, numberCheck, stringCheck, typeCheck } from "./scalar.js";

const anything: Check = () => true;
const nothing: Check = () => false;

/** Returns the check of a node, except for `unevaluatedProperties` and `unevaluatedItems`. */
export function nodeCheck(node: SchemaNode, compiler: Compiler): Check {
  if (node.never) return nothing;
  return every([...ownChecks(node, compiler), ...inPlaceChecks(node, compiler)]) ?? anything;
}

/**
 * Returns the check of a node, except for the subschemas that apply to the value itself. Cheap keywords come
 * first.
 */
export function ownCheck(node: SchemaNode, compiler: Compiler): Check {
  return node.never ? nothing : (every(ownChecks(node, compiler)) ?? anything);
}

function ownChecks(node: SchemaNode, compiler: Compiler): Check[] {
  const checks: Check[] = [];
  const object = objectCheck(node, compiler);
  const isObjectOnly = node.types?.length === 1 && node.types[0] === "object";
  if (node.types && !(isObjectOnly && object)) checks.push(typeCheck(node.types));
  if (node.const) checks.push(memberCheck([node.const.value]));
  if (node.enum) checks.push(memberCheck(node.enum));
  const number = numberCheck(node);
  if (number) checks.push((value) => typeof value !== "number" || number(value));
  const string = stringCheck(node, compiler);
  if (string) checks.push((value) => typeof value !== "string" || string(value));
  const array = arrayCheck(node, compiler);
  if (array) checks.push((value) => !Array.isArray(value) || array(value));
  if (object && isObjectOnly) checks.push((value) => isObject(value) && object(value));
  else if (object) checks.push((value) => !isObject(value) || object(value));
  return checks;
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
