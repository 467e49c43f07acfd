import type { JsonValue } from "@mcpgen/engine";
import { type Location, commonLocation, locationOf } from "../location.js";
import {
  type Bounds,
  type Form,
  type ShapeArm,
  type ShapeType,
  armCount,
  scalarTypes,
  shapeTypes,
  typesOf,
} from "../shape/form.js";
import { shapeOf } from "../shape/node-text.js";
import type { Makers } from "../instance-maker.js";
import type { Aligner } from "./aligner.js";
import { type Arms, alignArms } from "./arms.js";
import { compareArms, eachType } from "./compare-arms.js";
import { compareArrays } from "./compare-array.js";
import { compareBounds } from "./compare-bounds.js";
import { compareObjects } from "./compare-object.js";
import { compareScalars, compareValues } from "./compare-scalar.js";
import type { Candidates, Fact, Pair } from "./pair.js";

/** Compares what may stand in two places that correspond, and finds the pairs of places inside. */
export function compareForms(aligner: Aligner, pair: Pair): void {
  const old = aligner.old.of(pair.old.nodes);
  const next = aligner.new.of(pair.new.nodes);
  const found = (fact: PlaceFact): void => void pair.facts.push(placeFact(pair, fact));
  if (old.any && next.any) return;
  if (old.any || next.any) return void comparePure(pair, old, next, found);
  compareNull(old, next, found);
  const types = [withoutNull(old), withoutNull(next)] as const;
  if (types[0].size === 0 && types[1].size === 0) return;
  const common = [...types[0]].filter((type) => types[1].has(type));
  if (common.length === 0) return void comparePure(pair, old, next, found);
  const arms = alignArms([aligner.old, aligner.new], old.members, next.members, aligner.renames);
  compareArms(pair, old, next, arms, found);
  compareExclusion(aligner, pair, [old, next], found);
  for (const type of scalarTypes) {
    const [before, after] = [old.scalars.get(type), next.scalars.get(type)];
    if (before && after) compareScalars({ aligner, pair }, type, before, after, found);
  }
  const isUnion = armCount(old) > 1 || armCount(next) > 1;
  for (const [before, after] of arms.matched) {
    const location = isUnion ? commonLocation(locationOfArm(before), locationOfArm(after)) : pair.location;
    pair.arms.push({ old: before.name, new: after.name });
    const known = pair.facts.length;
    compareMembers({ aligner, pair, tags: arms.tags }, before, after, (fact) => found({ ...fact, location }));
    if (!isUnion) continue;
    const arm = { old: before.nodes, new: after.nodes };
    pair.facts.push(...pair.facts.splice(known).map((fact) => ({ ...fact, arm })));
  }
}

function locationOfArm({ name, pointer }: ShapeArm): Location {
  return name === undefined ? locationOf(pointer) : { definition: name, path: "" };
}

/** A difference that concerns one place. */
interface PlaceFact extends Pick<Fact, "rule" | "when" | "narrowed" | "widened" | "needsProof" | "arm"> {
  readonly old?: string | null;
  readonly new?: string | null;
  readonly member?: string;
  /** A deeper location, if the difference is in a named arm of the place. */
  readonly location?: Location;
}
export type Found = (fact: PlaceFact) => void;

/** Changes of undeclared members' values have separate rules. */
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

/** Both sides in words: as they are written or, where one name stands for both, what it stands for. */
function labelsOf({ old, new: next }: Pair): { readonly old: string; readonly new: string } {
  const written = { old: shapeOf(old.written), new: shapeOf(next.written) };
  return written.old === written.new ? { old: shapeOf(old.nodes), new: shapeOf(next.nodes) } : written;
}

function withoutNull(form: Form): Set<ShapeType> {
  const types = typesOf(form);
  types.delete("null");
  return types;
}

/** Types alone, where nothing is left to compare further in. */
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

/** Whether a value may be of several arms at once matters only where arms overlap. */
function compareExclusion(
  aligner: Aligner,
  pair: Pair,
  [old, next]: readonly [Form, Form],
  found: Found,
): void {
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
 * Of arms that exclude each other, one that takes more refuses what another one took, and one that takes less lets in what
 * both refused together.
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

/** Values that several arms of one side take although they exclude each other. */
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

/** Arms that are tried with each other: more would take long. */
const maxArms = 16;

/** Values of all kinds that may stand in the place, on either side. */
function valuesOf(pair: Pair, make: Makers): JsonValue[] {
  return (["old", "new"] as const)
    .flatMap((side) => [
      make[side].minimal(pair[side].nodes),
      ...eachType(make[side], pair[side].nodes, shapeTypes),
      ...make[side].samples(pair[side].nodes, 12),
    ])
    .filter((value) => value !== undefined);
}

/** The place where members are compared. */
export interface MemberContext {
  readonly aligner: Aligner;
  readonly pair: Pair;
  /** The tags of the arms, if they differ: that has been reported. */
  readonly tags: Arms["tags"];
}

function compareMembers(context: MemberContext, old: ShapeArm, next: ShapeArm, found: Found): void {
  const { aligner, pair } = context;
  compareListed(old, next, found);
  compareBounds(
    withoutEnum(old.bounds),
    withoutEnum(next.bounds),
    { aligner, pair, old: old.nodes, new: next.nodes },
    found,
  );
  if (old.type === "object") compareObjects(context, old, next, found);
  else compareArrays(aligner, pair, old, next);
}

function withoutEnum(bounds: Bounds): Bounds {
  return new Map([...bounds].filter(([keyword]) => keyword !== "enum"));
}

/** Objects and arrays that are listed one by one. */
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
