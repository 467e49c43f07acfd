import type { Schema, SchemaNode } from "./ir.js";
import type { JsonObject, JsonValue } from "./json.js";
import { memberPatternsOf } from "./patterns/compiled.js";

/** Whether a value is valid against a node. */
export type Judge = (node: SchemaNode, value: JsonValue) => boolean;

/** The nodes that judge the same place as `node` and that `value` is valid against, itself included (section 11). */
function applied(schema: Schema, node: SchemaNode, value: JsonValue, valid: Judge): SchemaNode[] {
  const found = [node];
  const include = (child: SchemaNode): number => found.push(...applied(schema, child, value, valid));
  if (node.ref !== undefined) include(schema.definitions.get(node.ref)!.node);
  for (const child of node.allOf ?? []) include(child);
  for (const arms of [node.anyOf, node.oneOf]) {
    for (const arm of arms ?? []) if (valid(arm, value)) include(arm);
  }
  if (node.if) {
    const holds = valid(node.if, value);
    if (holds) include(node.if);
    const branch = holds ? node.then : node.else;
    if (branch) include(branch);
  }
  for (const [key, child] of node.dependentSchemas ?? []) {
    if (Object.hasOwn(value as JsonObject, key)) include(child);
  }
  return found;
}

/** The keys that `node`, or what applies with it, has already judged the members of. */
export function evaluatedKeys(
  schema: Schema,
  node: SchemaNode,
  object: JsonObject,
  valid: Judge,
): ReadonlySet<string> {
  const keys = Object.keys(object);
  const evaluated = new Set<string>();
  for (const each of applied(schema, node, object, valid)) {
    // What is unevaluated for `node` itself is what this is asked for; below, it has judged all that is left.
    const all = each.additionalProperties ?? (each === node ? undefined : each.unevaluatedProperties);
    for (const key of keys) {
      const matched = memberPatternsOf(each).some(({ pattern }) => pattern.test(key));
      if (all || matched || each.properties?.has(key)) evaluated.add(key);
    }
  }
  return evaluated;
}

/** The indices that `node`, or what applies with it, has already judged the items at. */
export function evaluatedItems(
  schema: Schema,
  node: SchemaNode,
  items: readonly JsonValue[],
  valid: Judge,
): ReadonlySet<number> {
  const evaluated = new Set<number>();
  for (const each of applied(schema, node, items as JsonValue[], valid)) {
    const all = each.items ?? (each === node ? undefined : each.unevaluatedItems);
    const prefix = each.prefixItems?.length ?? 0;
    for (const [index, item] of items.entries()) {
      if (all || index < prefix || (each.contains && valid(each.contains, item))) evaluated.add(index);
    }
  }
  return evaluated;
}
