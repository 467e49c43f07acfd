import { type JsonValue, isJsonObject } from "@mcpgen/engine";
import { extended as withMember, without } from "../../sample/edit.js";
import { type Location, commonLocation, extended, locationOf } from "../location.js";
import { type Conjunction, type ShapeArm, type Property, refuses } from "../shape/form.js";
import { shapeOf } from "../shape/bounds.js";
import type { Arms } from "./arms.js";
import type { Alignment, Candidates, Compared, Fact, Found, Pair, Renamed } from "./pair.js";

/** The context for comparing members. */
export interface MemberContext extends Compared {
  /** The tags of the arms, if they differ; that was already reported. */
  readonly tags: Arms["tags"];
}

/** Compares two corresponding objects: declared members by name, then the schemas of undeclared members. */
export function compareObjects(context: MemberContext, old: ShapeArm, next: ShapeArm): void {
  const { aligner, pair, tags } = context;
  const done = new Set(compareRenamed(context, old, next));
  for (const key of new Set([...old.properties.keys(), ...next.properties.keys()])) {
    if (done.has(key)) continue;
    const [before, after] = [old.properties.get(key), next.properties.get(key)];
    if (before && after) {
      compareProperty({ aligner, pair, old, next, key }, before, after);
    } else if (key === tags?.old || key === tags?.new) {
      continue;
    } else if (after) {
      pair.facts.push(added(old, next, key, after));
      if (old.additional.length > 0 && !refuses(old, key))
        addMemberChild(context, [old, next], key, [old.additional, after.nodes]);
    } else {
      pair.facts.push(removed(old, next, key, before!));
      if (next.additional.length > 0 && !refuses(next, key))
        addMemberChild(context, [old, next], key, [before!.nodes, next.additional]);
    }
  }
  compareOthers(context, old, next);
}

/** Compares renamed members; returns their names. */
function compareRenamed({ aligner, pair, tags }: MemberContext, old: ShapeArm, next: ShapeArm): string[] {
  return (aligner.renames?.of(old, next) ?? []).flatMap((names) => {
    // The rename of a tag was already reported.
    if (names.old !== tags?.old) pair.facts.push(renamed(old, next, names));
    const step = { kind: "member", key: names.old, newKey: names.new } as const;
    const [before, after] = [old.properties.get(names.old)!, next.properties.get(names.new)!];
    aligner.addChild(pair, { step, old: old.nodes, new: next.nodes }, before.nodes, after.nodes);
    return [names.old, names.new];
  });
}

/** Compares a member that only one side declares with the other side's schema for undeclared members. */
function addMemberChild(
  { aligner, pair }: MemberContext,
  [old, next]: readonly [ShapeArm, ShapeArm],
  key: string,
  values: readonly [Conjunction, Conjunction],
): void {
  aligner.addChild(pair, { step: { kind: "member", key }, old: old.nodes, new: next.nodes }, ...values);
}

interface Context {
  readonly aligner: Alignment;
  readonly pair: Pair;
  readonly old: ShapeArm;
  readonly next: ShapeArm;
  readonly key: string;
}

function compareProperty(
  { aligner, pair, old, next, key }: Context,
  before: Property,
  after: Property,
): void {
  const step = { kind: "member", key } as const;
  aligner.addChild(pair, { step, old: old.nodes, new: next.nodes }, before.nodes, after.nodes);
  if (before.required === after.required) return;
  const absent = absentFrom(old, next, key);
  const common = {
    subject: commonLocation(placeIn(old, before, key), placeIn(next, after, key)),
    old: presence(before),
    new: presence(after),
    at: { old: before.nodes[0]!.pointer, new: after.nodes[0]!.pointer },
  };
  pair.facts.push(
    after.required
      ? { ...common, rule: "property-became-required", narrowed: absent }
      : { ...common, rule: "property-became-optional", widened: absent },
  );
}

function presence({ required }: Property): string {
  return required ? "required" : "optional";
}

function added(old: ShapeArm, next: ShapeArm, key: string, property: Property): Fact {
  const { nodes, required } = property;
  const refused = refuses(old, key);
  return {
    rule: required ? "property-added-required" : "property-added-optional",
    ...(refused && { when: "the old object is closed" }),
    subject: placeIn(next, property, key),
    old: null,
    new: shapeOf(nodes),
    at: { old: null, new: nodes[0]!.pointer },
    ...(required && { narrowed: absentFrom(old, next, key) }),
    ...(refused && {
      widened: ({ new: make }) => [presentIn(make.minimal(next.nodes), key, make.minimal(nodes))],
    }),
  };
}

function removed(old: ShapeArm, next: ShapeArm, key: string, property: Property): Fact {
  const { nodes, required } = property;
  const refused = refuses(next, key);
  const closed = refused ? ", and the new object is closed" : "";
  return {
    rule: "property-removed",
    when: `it was ${required ? "required" : "optional"}${closed}`,
    subject: placeIn(old, property, key),
    old: shapeOf(nodes),
    new: null,
    at: { old: nodes[0]!.pointer, new: null },
    ...(required && { widened: absentFrom(old, next, key) }),
    ...(refused && {
      narrowed: ({ old: make }) => [presentIn(make.minimal(old.nodes), key, make.minimal(nodes))],
    }),
  };
}

/** The fact of a rename, with the effects of removing one member and adding the other. */
function renamed(old: ShapeArm, next: ShapeArm, names: Renamed): Fact {
  const [before, after] = [old.properties.get(names.old)!, next.properties.get(names.new)!];
  const isWanted = { old: before.required || old.closed, new: after.required || next.closed };
  const when =
    isWanted.old && isWanted.new
      ? "both objects require it or are closed"
      : isWanted.old
        ? "the old object requires it or is closed"
        : isWanted.new
          ? "the new object requires it or is closed"
          : undefined;
  return {
    rule: "property-renamed",
    ...(when !== undefined && { when }),
    subject: placeIn(old, before, names.old),
    old: memberText(names.old, before),
    new: memberText(names.new, after),
    at: { old: before.nodes[0]!.pointer, new: after.nodes[0]!.pointer },
    narrowed: ({ old: make }) => {
      const object = make.minimal(old.nodes);
      return [presentIn(object, names.old, make.minimal(before.nodes)), object];
    },
    widened: ({ new: make }) => {
      const object = make.minimal(next.nodes);
      return [presentIn(object, names.new, make.minimal(after.nodes)), object];
    },
  };
}

function memberText(key: string, { nodes, required }: Property): string {
  return `${key}${required ? "" : "?"}: ${shapeOf(nodes)}`;
}

/** Objects that lack the member but have all other members that either side requires. */
function absentFrom(old: ShapeArm, next: ShapeArm, key: string): Candidates {
  return (make) =>
    [make.new.minimal(next.nodes), make.old.minimal(old.nodes)].map((object) =>
      isJsonObject(object) ? without(object, key) : undefined,
    );
}

function presentIn(
  object: JsonValue | undefined,
  key: string,
  value: JsonValue | undefined,
): JsonValue | undefined {
  return isJsonObject(object) && value !== undefined ? withMember(object, key, value) : undefined;
}

/** The location of a member's declaration; for a member that is only required, that of the object. */
function placeIn(member: ShapeArm, { nodes }: Property, key: string): Location {
  const { pointer } = nodes[0]!;
  if (!pointer.endsWith("/required")) return locationOf(pointer);
  const { definition, path } = locationOf(member.pointer);
  return { definition, path: extended(path, key) };
}

/** A key that no schema declares. */
const undeclared = "x-undeclared";
const anyValues: readonly JsonValue[] = ["text", 1.5, true, null, [], {}];

function compareOthers({ aligner, pair, found }: Compared, old: ShapeArm, next: ShapeArm): void {
  const narrowed: Candidates = ({ old: make }) =>
    withUndeclared(make.minimal(old.nodes), make.minimal(old.additional));
  const widened: Candidates = ({ new: make }) =>
    withUndeclared(make.minimal(next.nodes), make.minimal(next.additional));
  const [before, after] = [othersText(old), othersText(next)];
  if (old.closed && next.closed) return;
  if (old.closed) return found({ rule: "object-opened", old: before, new: after, widened });
  if (next.closed) return found({ rule: "object-closed", old: before, new: after, narrowed });
  compareForbidden(old, next, found);
  if (old.additional.length === 0 && next.additional.length === 0) return;
  const [from, to] = [orAnything(old), orAnything(next)];
  aligner.addChild(pair, { step: { kind: "other" }, old: old.nodes, new: next.nodes }, from, to);
}

/** Compares members that one open object forbids and the other does not declare. */
function compareForbidden(old: ShapeArm, next: ShapeArm, found: Found): void {
  const only = (one: ShapeArm, other: ShapeArm): string[] =>
    [...one.forbidden].filter((key) => !other.forbidden.has(key) && !other.properties.has(key)).sort();
  const text = (names: readonly string[]): string => `no ${names.join(", ")}`;
  const candidates = (object: JsonValue | undefined, names: readonly string[]): (JsonValue | undefined)[] =>
    names.flatMap((key) => anyValues.map((value) => presentIn(object, key, value)));
  const [gone, come] = [only(next, old), only(old, next)];
  if (gone.length > 0)
    found({
      rule: "object-closed",
      old: othersText(old),
      new: text(gone),
      narrowed: ({ old: make }) => candidates(make.minimal(old.nodes), gone),
    });
  if (come.length > 0)
    found({
      rule: "object-opened",
      old: text(come),
      new: othersText(next),
      widened: ({ new: make }) => candidates(make.minimal(next.nodes), come),
    });
}

function withUndeclared(
  object: JsonValue | undefined,
  value: JsonValue | undefined,
): (JsonValue | undefined)[] {
  const values = value === undefined ? anyValues : [value, ...anyValues];
  return values.map((each) => presentIn(object, undeclared, each));
}

function othersText({ closed, additional }: ShapeArm): string {
  return closed ? "no other members" : `other members ${shapeOf(additional)}`;
}

function orAnything({ additional, pointer }: ShapeArm): ShapeArm["additional"] {
  return additional.length > 0 ? additional : [anything(`${pointer}/additionalProperties`)];
}

/** Compares the items of two corresponding arrays. Their lengths are compared as limits. */
export function compareArrays({ aligner, pair }: Compared, old: ShapeArm, next: ShapeArm): void {
  const fixed = Math.max(old.prefix.length, next.prefix.length);
  for (let index = 0; index <= fixed; index++) {
    const [before, after] = [old.prefix[index] ?? old.items, next.prefix[index] ?? next.items];
    if (before.length === 0 && after.length === 0) continue;
    const step = { kind: "item", index } as const;
    aligner.addChild(
      pair,
      { step, old: old.nodes, new: next.nodes },
      orPlace(before, old),
      orPlace(after, next),
    );
  }
}

/** The schema of the items; without one, an empty schema at the array's place. */
function orPlace(items: ShapeArm["items"], { pointer }: ShapeArm): ShapeArm["items"] {
  return items.length > 0 ? items : [anything(`${pointer}/items`)];
}

const places = new Map<string, ShapeArm["items"][number]>();

/** A node without keywords; the same object for the same place. */
export function anything(pointer: string): ShapeArm["items"][number] {
  let node = places.get(pointer);
  if (!node) places.set(pointer, (node = { pointer }));
  return node;
}
