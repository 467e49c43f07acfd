import { typeText } from "../../print/type-text.js";
import { type ShapeArm, type Form, type ShapeType, armCount } from "../shape/form.js";
import type { FormReader } from "../shape/form-reader.js";
import {
  type Renames,
  type Candidates,
  type Compared,
  type Found,
  type Pair,
  memberSignature,
  similarity,
} from "./pair.js";
import type { JsonValue } from "@mcpgen/engine";
import type { Maker } from "../instance-maker.js";

/** The corresponding arms of two unions. */
export interface Arms {
  readonly matched: readonly (readonly [ShapeArm, ShapeArm])[];
  readonly removed: readonly ShapeArm[];
  readonly added: readonly ShapeArm[];
  /** The tags of both unions, if they have different ones. */
  readonly tags: { readonly old: string; readonly new: string } | undefined;
  /** Whether a tag distinguishes this arm from all arms of the other side. */
  readonly isTagged: (arm: ShapeArm) => boolean;
}

type Readers = readonly [FormReader, FormReader];

/**
 * Matches arms by tag, then by form, then by name. An arm unlike all others has no partner. Renamed members
 * count as having the same name.
 */
export function alignArms(
  readers: Readers,
  old: readonly ShapeArm[],
  next: readonly ShapeArm[],
  renames?: Renames,
): Arms {
  if (!renames || renames.areNone) return alignNamed(readers, old, next);
  const views = renames.underEarlierNames(old, next);
  const arms = alignNamed(readers, ...views);
  const pairs = [old, next].flatMap((side, index) =>
    side.map((arm, at) => [arm, views[index]![at]!] as const),
  );
  const [viewOf, armOf] = [new Map(pairs), new Map(pairs.map(([arm, view]) => [view, arm]))];
  const back = (view: ShapeArm): ShapeArm => armOf.get(view)!;
  return {
    matched: arms.matched.map(([a, b]) => [back(a), back(b)]),
    removed: arms.removed.map(back),
    added: arms.added.map(back),
    tags: arms.tags,
    isTagged: (arm) => arms.isTagged(viewOf.get(arm)!),
  };
}

function alignNamed(readers: Readers, old: readonly ShapeArm[], next: readonly ShapeArm[]): Arms {
  if (old.length === 1 && next.length === 1 && old[0]!.type === next[0]!.type) {
    return { matched: [[old[0]!, next[0]!]], removed: [], added: [], tags: undefined, isTagged: () => false };
  }
  const tags = tagsOf(readers, old, next);
  const before = new Map(old.map((arm) => [arm, tagStrings(readers[0], arm, tags?.old)]));
  const after = new Map(next.map((arm) => [arm, tagStrings(readers[1], arm, tags?.new)]));
  const look = [
    (arm: ShapeArm) => lookOf(readers[0], arm, before.get(arm)!),
    (arm: ShapeArm) => lookOf(readers[1], arm, after.get(arm)!),
  ] as const;
  const matched = onlyPairs(old, next, look);
  const taken = new Set<ShapeArm>(matched.flat());
  const [left, right] = [old, next].map((arms) => arms.filter((arm) => !taken.has(arm))) as [
    ShapeArm[],
    ShapeArm[],
  ];
  for (const { a, b, score } of candidatesOf(
    { readers, before, after, tagged: tags !== undefined },
    left,
    right,
  )) {
    const forced = !tags && (isOnly(a, old) || isOnly(b, next));
    if (taken.has(a) || taken.has(b) || (score < 1 && !forced)) continue;
    matched.push([a, b]);
    taken.add(a).add(b);
  }
  const known = [new Set([...before.values()].flat()), new Set([...after.values()].flat())] as const;
  return {
    matched,
    removed: old.filter((arm) => !taken.has(arm)),
    added: next.filter((arm) => !taken.has(arm)),
    tags: tags && tags.old !== tags.new ? tags : undefined,
    isTagged: (arm) => {
      const values = before.get(arm) ?? after.get(arm)!;
      const others = before.has(arm) ? known[1] : known[0];
      return values.length > 0 && values.every((value) => !others.has(value));
    },
  };
}

/** The identity of an arm: its tag values if it has a tag, else its complete signature. */
function lookOf(reader: FormReader, arm: ShapeArm, tag: readonly string[]): string {
  return tag.length > 0 ? `tag ${JSON.stringify([...tag].sort())}` : memberSignature(reader, arm);
}

type Look = (arm: ShapeArm) => string;

/** Pairs of arms with the same identity, if it occurs once on each side. */
function onlyPairs(
  old: readonly ShapeArm[],
  next: readonly ShapeArm[],
  look: readonly [Look, Look],
): [ShapeArm, ShapeArm][] {
  const byLook = (arms: readonly ShapeArm[], lookOfArm: Look): Map<string, ShapeArm | undefined> => {
    const found = new Map<string, ShapeArm | undefined>();
    for (const arm of arms) {
      const key = lookOfArm(arm);
      found.set(key, found.has(key) ? undefined : arm);
    }
    return found;
  };
  const others = byLook(next, look[1]);
  return [...byLook(old, look[0])].flatMap(([key, arm]) => {
    const other = others.get(key);
    return arm && other && arm.type === other.type ? [[arm, other] as [ShapeArm, ShapeArm]] : [];
  });
}

interface Candidate {
  readonly a: ShapeArm;
  readonly b: ShapeArm;
  readonly score: number;
  readonly label: string;
}

/** Maximum number of pairs that are compared individually; beyond it, remaining arms have no partner. */
const mostPairs = 10_000;

/** The tags of both sides, which match the arms. */
interface Tagging {
  readonly readers: Readers;
  readonly before: ReadonlyMap<ShapeArm, readonly string[]>;
  readonly after: ReadonlyMap<ShapeArm, readonly string[]>;
  /** Whether both unions have a tag. */
  readonly tagged: boolean;
}

/** Possible pairs, best first, in an order independent of which side is older. */
function candidatesOf(tagging: Tagging, old: readonly ShapeArm[], next: readonly ShapeArm[]): Candidate[] {
  if (old.length * next.length > mostPairs) return [];
  const candidates = old.flatMap((a) =>
    next
      .filter(({ type }) => type === a.type)
      .map((b) => ({
        a,
        b,
        score: scoreOf(tagging, a, b),
        label: [labelOf(a), labelOf(b)].sort().join(" "),
      })),
  );
  return candidates.sort((x, y) => y.score - x.score || (x.label < y.label ? -1 : 1));
}

/** Whether no other arm has the same type. */
function isOnly(arm: ShapeArm, arms: readonly ShapeArm[]): boolean {
  return arms.filter(({ type }) => type === arm.type).length === 1;
}

/** The tags of both unions: a common one, or two tags that share values. */
function tagsOf(
  readers: Readers,
  old: readonly ShapeArm[],
  next: readonly ShapeArm[],
): { readonly old: string; readonly new: string } | undefined {
  const found = [tagValues(readers[0], old), tagValues(readers[1], next)] as const;
  const shared = commonTag(found, old.length, next.length);
  if (shared !== undefined) return { old: shared, new: shared };
  const [before, after] = [onlyTag(found[0], old.length), onlyTag(found[1], next.length)];
  if (before === undefined || after === undefined) return undefined;
  const values = new Set(found[0].get(before)!.flat());
  const isSame = found[1]
    .get(after)!
    .flat()
    .some((value) => values.has(value));
  return isSame ? { old: before, new: after } : undefined;
}

function tagStrings(reader: FormReader, arm: ShapeArm, tag: string | undefined): readonly string[] {
  return (tag !== undefined && arm.type === "object" && readStrings(reader, arm, tag)) || [];
}

/** The similarity of two arms; at least 1 if they certainly correspond. */
function scoreOf({ readers, before, after, tagged }: Tagging, a: ShapeArm, b: ShapeArm): number {
  const [left, right] = [before.get(a)!, after.get(b)!];
  const sameName = a.name !== undefined && a.name === b.name;
  const shared = left.filter((value) => right.includes(value)).length;
  // Arms with different tag values do not correspond, unless they have the same name.
  const isOther = tagged && a.type === "object" && shared === 0;
  if (isOther && !sameName) return 0;
  const alike = similarity(readers, a, b);
  if (isOther) return alike >= 0.5 ? 1 : 0;
  if (tagged && a.type === "object") {
    const equal = shared === left.length && shared === right.length;
    return (equal ? 5 : 4) + (sameName ? 1 : 0) + alike;
  }
  const equal = memberSignature(readers[0], a) === memberSignature(readers[1], b);
  return (equal ? 3 : 0) + (sameName ? 2 : 0) + alike + (alike >= 0.5 ? 0.5 : -1);
}

type Tags = ReadonlyMap<string, readonly (readonly string[])[]>;

/** Required members of all object arms that have listed strings, with the strings of each arm. */
function tagValues(reader: FormReader, arms: readonly ShapeArm[]): Tags {
  const objects = arms.filter(({ type }) => type === "object");
  const tags = new Map<string, readonly (readonly string[])[]>();
  for (const key of objects[0]?.properties.keys() ?? []) {
    const values = objects.map((arm) => readStrings(reader, arm, key));
    if (values.every((value) => value !== undefined)) tags.set(key, values as readonly (readonly string[])[]);
  }
  return tags;
}

function readStrings(reader: FormReader, arm: ShapeArm, key: string): readonly string[] | undefined {
  const property = arm.properties.get(key);
  if (!property?.required) return undefined;
  const { scalars, members } = reader.of(property.nodes);
  const strings = scalars.get("string");
  const listed = scalars.size === 1 && members.length === 0 && strings && strings.free.length === 0;
  return listed ? (strings.values as string[]) : undefined;
}

/** The tag that both sides share; it must distinguish at least two arms. */
function commonTag([old, next]: readonly [Tags, Tags], before: number, after: number): string | undefined {
  const shared = [...old.keys()].filter((key) => next.has(key));
  const different = (key: string): number =>
    new Set([...old.get(key)!, ...next.get(key)!].map((values) => JSON.stringify(values))).size;
  const telling = shared.filter((key) => Math.max(before, after) > 1 && different(key) > 1);
  return telling.sort((a, b) => different(b) - different(a) || (a < b ? -1 : 1))[0];
}

function onlyTag(tags: Tags, arms: number): string | undefined {
  if (arms < 2) return undefined;
  return [...tags].find(
    ([, values]) => new Set(values.map((value) => JSON.stringify(value))).size === arms,
  )?.[0];
}

/** The name of an arm in findings. */
export function labelOf({ name, nodes, type }: ShapeArm): string {
  return name ?? (nodes.length === 0 ? type : nodes.map(typeText).join(" & "));
}

/** Compares which arms and scalar types a place allows, and reports those added or removed. */
export function compareArms({ pair, found }: Compared, old: Form, next: Form, arms: Arms): void {
  const change = changeOf(pair, old, next, arms);
  const [before, after] = [armCount(withoutNull(old)), armCount(withoutNull(next))];
  if ((before === 1) !== (after === 1)) return compareCount(change, before === 1, found);
  if (arms.tags) {
    const narrowed: Candidates = ({ old: make }) => old.members.map((arm) => make.minimal(arm.nodes));
    const widened: Candidates = ({ new: make }) => next.members.map((arm) => make.minimal(arm.nodes));
    found({ rule: "discriminator-changed", ...arms.tags, narrowed, widened });
  }
  compareScalarTypes(pair, change, found);
  compareMembership(arms, found);
}

/** Removed and added arms, with values that show the difference. */
interface Change {
  readonly lost: readonly ShapeType[];
  readonly gained: readonly ShapeType[];
  /** Whether both sides allow scalars; types of scalars may still differ. */
  readonly bothScalar: boolean;
  /** Whether part of the old or the new shape also exists on the other side. */
  readonly survives: boolean;
  readonly removed: Candidates;
  readonly added: Candidates;
}

function changeOf(pair: Pair, old: Form, next: Form, arms: Arms): Change {
  const [before, after] = [withoutNull(old).scalars, withoutNull(next).scalars];
  const lost = [...before.keys()].filter((type) => !after.has(type));
  const gained = [...after.keys()].filter((type) => !before.has(type));
  return {
    lost,
    gained,
    bothScalar: before.size > 0 && after.size > 0,
    survives: arms.matched.length > 0 || lost.length < before.size,
    *removed({ old: make }) {
      for (const arm of arms.removed) yield* make.values(arm.nodes);
      yield* eachType(make, pair.old.nodes, lost);
    },
    *added({ new: make }) {
      for (const arm of arms.added) yield* make.values(arm.nodes);
      yield* eachType(make, pair.new.nodes, gained);
    },
  };
}

function withoutNull(form: Form): Form {
  return { ...form, scalars: new Map([...form.scalars].filter(([type]) => type !== "null")) };
}

/** Reports that a single shape became a union, or a union a single shape. */
function compareCount(
  { lost, gained, survives, removed, added }: Change,
  widened: boolean,
  found: Found,
): void {
  if (!survives) return found({ rule: "type-changed", narrowed: removed, widened: added });
  if (widened) found({ rule: "became-union", widened: added });
  else found({ rule: "union-collapsed", narrowed: removed });
  if (widened && lost.length > 0) found({ rule: "type-narrowed", narrowed: removed });
  if (!widened && gained.length > 0) found({ rule: "type-widened", widened: added });
}

/** Compares scalar types; all scalars of a union form one arm. */
function compareScalarTypes(pair: Pair, { lost, gained, bothScalar }: Change, found: Found): void {
  if (bothScalar) {
    if (lost.length > 0)
      found({ rule: "type-narrowed", narrowed: ({ old: make }) => eachType(make, pair.old.nodes, lost) });
    if (gained.length > 0)
      found({ rule: "type-widened", widened: ({ new: make }) => eachType(make, pair.new.nodes, gained) });
    return;
  }
  for (const type of lost) {
    const narrowed: Candidates = ({ old: make }) => [make.ofType(pair.old.nodes, type)];
    found({ rule: "union-member-removed", member: type, old: type, new: null, narrowed });
  }
  for (const type of gained) {
    const widened: Candidates = ({ new: make }) => [make.ofType(pair.new.nodes, type)];
    found({ rule: "union-member-added", member: type, old: null, new: type, widened });
  }
}

function compareMembership({ removed, added, isTagged }: Arms, found: Found): void {
  for (const arm of removed) {
    const member = labelOf(arm);
    const narrowed: Candidates = ({ old: make }) => make.values(arm.nodes);
    found({
      rule: "union-member-removed",
      member,
      old: member,
      new: null,
      narrowed,
      arm: { old: arm.nodes },
    });
  }
  for (const arm of added) {
    const member = labelOf(arm);
    const when = isTagged(arm) ? { when: "a tag identifies it" } : {};
    const widened: Candidates = ({ new: make }) => make.values(arm.nodes);
    found({
      rule: "union-member-added",
      ...when,
      member,
      old: null,
      new: member,
      widened,
      arm: { new: arm.nodes },
    });
  }
}

/** The smallest value of each type that a place allows. */
export function eachType(
  make: Maker,
  nodes: Pair["old"]["nodes"],
  types: Iterable<ShapeType>,
): (JsonValue | undefined)[] {
  return [...types].map((type) => make.ofType(nodes, type));
}
