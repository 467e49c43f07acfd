import type { JsonValue } from "@mcpgen/engine";
import { type Form, type ShapeType, armCount } from "../shape/form.js";
import type { Maker } from "../instance-maker.js";
import { type Arms, labelOf } from "./arms.js";
import type { Candidates, Compared, Found, Pair } from "./pair.js";

/** Compares which shapes may stand in a place: arms and scalar types that came and went. */
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

/** The removed and the added arms, with values that show the difference. */
interface Change {
  readonly lost: readonly ShapeType[];
  readonly gained: readonly ShapeType[];
  /** Scalars of both sides: the types of some of them may still differ. */
  readonly bothScalar: boolean;
  /** Whether something of the old shape, or the new one, is left on the other side. */
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

/** One shape became several, or several one. */
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

/** All scalars of a union are one of its arms. */
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

/** The smallest value of each type that a place may hold. */
export function eachType(
  make: Maker,
  nodes: Pair["old"]["nodes"],
  types: Iterable<ShapeType>,
): (JsonValue | undefined)[] {
  return [...types].map((type) => make.ofType(nodes, type));
}
