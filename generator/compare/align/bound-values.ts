import { type JsonValue, type SchemaNode, isJsonObject } from "@mcpgen/engine";
import { extended } from "../../sample/edit.js";
import { matching } from "../../sample/strings.js";
import { type RangeEnd, anyOfLimits, armsOf, boundKeywords, rangeEnd } from "../shape/bounds.js";
import { nameParts } from "../shape/conditions.js";
import type { Bounds, Conjunction } from "../shape/form.js";
import type { Maker } from "../instance-maker.js";

/** Values at and around the limits; most will not be valid, which is found out by trying. */
export function edges(
  { keyword, key }: { readonly keyword: string; readonly key: string | undefined },
  limits: readonly (JsonValue | undefined)[],
): (make: Maker, nodes: Conjunction) => JsonValue[] {
  const numbers = limits
    .flatMap((limit) => rangeEnd(limit)?.value ?? [])
    .filter((limit) => Math.abs(limit) <= 10_000);
  const around = numbers.flatMap((limit) => [limit, limit - 1, limit + 1, limit / 2, limit + 0.5]);
  if (keyword === anyOfLimits) {
    const inside = limits
      .flatMap((arms) => armsOf(arms))
      .flatMap((arm) => [...arm].map(([name, limit]) => edges(nameParts(name), [limit])));
    return (make, nodes) => inside.flatMap((each) => each(make, nodes));
  }
  switch (boundKeywords.get(keyword)?.of) {
    case "number":
      return () => [...around, 0, 1, 0.5, -1];
    case "string":
      return () => [
        ...lengths(around).map((length) => "x".repeat(length)),
        "example",
        "UPPER",
        "1",
        "",
        "a b",
      ];
    case "array":
      return (make, nodes) => [
        ...lengths(around).map((length) => repeated(make, nodes, length)),
        repeated(make, nodes, 2),
      ];
    case "object":
      return (make, nodes) => lengths(around).map((length) => padded(make, nodes, length));
    default:
      return (make, nodes) =>
        keyedBy.has(keyword)
          ? withKeys(make, nodes, { keyword, key }, limits)
          : [...limits.flatMap(constantsIn), ...withOneMember(make, nodes)];
  }
}

/** Values of a place, one for each way to satisfy it and each way to leave the limits of all arms. */
export function outside(make: Maker, nodes: Conjunction, arms: readonly Bounds[]): (JsonValue | undefined)[] {
  const ways = arms.reduce<SchemaNode[][]>(
    (found, arm) =>
      found
        .flatMap((way) => [...arm].map(([name, limit]) => [...way, beyond(name, limit)]))
        .slice(0, maxWays),
    [[]],
  );
  return make.reader
    .alternativesOf(nodes)
    .slice(0, maxWays)
    .flatMap((inside) => ways.map((way) => make.minimal([...inside, ...way])));
}

/** Ways that are tried: more would take long. */
const maxWays = 16;

/** The schema of values beyond a limit; of all values where no keyword says that. */
function beyond(keyword: string, limit: JsonValue): SchemaNode {
  const end = rangeEnd(limit);
  return { pointer: "", ...(end && opposites.get(keyword)?.(end)) };
}

/** What says that a value lies beyond the end of a range. */
const opposites = new Map<string, (end: RangeEnd) => Partial<SchemaNode>>([
  ["maximum", ({ value, exclusive }) => (exclusive ? { minimum: value } : { exclusiveMinimum: value })],
  ["minimum", ({ value, exclusive }) => (exclusive ? { maximum: value } : { exclusiveMaximum: value })],
  ["maxLength", ({ value }) => ({ minLength: value + 1 })],
  ["minLength", ({ value }) => ({ maxLength: value - 1 })],
  ["maxItems", ({ value }) => ({ minItems: value + 1 })],
  ["minItems", ({ value }) => ({ maxItems: value - 1 })],
  ["maxProperties", ({ value }) => ({ minProperties: value + 1 })],
]);

/** The constants in the schema of a condition, which are where it matters. */
function constantsIn(limit: JsonValue | undefined): JsonValue[] {
  const found: JsonValue[] = [];
  const visit = (part: JsonValue): void => {
    if (!isJsonObject(part)) return Array.isArray(part) ? part.forEach(visit) : undefined;
    const { const: constant, enum: listed } = part;
    if (constant !== undefined) found.push(constant);
    if (Array.isArray(listed)) found.push(...listed);
    for (const each of Object.values(part)) visit(each);
  };
  if (limit !== undefined) visit(limit);
  return found;
}

/** Objects with one declared member beside those that must be there. */
function withOneMember(make: Maker, nodes: Conjunction): JsonValue[] {
  const object = make.minimal(nodes);
  if (!isJsonObject(object)) return [];
  const properties = make.reader.of(nodes).members.flatMap((member) => [...member.properties]);
  return properties.map(([key, property]) => extended(object, key, make.minimal(property.nodes) ?? null));
}

/** Limits of an object that depend on its keys. */
const keyedBy: ReadonlySet<string> = new Set([
  "patternProperties",
  "propertyNames",
  "dependentRequired",
  "dependentSchemas",
]);

/** Objects with one more key: one that the limit mentions, and one that nothing mentions. */
function withKeys(
  make: Maker,
  nodes: Conjunction,
  { keyword, key }: { readonly keyword: string; readonly key: string | undefined },
  limits: readonly (JsonValue | undefined)[],
): JsonValue[] {
  const named = keyword === "dependentRequired" ? [key, ...limits.flat()] : [key];
  const strings = named.filter((name) => typeof name === "string");
  const keys = keyword === "patternProperties" ? [matching(strings, "x") ?? "x"] : strings;
  const object = make.minimal(nodes);
  if (!isJsonObject(object)) return [];
  return [...keys, "x-undeclared", "UPPER", "1", "a b"].flatMap((name) =>
    ["text", 1.5, true, {}].map((value) => extended(object, name, value)),
  );
}

function lengths(numbers: readonly number[]): number[] {
  return [...new Set(numbers.filter((number) => Number.isInteger(number) && number >= 0))];
}

/** An array of so many items; equal ones, as far as the minimum allows. */
function repeated(make: Maker, nodes: Conjunction, length: number): JsonValue {
  const array = make.minimal([...nodes, { pointer: "", minItems: length }]);
  return Array.isArray(array)
    ? Array.from({ length }, (_, index) => array[Math.min(index, 0)] ?? "item")
    : [];
}

function padded(make: Maker, nodes: Conjunction, length: number): JsonValue {
  return make.minimal([...nodes, { pointer: "", minProperties: length }]) ?? {};
}
