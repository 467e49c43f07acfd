// Finds the members and items that the keywords of a node evaluate. `unevaluatedProperties` and `unevaluatedItems` apply
// to the rest.
import { isObject } from "../emitted/shared-checks.js";
import type { SchemaNode } from "../ir/ir.js";
import { isUnlisted, memberOf } from "./facts.js";
import { type Search, holds } from "./search.js";

/** The keys of `object` whose values a keyword of `node` evaluates. */
export function evaluatedKeys(
  search: Search,
  object: { readonly [key: string]: unknown },
  node: SchemaNode,
): ReadonlySet<string> {
  const found = new Set<string>();
  for (const part of appliedParts(search, object, node)) {
    const { properties, patternProperties, additionalProperties, unevaluatedProperties } = part;
    const matchers = [...(patternProperties?.keys() ?? [])].map(search.subject.matcher);
    const all = additionalProperties ?? (part === node ? undefined : unevaluatedProperties);
    for (const key of Object.keys(object))
      if (all || properties?.has(key) || matchers.some((matcher) => matcher.test(key))) found.add(key);
  }
  return found;
}

/** The indices of `array` whose items a keyword of `node` evaluates. */
export function evaluatedItems(
  search: Search,
  array: readonly unknown[],
  node: SchemaNode,
): ReadonlySet<number> {
  const found = new Set<number>();
  for (const part of appliedParts(search, array, node)) {
    const { prefixItems = [], items, contains, unevaluatedItems } = part;
    const all = items ?? (part === node ? undefined : unevaluatedItems);
    for (const [index, item] of array.entries())
      if (all || index < prefixItems.length || (contains && holds(search, item, contains))) found.add(index);
  }
  return found;
}

/** `node` and the subschemas that apply to the same value. */
function appliedParts(search: Search, value: unknown, node: SchemaNode): SchemaNode[] {
  const applied: SchemaNode[] = [];
  const pending = [node];
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    applied.push(part);
    if (search.open && (part.anyOf ?? part.oneOf) && isUnlisted(value, part)) {
      // The value belongs to an arm that the schema does not list. Such an arm may describe any member.
      applied.push(anyMember);
      continue;
    }
    if (part.ref !== undefined) pending.push(search.subject.schema.definitions.get(part.ref)!.node);
    pending.push(...(part.allOf ?? []), ...chosenParts(search, value, part));
  }
  return applied;
}

const anything: SchemaNode = { pointer: "", always: true };
const anyMember: SchemaNode = { pointer: "", additionalProperties: anything, items: anything };

/** The conditional parts of `node` that apply to `value`. */
function chosenParts(search: Search, value: unknown, node: SchemaNode): SchemaNode[] {
  const { anyOf = [], oneOf = [], dependentSchemas = [] } = node;
  const parts = [...anyOf, ...oneOf].filter((arm) => holds(search, value, arm));
  if (node.if) {
    const isMet = holds(search, value, node.if);
    const branch = isMet ? node.then : node.else;
    if (isMet) parts.push(node.if);
    if (branch) parts.push(branch);
  }
  for (const [key, part] of dependentSchemas)
    if (isObject(value) && memberOf(value, key) !== undefined) parts.push(part);
  return parts;
}
