import type { SchemaNode } from "../ir/ir.js";
import { type JsonObject, type JsonValue, isJsonObject } from "../ir/json.js";
import { memberPatternsOf } from "../patterns/compiled.js";
import type { Compiler, TrackedCheck } from "./check.js";
import { Marks } from "./marks.js";
import { ownCheck } from "./node.js";
import { isPresent } from "./object.js";

/**
 * Returns the check of a node that also marks the members and items that it evaluates. A schema that refuses the value
 * must not leave marks, so its marks are merged only if it accepts the value. `unevaluatedProperties` and
 * `unevaluatedItems` apply to the members and items that their own schema has not marked, and then mark all.
 */
export function trackedNode(node: SchemaNode, compiler: Compiler): TrackedCheck {
  const own = ownCheck(node, compiler);
  const parts = [
    ...inPlaceParts(node, compiler),
    ...[markOf(node, compiler)].filter((part) => part !== undefined),
  ];
  const inner: TrackedCheck = (value, marks) => {
    if (!own(value)) return false;
    for (const part of parts) if (!part(value, marks)) return false;
    return true;
  };
  const rest = unevaluatedCheck(node, compiler);
  if (!rest) return inner;
  return (value, marks) => {
    const seen = new Marks();
    if (!inner(value, seen) || !rest(value, seen)) return false;
    marks.merge(seen);
    return true;
  };
}

function inPlaceParts(node: SchemaNode, compiler: Compiler): TrackedCheck[] {
  const parts: TrackedCheck[] = [];
  if (node.ref !== undefined) parts.push(compiler.trackedReference(node.ref));
  for (const child of node.allOf ?? []) parts.push(compiler.tracked(child));
  if (node.anyOf) parts.push(arms(node.anyOf, compiler, (matches) => matches > 0));
  if (node.oneOf) parts.push(arms(node.oneOf, compiler, (matches) => matches === 1));
  if (node.not) {
    const not = compiler.check(node.not);
    parts.push((value) => !not(value));
  }
  if (node.if) parts.push(conditional(node, compiler));
  for (const [key, child] of node.dependentSchemas ?? []) {
    const check = compiler.tracked(child);
    parts.push((value, marks) => !isJsonObject(value) || !isPresent(value, key) || check(value, marks));
  }
  return parts;
}

/** Runs every arm, because each accepting arm adds marks. */
function arms(
  nodes: readonly SchemaNode[],
  compiler: Compiler,
  enough: (matches: number) => boolean,
): TrackedCheck {
  const checks = nodes.map((arm) => compiler.tracked(arm));
  return (value, marks) => {
    let matches = 0;
    for (const check of checks) {
      const seen = new Marks();
      if (!check(value, seen)) continue;
      matches++;
      marks.merge(seen);
    }
    return enough(matches);
  };
}

function conditional(node: SchemaNode, compiler: Compiler): TrackedCheck {
  const condition = compiler.tracked(node.if!);
  const then = node.then && compiler.tracked(node.then);
  const otherwise = node.else && compiler.tracked(node.else);
  return (value, marks) => {
    const seen = new Marks();
    const holds = condition(value, seen);
    if (holds) marks.merge(seen);
    const branch = holds ? then : otherwise;
    return branch === undefined || branch(value, marks);
  };
}

/** Marks the members and items that the node's own keywords evaluate. */
function markOf(node: SchemaNode, compiler: Compiler): TrackedCheck | undefined {
  const { properties, additionalProperties, items } = node;
  const patterns = memberPatternsOf(node, compiler.schema);
  const prefix = node.prefixItems?.length ?? 0;
  const contains = node.contains && compiler.check(node.contains);
  const markKeys = (object: JsonObject, marks: Marks): void => {
    if (additionalProperties) marks.all = true;
    else if (properties ?? patterns.length > 0) {
      for (const key of Object.keys(object)) {
        if (properties?.has(key) || patterns.some(({ pattern }) => pattern.test(key))) marks.add(key);
      }
    }
  };
  const markItems = (values: readonly JsonValue[], marks: Marks): void => {
    if (items) marks.all = true;
    marks.addUpTo(prefix);
    if (contains) for (const [index, item] of values.entries()) if (contains(item)) marks.add(index);
  };
  return (value, marks) => {
    if (Array.isArray(value)) markItems(value, marks);
    else if (isJsonObject(value)) markKeys(value, marks);
    return true;
  };
}

function unevaluatedCheck(node: SchemaNode, compiler: Compiler): TrackedCheck | undefined {
  const ofMembers = node.unevaluatedProperties && compiler.check(node.unevaluatedProperties);
  const ofItems = node.unevaluatedItems && compiler.check(node.unevaluatedItems);
  if (!ofMembers && !ofItems) return undefined;
  return (value, marks) => {
    if (ofMembers && isJsonObject(value)) {
      for (const key of Object.keys(value)) if (!marks.has(key) && !ofMembers(value[key]!)) return false;
      marks.all = true;
    } else if (ofItems && Array.isArray(value)) {
      for (const [index, item] of value.entries()) if (!marks.has(index) && !ofItems(item)) return false;
      marks.all = true;
    }
    return true;
  };
}
