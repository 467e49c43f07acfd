import { type JsonValue, type SchemaNode, canonicalText, divides, isJsonObject } from "@mcpgen/engine";
import {
  type Said,
  type RangeEnd,
  anyOfLimits,
  armsFit,
  armsOf,
  isTighter,
  rangeEnd,
  conditionBound,
  conditionNode,
  conditionsIn,
  isCondition,
  nameParts,
  nodeText,
  limitedBy,
} from "../shape/bounds.js";
import { type Bounds, type Conjunction, shapeTypes } from "../shape/form.js";
import type { Alignment, Candidates, Found, Pair } from "./pair.js";
import type { FormReader } from "../shape/form-reader.js";
import { type Makers, Maker } from "../instance-maker.js";
import { extended } from "../../sample/edit.js";
import { matching } from "../../sample/values.js";
import { anything } from "./compare-object.js";

/** The place whose limits are compared. */
interface Places {
  readonly aligner: Alignment;
  readonly pair: Pair;
  /** The schemas that a value within the old limits must satisfy. */
  readonly old: Conjunction;
  readonly new: Conjunction;
  /** The limits of all arms of each side, if there are several. */
  readonly arms?: { readonly old: readonly Bounds[]; readonly new: readonly Bounds[] };
}

type Direction = "same" | "tighter" | "looser" | "both";

/** Compares limits one by one. A limit that is neither tighter nor looser counts as both. */
export function compareBounds(old: Bounds, next: Bounds, places: Places, found: Found): void {
  const arms = places.arms ?? { old: [old], new: [next] };
  for (const name of new Set([...old.keys(), ...next.keys()])) {
    const [was, is] = [old.get(name), next.get(name)];
    const condition = isCondition(name) ? conditionOf(places, name) : undefined;
    const direction = directionOf(name, was, is, condition);
    if (direction === "same") continue;
    const texts = { old: boundText(name, was), new: boundText(name, is) };
    const values = edges(nameParts(name), [was, is]);
    if (direction !== "looser") {
      const when = name === "format" ? { when: "the limit is a format" } : {};
      const narrowed: Candidates = (make) => [
        ...values(make.old, places.old),
        ...outside(make.old, places.old, arms.new),
        ...make.old.samples(places.old, 20),
        ...(condition ? conditionValues(condition, make, "old") : []),
      ];
      found({ rule: "bound-tightened", ...when, ...texts, narrowed });
    }
    if (direction !== "tighter") {
      const widened: Candidates = (make) => [
        ...values(make.new, places.new),
        ...outside(make.new, places.new, arms.old),
        ...make.new.samples(places.new, 20),
        ...(condition ? conditionValues(condition, make, "new") : []),
      ];
      found({ rule: "bound-loosened", ...texts, widened });
    }
  }
}

function directionOf(
  name: string,
  old: JsonValue | undefined,
  next: JsonValue | undefined,
  condition: Condition | undefined,
): Direction {
  if (old === undefined) return "tighter";
  if (next === undefined) return "looser";
  if (condition) return isSameCondition(condition) ? "same" : triedDirection(condition);
  if (canonicalText(old) === canonicalText(next)) return "same";
  if (name === anyOfLimits) return directionOfArms(old, next);
  const [before, after] = [rangeEnd(old), rangeEnd(next)];
  if (!before || !after) return "both";
  if (name === "multipleOf") {
    if (divides(before.value, after.value)) return "tighter";
    return divides(after.value, before.value) ? "looser" : "both";
  }
  return isTighter(name, after, before) ? "tighter" : "looser";
}

function directionOfArms(old: JsonValue, next: JsonValue): Direction {
  const [before, after] = [armsOf(old), armsOf(next)];
  const [isTaken, isKept] = [armsFit(after, before), armsFit(before, after)];
  return isTaken ? (isKept ? "same" : "tighter") : isKept ? "looser" : "both";
}

function boundText(name: string, value: JsonValue | undefined): string | null {
  if (value === undefined) return null;
  if (name === "integer") return name;
  if (name === anyOfLimits) return armsOf(value).map(armText).join(" or ");
  const end = rangeEnd(value);
  return end?.exclusive ? `exclusive ${name} ${end.value}` : `${name} ${canonicalText(value)}`;
}

function armText(arm: Bounds): string {
  return [...arm].map(([name, value]) => boundText(name, value)).join(" and ");
}

/** A condition that both sides set through a subschema (`not`, `if`, `contains`, …). */
interface Condition {
  readonly name: string;
  readonly places: Places;
  /** The conditions of each side, one for each equivalent spelling. */
  readonly old: readonly Said[];
  readonly new: readonly Said[];
}

function conditionOf(places: Places, name: string): Condition {
  const { aligner } = places;
  return {
    name,
    places,
    old: saidIn(aligner.old, places.old, name),
    new: saidIn(aligner.new, places.new, name),
  };
}

function saidIn(reader: FormReader, nodes: Conjunction, name: string): Said[] {
  const said = new Map<unknown, Said>();
  for (const node of reader.alternativesOf(nodes).flat()) {
    // Each call builds a new object around `if`, so the schema in `if` identifies the condition.
    for (const type of shapeTypes) {
      for (const [other, each] of conditionsIn(node, type))
        if (other === name) said.set("if" in each ? each.if : each, each);
    }
  }
  return [...said.values()];
}

/** Whether both sides have equivalent conditions, even if written differently. */
function isSameCondition({ places: { aligner, pair }, old, new: next }: Condition): boolean {
  if (old.length !== next.length) return false;
  const others = inOrder(next);
  return inOrder(old).every((before, index) => {
    const after = others[index]!;
    if (isList(before) || isList(after)) return nodeText(before) === nodeText(after);
    return parts(before).every((part, at) => aligner.areSame(pair, [part], [parts(after)[at]!]));
  });
}

function inOrder(said: readonly Said[]): readonly Said[] {
  if (said.length < 2) return said;
  const texts = new Map(said.map((each) => [each, nodeText(each)]));
  return said.toSorted((a, b) => (texts.get(a)! < texts.get(b)! ? -1 : 1));
}

function isList(said: Said): said is readonly string[] {
  return Array.isArray(said);
}

/** The schemas of a condition; a missing one of `if`, `then` and `else` allows everything. */
function parts(said: Exclude<Said, readonly string[]>): SchemaNode[] {
  if (!("if" in said) || !said.if) return [said as SchemaNode];
  const otherwise = anything(`${said.if.pointer}/absent`);
  return [said.if, said.then ?? otherwise, said.else ?? otherwise];
}

/**
 * Determines the direction of a change by trying values. If neither direction is shown, both are possible.
 */
function triedDirection(condition: Condition): Direction {
  const { aligner } = condition.places;
  const make = { old: new Maker(aligner.old), new: new Maker(aligner.new) };
  const narrows = isShown(condition, make, "old", "new");
  const widens = isShown(condition, make, "new", "old");
  if (narrows === widens) return "both";
  return narrows ? "tighter" : "looser";
}

/** Whether some value that one side accepts violates the other's condition. */
function isShown(
  condition: Condition,
  make: Makers,
  taking: "old" | "new",
  refusing: "old" | "new",
): boolean {
  const { name, places } = condition;
  const nodes = condition[refusing].map((said) => conditionNode(name, said));
  const values = edges(nameParts(name), [...condition.old, ...condition.new].map(conditionBound));
  return [
    ...values(make[taking], places[taking]),
    ...make[taking].samples(places[taking], 20),
    ...conditionValues(condition, make, taking),
  ].some(
    (value) =>
      value !== undefined &&
      make[taking].isValid(places[taking], value) &&
      !make[refusing].isValid(nodes, value),
  );
}

/** Values that may satisfy the condition of only one side. */
function conditionValues(
  { name, places, old, new: next }: Condition,
  make: Makers,
  side: "old" | "new",
): (JsonValue | undefined)[] {
  const { keyword, key } = nameParts(name);
  const maker = make[side];
  const around = maker.minimal(places[side]);
  const inside = [
    ...old.flatMap((said) => samplesOf(said, make.old)),
    ...next.flatMap((said) => samplesOf(said, make.new)),
  ];
  return [
    ...condition(keyword, key, around, inside),
    ...(side === "old" ? old : next).flatMap((said) =>
      maker.samples([...places[side], conditionNode(name, said)], 8),
    ),
  ];
}

function samplesOf(said: Said, maker: Maker): JsonValue[] {
  if (isList(said)) return [];
  return parts(said).flatMap((part) => [maker.minimal([part]) ?? null, ...maker.samples([part], 8)]);
}

/** Converts values for a condition's schema into values of the place. */
function condition(
  keyword: string,
  key: string | undefined,
  around: JsonValue | undefined,
  inside: readonly JsonValue[],
): JsonValue[] {
  if (keyword === "contains") {
    const items = Array.isArray(around) ? around : [];
    return inside.flatMap((value) => [[value], [value, value], [...items, value]]);
  }
  if (!isJsonObject(around)) return [...inside];
  if (keyword === "propertyNames")
    return inside.flatMap((name) =>
      typeof name === "string" ? [extended(around, name, "text"), { [name]: 1 }] : [],
    );
  const merged = inside.map((value) => (isJsonObject(value) ? { ...around, ...value } : value));
  if (key === undefined) return merged;
  if (keyword === "patternProperties") {
    const matched = matching([key], "x") ?? "x";
    return inside.map((value) => extended(around, matched, value));
  }
  const held = around[key] ?? "text";
  return merged.flatMap((value) => (isJsonObject(value) ? [extended(value, key, value[key] ?? held)] : []));
}

/** Values at and near the limits. Most are invalid, which is found by trying. */
function edges(
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
  switch (limitedBy(keyword)) {
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

/** Values of a place: one for each way to satisfy it and to exceed the limits of all arms. */
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

/** Maximum number of combinations to try. */
const maxWays = 16;

/** A schema for values beyond a limit; for all values if no keyword can express that. */
function beyond(keyword: string, limit: JsonValue): SchemaNode {
  const end = rangeEnd(limit);
  return { pointer: "", ...(end && opposites.get(keyword)?.(end)) };
}

/** For each limit, the keyword for values beyond it. */
const opposites = new Map<string, (end: RangeEnd) => Partial<SchemaNode>>([
  ["maximum", ({ value, exclusive }) => (exclusive ? { minimum: value } : { exclusiveMinimum: value })],
  ["minimum", ({ value, exclusive }) => (exclusive ? { maximum: value } : { exclusiveMaximum: value })],
  ["maxLength", ({ value }) => ({ minLength: value + 1 })],
  ["minLength", ({ value }) => ({ maxLength: value - 1 })],
  ["maxItems", ({ value }) => ({ minItems: value + 1 })],
  ["minItems", ({ value }) => ({ maxItems: value - 1 })],
  ["maxProperties", ({ value }) => ({ minProperties: value + 1 })],
]);

/** The constants in a condition's schema: at these values, its result may change. */
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

/** Objects with one optional member besides the required ones. */
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

/** Objects with one more key: one that the limit mentions, and one that it does not. */
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

/** An array of the given length, with equal items as far as possible. */
function repeated(make: Maker, nodes: Conjunction, length: number): JsonValue {
  const array = make.minimal([...nodes, { pointer: "", minItems: length }]);
  return Array.isArray(array)
    ? Array.from({ length }, (_, index) => array[Math.min(index, 0)] ?? "item")
    : [];
}

function padded(make: Maker, nodes: Conjunction, length: number): JsonValue {
  return make.minimal([...nodes, { pointer: "", minProperties: length }]) ?? {};
}
