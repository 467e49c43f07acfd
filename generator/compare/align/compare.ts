import { type JsonValue, type Schema, canonicalText } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { type Location, commonLocation, locationOf } from "../location.js";
import {
  type Bounds,
  type Conjunction,
  type Form,
  type Scalar,
  type ScalarType,
  type ShapeArm,
  type ShapeType,
  armCount,
  scalarTypes,
  shapeTypes,
  typesOf,
} from "../shape/form.js";
import { shapeOf, boundsOfArms, boundsText, rangeEnd } from "../shape/bounds.js";
import type { Makers } from "../instance-maker.js";
import { alignArms, compareArms, eachType } from "./arms.js";
import { type MemberContext, compareArrays, compareObjects } from "./compare-object.js";
import { compareBounds } from "./compare-bounds.js";
import type { Alignment, Candidates, Compared, Fact, Found, Pair, PlaceFact } from "./pair.js";

/** Compares the values that two corresponding places allow, and finds the pairs of places inside. */
export function compareForms(aligner: Alignment, pair: Pair): void {
  const old = aligner.old.of(pair.old.nodes);
  const next = aligner.new.of(pair.new.nodes);
  const found: Found = (fact) => void pair.facts.push(placeFact(pair, fact));
  if (old.any && next.any) return;
  if (old.any || next.any) return void comparePure(pair, old, next, found);
  compareNull(old, next, found);
  const types = [withoutNull(old), withoutNull(next)] as const;
  if (types[0].size === 0 && types[1].size === 0) return;
  const common = [...types[0]].filter((type) => types[1].has(type));
  if (common.length === 0) return void comparePure(pair, old, next, found);
  const arms = alignArms([aligner.old, aligner.new], old.members, next.members, aligner.renames);
  const place: Compared = { aligner, pair, found };
  compareArms(place, old, next, arms);
  compareExclusion(place, old, next);
  for (const type of scalarTypes) {
    const [before, after] = [old.scalars.get(type), next.scalars.get(type)];
    if (before && after) compareScalars(place, type, before, after);
  }
  const isUnion = armCount(old) > 1 || armCount(next) > 1;
  for (const [before, after] of arms.matched) {
    const location = isUnion ? commonLocation(locationOfArm(before), locationOfArm(after)) : pair.location;
    pair.arms.push({ old: before.name, new: after.name });
    const known = pair.facts.length;
    const foundInArm: Found = (fact) => found({ ...fact, location });
    compareMembers({ aligner, pair, tags: arms.tags, found: foundInArm }, before, after);
    if (!isUnion) continue;
    const arm = { old: before.nodes, new: after.nodes };
    pair.facts.push(...pair.facts.splice(known).map((fact) => ({ ...fact, arm })));
  }
}

function locationOfArm({ name, pointer }: ShapeArm): Location {
  return name === undefined ? locationOf(pointer) : { definition: name, path: "" };
}

/** Rules for values of undeclared members, by the general rule. */
const asMapValue = new Map([
  ["type-widened", "map-value-widened"],
  ["became-union", "map-value-widened"],
  ["union-member-added", "map-value-widened"],
  ["type-narrowed", "map-value-narrowed"],
  ["union-collapsed", "map-value-narrowed"],
  ["union-member-removed", "map-value-narrowed"],
]);

function placeFact(pair: Pair, { rule, when, member, location, old, new: next, ...proof }: PlaceFact): Fact {
  const labels = labelsOf(pair);
  const mapped = pair.isMapValue && pair.location.path.endsWith("{}") ? asMapValue.get(rule) : undefined;
  return {
    rule: mapped ?? rule,
    ...(when !== undefined && mapped === undefined && { when }),
    subject: { ...(location ?? pair.location), ...(member !== undefined && { member }) },
    old: old === undefined ? labels.old : old,
    new: next === undefined ? labels.new : next,
    at: { old: pair.old.pointer, new: pair.new.pointer },
    ...proof,
  };
}

/** Describes both sides: as written or, if both refer to the same name, by the definition's content. */
function labelsOf({ old, new: next }: Pair): { readonly old: string; readonly new: string } {
  const written = { old: shapeOf(old.written), new: shapeOf(next.written) };
  return written.old === written.new ? { old: shapeOf(old.nodes), new: shapeOf(next.nodes) } : written;
}

function withoutNull(form: Form): Set<ShapeType> {
  const types = typesOf(form);
  types.delete("null");
  return types;
}

/** Reports a type change if there is nothing further inside to compare. */
function comparePure(pair: Pair, old: Form, next: Form, found: Found): void {
  const [before, after] = [typesOf(old), typesOf(next)];
  if (before.size === 0 && after.size === 0) return;
  const lost = [...before].filter((type) => !after.has(type));
  const gained = [...after].filter((type) => !before.has(type));
  const narrowed: Candidates = ({ old: make }) => [
    ...eachType(make, pair.old.nodes, lost),
    ...make.samples(pair.old.nodes, old.any ? 12 : 0),
  ];
  const widened: Candidates = ({ new: make }) => [
    ...eachType(make, pair.new.nodes, gained),
    ...make.samples(pair.new.nodes, next.any ? 12 : 0),
  ];
  if (next.any || (lost.length === 0 && !old.any)) found({ rule: "type-widened", widened });
  else if (old.any || gained.length === 0) found({ rule: "type-narrowed", narrowed });
  else found({ rule: "type-changed", narrowed, widened });
}

function compareNull(old: Form, next: Form, found: Found): void {
  const [before, after] = [old.scalars.has("null"), next.scalars.has("null")];
  if (before === after || withoutNull(old).size === 0 || withoutNull(next).size === 0) return;
  if (after) found({ rule: "nullable-added", widened: () => [null] });
  else found({ rule: "nullable-removed", narrowed: () => [null] });
}

/** Compares exclusivity (`oneOf`), which matters only if arms overlap. */
function compareExclusion({ aligner, pair, found }: Compared, old: Form, next: Form): void {
  if (old.exclusive === next.exclusive) {
    const isEither = (["old", "new"] as const).some(
      (side) => aligner[side].exclusionsOf(pair[side].nodes).length > 0,
    );
    if (isEither) compareOverlaps(pair, found);
    return;
  }
  const values: Candidates = (make) => valuesOf(pair, make);
  if (next.exclusive)
    found({ rule: "bound-tightened", old: null, new: "one arm only", needsProof: true, narrowed: values });
  else found({ rule: "bound-loosened", old: "one arm only", new: null, needsProof: true, widened: values });
}

/**
 * With exclusive arms, a wider arm causes rejection of values of another arm; a narrower one allows values
 * that both accepted before.
 */
function compareOverlaps(pair: Pair, found: Found): void {
  const [one, several] = ["of one arm", "of several arms"];
  found({
    rule: "bound-tightened",
    old: one,
    new: several,
    needsProof: true,
    narrowed: sharedValues(pair, "new"),
  });
  found({
    rule: "bound-loosened",
    old: several,
    new: one,
    needsProof: true,
    widened: sharedValues(pair, "old"),
  });
}

/** Values that several exclusive arms of one side accept. */
function sharedValues(pair: Pair, side: keyof Makers): Candidates {
  return (make) => {
    const { nodes } = pair[side];
    const maker = make[side];
    return maker.reader.exclusionsOf(nodes).flatMap((arms) => {
      const tried = arms.slice(0, maxArms);
      const both = tried.flatMap((arm, at) => tried.slice(at + 1).map((other) => [arm, other]));
      const made = both.flatMap((two) => [maker.minimal(two), maker.minimal([...nodes, ...two])]);
      return [...made, ...valuesOf(pair, make)].filter(
        (value) => value !== undefined && arms.filter((arm) => maker.isValid([arm], value)).length > 1,
      );
    });
  };
}

/** Maximum number of arms to combine. */
const maxArms = 16;

/** Values of all kinds that the place allows on either side. */
function valuesOf(pair: Pair, make: Makers): JsonValue[] {
  return (["old", "new"] as const)
    .flatMap((side) => [
      make[side].minimal(pair[side].nodes),
      ...eachType(make[side], pair[side].nodes, shapeTypes),
      ...make[side].samples(pair[side].nodes, 12),
    ])
    .filter((value) => value !== undefined);
}

function compareMembers(context: MemberContext, old: ShapeArm, next: ShapeArm): void {
  const { aligner, pair, found } = context;
  compareListed(old, next, found);
  compareBounds(
    withoutEnum(old.bounds),
    withoutEnum(next.bounds),
    { aligner, pair, old: old.nodes, new: next.nodes },
    found,
  );
  if (old.type === "object") compareObjects(context, old, next);
  else compareArrays(context, old, next);
}

function withoutEnum(bounds: Bounds): Bounds {
  return new Map([...bounds].filter(([keyword]) => keyword !== "enum"));
}

/** Compares objects and arrays that are listed as constants. */
function compareListed(old: ShapeArm, next: ShapeArm, found: Found): void {
  const [before, after] = [old.bounds.get("enum"), next.bounds.get("enum")] as (JsonValue[] | undefined)[];
  if (before && after) compareValues(before, after, found);
  else if (before) {
    const widened: Candidates = ({ new: make }) => make.values(next.nodes);
    found({ rule: before.length === 1 ? "const-removed" : "enum-opened", widened });
  } else if (after) {
    const narrowed: Candidates = ({ old: make }) => make.values(old.nodes);
    found({ rule: after.length === 1 ? "const-added" : "enum-closed", narrowed });
  }
}

/** Compares the allowed scalars of a type that both sides allow. */
function compareScalars(
  { aligner, pair, found }: Compared,
  type: ScalarType,
  old: Scalar,
  next: Scalar,
): void {
  const [listedBefore, listedAfter] = [old.free.length === 0, next.free.length === 0];
  const taken = {
    old: takenOf(old.values, pair.old.nodes, aligner.old.schema),
    new: takenOf(next.values, pair.new.nodes, aligner.new.schema),
  };
  if (listedBefore && listedAfter) return compareValues(taken.old, taken.new, found);
  if (listedBefore) return compareOpened(taken.old, pair, type, found);
  if (listedAfter) return compareClosed(taken.new, pair, type, found);
  // Beside an arm without a list, a listed value may be within that arm's limits.
  const others = {
    old: taken.new.filter((value) => takes(pair.old.nodes, aligner.old.schema, value)),
    new: taken.old.filter((value) => takes(pair.new.nodes, aligner.new.schema, value)),
  };
  compareValues([...taken.old, ...others.old], [...taken.new, ...others.new], found);
  const arms = { old: old.free, new: next.free };
  const places = { aligner, pair, old: pair.old.nodes, new: pair.new.nodes, arms };
  const [before, after] = [without(old.free, next.free), without(next.free, old.free)];
  if (before.length === 1 && after.length === 1) {
    compareInteger(before[0]!, after[0]!, found);
    return compareBounds(withoutInteger(before[0]!), withoutInteger(after[0]!), places, found);
  }
  if (before.length + after.length > 0)
    compareBounds(boundsOfArms(old.free), boundsOfArms(next.free), places, found);
}

/** The values of a list that a place accepts; keywords beside or around the list may reject some. */
function takenOf(values: readonly JsonValue[], nodes: Conjunction, schema: Schema): readonly JsonValue[] {
  const isAlone = nodes.every((node) => Object.keys(node).every((keyword) => lists.has(keyword)));
  return isAlone ? values : values.filter((value) => takes(nodes, schema, value));
}

/** Keywords of a node that accepts every value of its list. */
const lists: ReadonlySet<string> = new Set(["pointer", "types", "enum", "const", "description", "title"]);

function takes(nodes: Conjunction, schema: Schema, value: JsonValue): boolean {
  return nodes.every((node) => isValid(schema, node, value));
}

/** The arms that the other side lacks. */
function without(arms: readonly Bounds[], others: readonly Bounds[]): readonly Bounds[] {
  const known = new Set(others.map(boundsText));
  return arms.filter((arm) => !known.has(boundsText(arm)));
}

/** Compares lists of values. */
function compareValues(old: readonly JsonValue[], next: readonly JsonValue[], found: Found): void {
  // Compare as texts in sets, because lists can be very long.
  const [before, after] = [new Set(old.map(canonicalText)), new Set(next.map(canonicalText))];
  const removed = old.filter((value) => !after.has(canonicalText(value)));
  const added = next.filter((value) => !before.has(canonicalText(value)));
  if (old.length === 1 && next.length === 1 && removed.length === 1) {
    const narrowed = (): readonly JsonValue[] => removed;
    const widened = (): readonly JsonValue[] => added;
    return found({
      rule: "const-changed",
      old: canonicalText(old[0]!),
      new: canonicalText(next[0]!),
      narrowed,
      widened,
    });
  }
  for (const value of removed) {
    found({ rule: "enum-value-removed", old: canonicalText(value), new: null, narrowed: () => [value] });
  }
  for (const value of added) {
    found({ rule: "enum-value-added", old: null, new: canonicalText(value), widened: () => [value] });
  }
}

/** Values that are unlikely to be in any list. */
function unlisted(type: ScalarType, listed: readonly JsonValue[]): JsonValue[] {
  const samples: readonly JsonValue[] =
    type === "number" ? [7919, 0.5, 1, 0] : type === "boolean" ? [true, false] : ["unlisted", ""];
  return samples.filter((value) => !listed.includes(value));
}

function compareOpened(values: readonly JsonValue[], pair: Pair, type: ScalarType, found: Found): void {
  const rule = values.length === 1 ? "const-removed" : "enum-opened";
  found({
    rule,
    widened: ({ new: make }) => [
      ...unlisted(type, values),
      make.minimal(pair.new.nodes),
      ...make.samples(pair.new.nodes, 8),
    ],
  });
}

function compareClosed(values: readonly JsonValue[], pair: Pair, type: ScalarType, found: Found): void {
  const rule = values.length === 1 ? "const-added" : "enum-closed";
  found({
    rule,
    narrowed: ({ old: make }) => [
      ...unlisted(type, values),
      make.minimal(pair.old.nodes),
      ...make.samples(pair.old.nodes, 8),
    ],
  });
}

function compareInteger(old: Bounds, next: Bounds, found: Found): void {
  const limits = [...old.values(), ...next.values()].flatMap((limit) => rangeEnd(limit)?.value ?? []);
  const near = limits.flatMap((limit) => [limit, limit + 0.5, limit - 0.5]);
  const fractions = (): readonly JsonValue[] =>
    [0.5, 1.5, -0.5, 10.5, ...near].filter((value) => !Number.isInteger(value));
  if (old.has("integer") && !next.has("integer")) found({ rule: "integer-to-number", widened: fractions });
  if (!old.has("integer") && next.has("integer")) found({ rule: "number-to-integer", narrowed: fractions });
}

function withoutInteger(bounds: Bounds): Bounds {
  return new Map([...bounds].filter(([keyword]) => keyword !== "integer"));
}
