// Compares a value with a shape, part by part, and reports what differs.
import { evaluatedItems, evaluatedKeys } from "./evaluated.js";
import {
  type Search,
  at,
  deepest,
  expectation,
  isNamed,
  isPart,
  matcherOf,
  near,
  report,
} from "./report.js";
import { describeNumber, describeSize, describeString } from "./scalars.js";
import {
  type JsonObject,
  type Named,
  type Part,
  type Parts,
  type Shape,
  hasType,
  isObject,
  member,
  sameJson,
} from "./shape.js";
import { nearest } from "./text.js";
import { describeArms, describeTagged, isUnlisted } from "./unions.js";

export function describe(search: Search, value: unknown, part: Part): void {
  if (search.issues.length >= search.limit) return;
  if (part === false) report(search, value, "nothing");
  else if ("is" in part) describeNamed(search, value, part);
  else describeShape(search, value, part);
}

function describeNamed(search: Search, value: unknown, named: Named): void {
  if (isNamed(search, value, named)) return;
  const before = search.issues.length;
  if (search.level < deepest) {
    describeShape({ ...search, level: search.level + 1 }, value, named.shape());
  }
  if (search.issues.length === before) report(search, value, named.name);
}

function describeShape(search: Search, value: unknown, shape: Shape): void {
  if (search.open && isUnlisted(value, shape)) {
    return describeUnlisted(search, value, shape);
  }
  if (!describeOwn(search, value, shape)) return;
  if (shape.tag !== undefined) describeTagged(search, value, shape, shape.tag);
  describeCombined(search, value, shape);
  describeRest(search, value, shape);
}

/** Checks a value that only the open reading accepts, by the keywords that do not list values. */
function describeUnlisted(search: Search, value: unknown, shape: Shape): void {
  const { tag: _, arms, anyOf, oneOf, ...others } = shape;
  const listed = others.const !== undefined || others.enum !== undefined;
  const union = arms ?? anyOf ?? oneOf;
  if (union !== undefined) describeOwn(search, value, others);
  // What is open by itself is recognised by its tag, and asks nothing more.
  if (union !== undefined || listed) describeCombined(search, value, others);
}

/** Checks all keywords but combinations; false if the value has another type. */
function describeOwn(search: Search, value: unknown, shape: Shape): boolean {
  const allowed = shape.const !== undefined ? [shape.const] : shape.enum;
  if (
    !hasType(value, shape.type) ||
    (allowed && !allowed.some((each) => sameJson(each, value)))
  ) {
    const several = allowed && allowed.length > 1 ? allowed : [];
    report(search, value, expectation(shape), near(value, several));
    return false;
  }
  if (typeof value === "number") describeNumber(search, value, shape);
  else if (typeof value === "string") describeString(search, value, shape);
  else if (Array.isArray(value)) describeArray(search, value, shape);
  else if (isObject(value)) describeObject(search, value, shape);
  return true;
}

function describeCombined(search: Search, value: unknown, shape: Shape): void {
  for (const part of shape.allOf ?? []) describe(search, value, part);
  if (shape.anyOf) describeArms(search, value, shape.anyOf);
  if (shape.oneOf) describeOneOf(search, value, shape.oneOf);
  if (shape.not !== undefined && isPart(search, value, shape.not)) {
    report(search, value, `anything but ${expectation(shape.not)}`);
  }
  if (shape.if !== undefined) {
    const branch = isPart(search, value, shape.if) ? shape.then : shape.else;
    if (branch !== undefined) describe(search, value, branch);
  }
}

function describeOneOf(
  search: Search,
  value: unknown,
  arms: readonly Part[],
): void {
  const fitting = arms.filter((arm) => isPart(search, value, arm)).length;
  if (fitting === 0) describeArms(search, value, arms);
  if (fitting > 1) report(search, value, "only one of the alternatives");
}

/** What stands where no other keyword has looked. */
function describeRest(search: Search, value: unknown, shape: Shape): void {
  const { unevaluatedProperties, unevaluatedItems } = shape;
  if (unevaluatedProperties !== undefined && isObject(value)) {
    const evaluated = evaluatedKeys(search, value, shape);
    for (const key of Object.keys(value)) {
      if (evaluated.has(key)) continue;
      const names = shape.properties ?? {};
      describeExtra(search, value[key], key, unevaluatedProperties, names);
    }
  }
  if (unevaluatedItems !== undefined && Array.isArray(value)) {
    const evaluated = evaluatedItems(search, value, shape);
    for (const [index, item] of value.entries()) {
      if (evaluated.has(index)) continue;
      at(search, index, () => describe(search, item, unevaluatedItems));
    }
  }
}

// Objects.

function describeObject(
  search: Search,
  object: JsonObject,
  shape: Shape,
): void {
  const {
    required = [],
    properties = {},
    dependentRequired = {},
    dependentSchemas = {},
  } = shape;
  const keys = Object.keys(object);
  const isMissing = (key: string): boolean => member(object, key) === undefined;
  for (const key of required.filter(isMissing))
    reportMissing(search, keys, shape, key);
  for (const [key, part] of Object.entries(properties)) {
    const value = member(object, key);
    if (value === undefined) continue;
    at(search, key, () => describe(search, value, part));
  }
  describeKeys(search, object, keys, shape);
  for (const [key, names] of Object.entries(dependentRequired)) {
    if (isMissing(key)) continue;
    for (const name of names.filter(isMissing))
      reportMissing(search, keys, shape, name);
  }
  for (const [key, part] of Object.entries(dependentSchemas)) {
    if (!isMissing(key)) describe(search, object, part);
  }
}

/**
 * @param keys of the object: one of them may be the missing key, misspelled
 */
function reportMissing(
  search: Search,
  keys: readonly string[],
  shape: Shape,
  key: string,
): void {
  const { properties = {} } = shape;
  const unknown = keys
    .slice(0, 100)
    .filter((each) => !Object.hasOwn(properties, each));
  const found = nearest(key, unknown);
  const advice = found === undefined ? {} : { suggestion: key, by: found };
  const part = Object.hasOwn(properties, key) ? properties[key] : {};
  at(search, key, () =>
    report(search, undefined, expectation(part ?? {}), advice),
  );
}

/** The issues of the number of keys, their form, and keys that are not described. */
function describeKeys(
  search: Search,
  object: JsonObject,
  keys: readonly string[],
  shape: Shape,
): void {
  const {
    properties = {},
    patternProperties = {},
    additionalProperties,
    propertyNames,
  } = shape;
  const patterns = Object.entries(patternProperties).map(
    ([pattern, part]) => [matcherOf(search, pattern), part] as const,
  );
  describeSize(
    search,
    keys.length,
    "key",
    shape.minProperties,
    shape.maxProperties,
  );
  if (
    additionalProperties === undefined &&
    propertyNames === undefined &&
    patterns.length === 0
  ) {
    return;
  }
  for (const key of keys) {
    if (search.issues.length >= search.limit) return;
    if (propertyNames !== undefined && !isPart(search, key, propertyNames)) {
      at(search, key, () =>
        report(search, key, `a key that is ${expectation(propertyNames)}`),
      );
    }
    const matching = patterns
      .filter(([pattern]) => pattern.test(key))
      .map(([, part]) => part);
    for (const part of matching) {
      at(search, key, () => describe(search, object[key], part));
    }
    if (matching.length > 0 || Object.hasOwn(properties, key)) continue;
    if (additionalProperties === undefined) continue;
    describeExtra(search, object[key], key, additionalProperties, properties);
  }
}

/** @param names the names to suggest */
function describeExtra(
  search: Search,
  value: unknown,
  key: string,
  part: Part,
  names: Parts,
): void {
  at(search, key, () => {
    if (part !== false) describe(search, value, part);
    else report(search, value, "no such key", near(key, Object.keys(names)));
  });
}

// Arrays.

function describeArray(
  search: Search,
  array: readonly unknown[],
  shape: Shape,
): void {
  const { prefixItems = [], items, contains } = shape;
  describeSize(search, array.length, "item", shape.minItems, shape.maxItems);
  for (
    let index = 0;
    index < array.length && search.issues.length < search.limit;
    index++
  ) {
    const part = prefixItems[index] ?? items;
    if (part === undefined) break;
    at(search, index, () => describe(search, array[index], part));
  }
  if (contains !== undefined) {
    const found = array.filter((item) => isPart(search, item, contains)).length;
    const item = `item that is ${expectation(contains)}`;
    describeSize(
      search,
      found,
      item,
      shape.minContains ?? 1,
      shape.maxContains,
    );
  }
  if (shape.uniqueItems) describeRepeated(search, array);
}

function describeRepeated(search: Search, array: readonly unknown[]): void {
  const scalars = new Map<unknown, number>();
  // All pairs are compared, so their number is limited.
  const others: [unknown, number][] = [];
  for (const [index, item] of array.entries()) {
    const scalar = typeof item !== "object" || item === null;
    const earlier = scalar
      ? scalars.get(item)
      : others.find(([other]) => sameJson(other, item))?.[1];
    if (earlier !== undefined) {
      return at(search, index, () =>
        report(search, item, "no item twice", { got: `item ${earlier} again` }),
      );
    }
    if (scalar) scalars.set(item, index);
    else if (others.length < 100) others.push([item, index]);
  }
}
