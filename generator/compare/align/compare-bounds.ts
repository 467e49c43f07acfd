import { type JsonValue, type SchemaNode, canonicalText, divides, isJsonObject } from "@mcpgen/engine";
import { anyOfLimits, armsFit, armsOf, isTighter, rangeEnd } from "../shape/bounds.js";
import {
  type Said,
  conditionBound,
  conditionNode,
  conditionsIn,
  isCondition,
  nameParts,
} from "../shape/conditions.js";
import { type Bounds, type Conjunction, shapeTypes } from "../shape/form.js";
import { edges, outside } from "./bound-values.js";
import type { Alignment, Candidates, Found, Pair } from "./pair.js";
import type { FormReader } from "../shape/form-reader.js";
import { nodeText } from "../shape/node-text.js";
import { type Makers, Maker } from "../instance-maker.js";
import { extended } from "../../sample/edit.js";
import { matching } from "../../sample/strings.js";
import { anything } from "./compare-array.js";

/** The place where limits are compared. */
interface Places {
  readonly aligner: Alignment;
  readonly pair: Pair;
  /** The nodes that a value within the old limits must satisfy. */
  readonly old: Conjunction;
  readonly new: Conjunction;
  /** The limits of all arms of each side, where there are several. */
  readonly arms?: { readonly old: readonly Bounds[]; readonly new: readonly Bounds[] };
}

type Direction = "same" | "tighter" | "looser" | "both";

/** Compares limits one by one. A limit that is neither tighter nor looser is both. */
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

/** A limit that a schema beside the value sets (`not`, `if`, `contains`, …), on both sides. */
interface Condition {
  readonly name: string;
  readonly places: Places;
  /** The conditions of each side, once for every spelling. */
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
    // Each call builds a new `if`; the schema in it stays the same.
    for (const type of shapeTypes) {
      for (const [other, each] of conditionsIn(node, type))
        if (other === name) said.set("if" in each ? each.if : each, each);
    }
  }
  return [...said.values()];
}

/** Whether both sides have the same condition, even if it is written differently. */
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

/** The schemas of a condition; of the three of `if`, those that are not there let everything through. */
function parts(said: Exclude<Said, readonly string[]>): SchemaNode[] {
  if (!("if" in said) || !said.if) return [said as SchemaNode];
  const otherwise = anything(`${said.if.pointer}/absent`);
  return [said.if, said.then ?? otherwise, said.else ?? otherwise];
}

/** Finds out by trying: what is shown in neither direction may be either. */
function triedDirection(condition: Condition): Direction {
  const { aligner } = condition.places;
  const make = { old: new Maker(aligner.old), new: new Maker(aligner.new) };
  const narrows = isShown(condition, make, "old", "new");
  const widens = isShown(condition, make, "new", "old");
  if (narrows === widens) return "both";
  return narrows ? "tighter" : "looser";
}

/** Whether some value that one side takes breaks the condition of the other. */
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

/** Values that may fulfil the condition of one side and not of the other. */
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

/** The values that values inside a condition become in the place that it limits. */
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
