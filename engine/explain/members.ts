// The issues of objects and arrays, member by member and item by item.
import { isObject, textOf } from "../emitted/shared-checks.js";
import type { SchemaNode } from "../ir/ir.js";
import { evaluatedItems, evaluatedKeys } from "./evaluated.js";
import { memberOf } from "./facts.js";
import { compareSize } from "./scalars.js";
import { type Search, expectation, holds, inside, isFull, near, report } from "./search.js";
import { nearest } from "./text.js";

interface Members {
  readonly [key: string]: unknown;
}

/** At most this many keys are searched for a misspelt name. */
const mostKeys = 100;

export function compareObject(search: Search, object: Members, node: SchemaNode): void {
  const { required = [], properties = [], dependentRequired = [], dependentSchemas = [] } = node;
  const keys = Object.keys(object);
  const isMissing = (key: string): boolean => memberOf(object, key) === undefined;
  for (const key of required.filter(isMissing)) reportMissing(search, keys, node, key);
  for (const [key, part] of properties) {
    if (!isMissing(key)) inside(search, key, () => search.compare(search, memberOf(object, key), part));
  }
  compareKeys(search, object, keys, node);
  for (const [key, names] of dependentRequired) {
    if (isMissing(key)) continue;
    for (const name of names.filter(isMissing)) reportMissing(search, keys, node, name);
  }
  for (const [key, part] of dependentSchemas) if (!isMissing(key)) search.compare(search, object, part);
}

const unknownValue: SchemaNode = { pointer: "", always: true };

/** @param keys the keys of the object; one of them may be a misspelling of the missing key */
function reportMissing(
  search: Search,
  keys: readonly string[],
  { properties }: SchemaNode,
  key: string,
): void {
  const unknown = keys.slice(0, mostKeys).filter((each) => !properties?.has(each));
  const found = nearest(key, unknown);
  const advice = found === undefined ? {} : { suggestion: key, by: found };
  const expected = expectation(search, properties?.get(key) ?? unknownValue);
  inside(search, key, () => report(search, undefined, expected, advice));
}

/** Reports issues of the number of keys, of their names, and of keys that `properties` does not describe. */
function compareKeys(search: Search, object: Members, keys: readonly string[], node: SchemaNode): void {
  const { properties, patternProperties = [], additionalProperties, propertyNames } = node;
  const patterns = [...patternProperties].map(
    ([pattern, part]) => [search.subject.matcher(pattern), part] as const,
  );
  compareSize(search, keys.length, "key", node.minProperties, node.maxProperties);
  if (!additionalProperties && !propertyNames && patterns.length === 0) return;
  for (const key of keys) {
    if (isFull(search)) return;
    if (propertyNames && !holds(search, key, propertyNames)) {
      const expected = `a key that is ${expectation(search, propertyNames)}`;
      inside(search, key, () => report(search, key, expected));
    }
    const matching = patterns.filter(([pattern]) => pattern.test(key));
    for (const [, part] of matching) inside(search, key, () => search.compare(search, object[key], part));
    if (!additionalProperties || matching.length > 0 || properties?.has(key)) continue;
    compareExtra(search, object[key], key, additionalProperties, node);
  }
}

/** @param node the node whose `properties` are the names to suggest */
function compareExtra(
  search: Search,
  value: unknown,
  key: string,
  part: SchemaNode,
  { properties }: SchemaNode,
): void {
  inside(search, key, () => {
    if (part.never) report(search, value, "no such key", near(key, [...(properties?.keys() ?? [])]));
    else search.compare(search, value, part);
  });
}

export function compareArray(search: Search, array: readonly unknown[], node: SchemaNode): void {
  const { prefixItems = [], items, contains } = node;
  compareSize(search, array.length, "item", node.minItems, node.maxItems);
  for (let index = 0; index < array.length && !isFull(search); index++) {
    const part = prefixItems[index] ?? items;
    if (!part) break;
    inside(search, index, () => search.compare(search, array[index], part));
  }
  if (contains) {
    const found = array.filter((item) => holds(search, item, contains)).length;
    const unit = `item that is ${expectation(search, contains)}`;
    compareSize(search, found, unit, node.minContains ?? 1, node.maxContains);
  }
  if (node.uniqueItems) compareRepeated(search, array);
}

function compareRepeated(search: Search, array: readonly unknown[]): void {
  const earlier = new Map<unknown, number>();
  for (const [index, item] of array.entries()) {
    // Texts of objects and arrays begin with a bracket. The quote keeps strings apart from them.
    const key =
      typeof item === "object" && item !== null ? textOf(item) : typeof item === "string" ? `"${item}` : item;
    const before = earlier.get(key);
    if (before !== undefined) {
      const advice = { got: `item ${before} again` };
      return inside(search, index, () => report(search, item, "no item twice", advice));
    }
    earlier.set(key, index);
  }
}

/** Compares the members and items that no other keyword evaluates. */
export function compareRest(search: Search, value: unknown, node: SchemaNode): void {
  const { unevaluatedProperties, unevaluatedItems } = node;
  if (unevaluatedProperties && isObject(value)) {
    const evaluated = evaluatedKeys(search, value, node);
    for (const key of Object.keys(value))
      if (!evaluated.has(key)) compareExtra(search, value[key], key, unevaluatedProperties, node);
  }
  if (unevaluatedItems && Array.isArray(value)) {
    const evaluated = evaluatedItems(search, value, node);
    for (const [index, item] of value.entries())
      if (!evaluated.has(index)) inside(search, index, () => search.compare(search, item, unevaluatedItems));
  }
}
