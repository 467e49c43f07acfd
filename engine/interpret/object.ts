import type { SchemaNode } from "../ir/ir.js";
import type { JsonObject } from "../ir/json.js";
import { memberPatternsOf } from "../patterns/compiled.js";
import type { Check, Compiler } from "./check.js";

type ObjectCheck = (object: JsonObject) => boolean;

/**
 * Whether an object has a member that the schema describes. Names that every object inherits, such as
 * `constructor`, count only as own members.
 */
export function isPresent(object: JsonObject, key: string): boolean {
  return object[key] !== undefined && (!(key in Object.prototype) || Object.hasOwn(object, key));
}

/**
 * Returns the check of the object keywords that do not apply subschemas to the object itself; undefined if the node has
 * no such keywords.
 */
export function objectCheck(node: SchemaNode, compiler: Compiler): ObjectCheck | undefined {
  const checks: ObjectCheck[] = [];
  for (const check of [membersCheck(node, compiler), dependenciesCheck(node), keysCheck(node, compiler)]) {
    if (check) checks.push(check);
  }
  const [first, second] = checks;
  if (!first || !second) return first;
  if (checks.length === 2) return (object) => first(object) && second(object);
  return (object) => checks.every((check) => check(object));
}

/** The check of `required` and `properties`. */
function membersCheck(node: SchemaNode, compiler: Compiler): ObjectCheck | undefined {
  const required = new Set(node.required);
  const keys = [...new Set([...required, ...(node.properties?.keys() ?? [])])];
  if (keys.length === 0) return undefined;
  const members = keys.map((key) => {
    const child = node.properties?.get(key);
    return {
      key,
      required: required.has(key),
      inherited: key in Object.prototype,
      check: child && compiler.check(child),
    };
  });
  return (object) => {
    for (const { key, required, inherited, check } of members) {
      const value = object[key];
      if (value === undefined || (inherited && !Object.hasOwn(object, key))) {
        if (required) return false;
      } else if (check !== undefined && !check(value)) return false;
    }
    return true;
  };
}

/** The check of `dependentRequired`. */
function dependenciesCheck({ dependentRequired }: SchemaNode): ObjectCheck | undefined {
  if (!dependentRequired) return undefined;
  return (object) => {
    for (const [key, names] of dependentRequired) {
      if (isPresent(object, key) && !names.every((name) => isPresent(object, name))) return false;
    }
    return true;
  };
}

/** The check of the number of keys, their names, and the members that `properties` does not select. */
function keysCheck(node: SchemaNode, compiler: Compiler): ObjectCheck | undefined {
  const { minProperties = 0, maxProperties = Infinity } = node;
  const counted = node.minProperties !== undefined || node.maxProperties !== undefined;
  const names = node.propertyNames && compiler.check(node.propertyNames);
  const rest = restCheck(node, compiler);
  if (!counted && !names && !rest) return undefined;
  return (object) => {
    const keys = Object.keys(object);
    if (keys.length < minProperties || keys.length > maxProperties) return false;
    if (names) for (const key of keys) if (!names(key)) return false;
    if (rest) for (const key of keys) if (!rest(key, object)) return false;
    return true;
  };
}

/** The check of one member by `patternProperties` and `additionalProperties`. */
function restCheck(
  node: SchemaNode,
  compiler: Compiler,
): ((key: string, object: JsonObject) => boolean) | undefined {
  const { additionalProperties, properties } = node;
  const patterns = memberPatternsOf(node, compiler.schema).map(({ pattern, child }) => ({
    pattern,
    check: compiler.check(child),
  }));
  if (!additionalProperties && patterns.length === 0) return undefined;
  const named = properties ?? new Map<string, SchemaNode>();
  const closed = additionalProperties?.never === true;
  const additional: Check | undefined = additionalProperties && compiler.check(additionalProperties);
  if (patterns.length === 0) {
    if (closed) return (key) => named.has(key);
    return (key, object) => named.has(key) || additional!(object[key]!);
  }
  return (key, object) => {
    let matched = named.has(key);
    for (const { pattern, check } of patterns) {
      if (!pattern.test(key)) continue;
      matched = true;
      if (!check(object[key]!)) return false;
    }
    return matched || additional === undefined || additional(object[key]!);
  };
}
