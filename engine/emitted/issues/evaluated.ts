// The members and items that parts of a shape have evaluated. The keywords
// `unevaluatedProperties` and `unevaluatedItems` apply to all others.
import { type Search, isPart, matcherOf } from "./report.js";
import {
  type JsonObject,
  type Part,
  type Shape,
  isObject,
  member,
} from "./shape.js";
import { isUnlisted } from "./unions.js";

/** The keys of `object` whose values a keyword of `shape` has evaluated. */
export function evaluatedKeys(
  search: Search,
  object: JsonObject,
  shape: Shape,
): ReadonlySet<string> {
  const found = new Set<string>();
  for (const part of applied(search, object, shape)) {
    const { properties = {}, patternProperties = {} } = part;
    const patterns = Object.keys(patternProperties).map((pattern) =>
      matcherOf(search, pattern),
    );
    const rest = part === shape ? undefined : part.unevaluatedProperties;
    const all = part.additionalProperties ?? rest;
    for (const key of Object.keys(object)) {
      const named = Object.hasOwn(properties, key);
      if (all !== undefined || named || patterns.some((one) => one.test(key)))
        found.add(key);
    }
  }
  return found;
}

/** The indices of `array` whose items a keyword of `shape` has evaluated. */
export function evaluatedItems(
  search: Search,
  array: readonly unknown[],
  shape: Shape,
): ReadonlySet<number> {
  const found = new Set<number>();
  for (const part of applied(search, array, shape)) {
    const { prefixItems = [], contains } = part;
    const rest = part === shape ? undefined : part.unevaluatedItems;
    const all = part.items ?? rest;
    const isContained = (item: unknown): boolean =>
      contains !== undefined && isPart(search, item, contains);
    for (const [index, item] of array.entries()) {
      const named = index < prefixItems.length;
      if (all !== undefined || named || isContained(item)) found.add(index);
    }
  }
  return found;
}

/** `shape`, and then the shapes that apply to the same `value`. */
function applied(search: Search, value: unknown, shape: Shape): Shape[] {
  const shapes: Shape[] = [];
  const pending: Part[] = [shape];
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    if (part === false) continue;
    const each = "is" in part ? part.shape() : part;
    shapes.push(each);
    if (search.open && isUnlisted(value, each)) {
      // An arm that the schema does not list may describe any member.
      shapes.push({ additionalProperties: {}, items: {} });
      continue;
    }
    pending.push(...(each.allOf ?? []), ...chosen(search, value, each));
  }
  return shapes;
}

/** The conditional parts of `shape` that apply to `value`. */
function chosen(search: Search, value: unknown, shape: Shape): Part[] {
  const { anyOf = [], oneOf = [], dependentSchemas = {} } = shape;
  const arms = [...anyOf, ...oneOf, ...taggedArms(value, shape)];
  const parts = arms.filter((arm) => isPart(search, value, arm));
  if (shape.if !== undefined) {
    const holds = isPart(search, value, shape.if);
    const branch = holds ? shape.then : shape.else;
    if (holds) parts.push(shape.if);
    if (branch !== undefined) parts.push(branch);
  }
  for (const [key, part] of Object.entries(dependentSchemas)) {
    if (isObject(value) && member(value, key) !== undefined) parts.push(part);
  }
  return parts;
}

/** The arms that the value's tag may choose. */
function taggedArms(value: unknown, shape: Shape): Part[] {
  const { tag, arms = {}, absent, otherwise } = shape;
  if (tag === undefined || !isObject(value)) return [];
  const found = member(value, tag);
  const named =
    typeof found === "string" && Object.hasOwn(arms, found)
      ? arms[found]
      : undefined;
  return [named, found === undefined ? absent : undefined, otherwise].filter(
    (part) => part !== undefined,
  );
}
