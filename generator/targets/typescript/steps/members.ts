import { pointer } from "@mcpgen/engine";
import { anything } from "../../../compare/align/compare-object.js";
import {
  type Conjunction,
  type ShapeArm,
  type Property,
  type Form,
  refuses,
} from "../../../compare/shape/form.js";
import type { Change, Plan, Arm, Lists } from "./plan.js";
import type { Around, OwnedOfBoth, Planner } from "./planner.js";
import { always, textBlockOf, mayBe } from "./tests.js";

/** The step for the items of an array; `undefined` if the array can only be validated as a whole. */
export function arrayChanges(
  planner: Planner,
  source: ShapeArm,
  target: ShapeArm,
  around: Around,
): Change[] | undefined {
  if (source.prefix.length > 0 || target.prefix.length > 0) return undefined;
  if (target.items.length === 0) return [];
  const plan = planner.plan(source.items.length > 0 ? source.items : [anything("")], target.items, {
    pointers: around.pointers,
  });
  return [{ kind: "items", plan }];
}

/**
 * The steps for the members of an object.
 *
 * @param apart names of members that another change converts
 */
export function objectChanges(
  planner: Planner,
  source: ShapeArm,
  target: ShapeArm,
  apart: readonly string[] = [],
): Change[] {
  planner.objects.push([source, target]);
  const renames = planner.renamed(source, target);
  const changes = renames.flatMap(({ from, to }) => renamed({ planner, source, target, key: to }, from));
  const done = new Set([...apart, ...renames.flatMap(({ from, to }) => [from, to])]);
  const owned = planner.ownedBy(source, target);
  const known = [...source.properties.keys(), ...target.properties.keys()];
  const all = [...known, ...owned.source.keys(), ...owned.target.keys()];
  for (const key of new Set([...target.properties.keys(), ...all])) {
    if (!done.has(key)) changes.push(...oneMember({ planner, source, target, key }, owned));
  }
  return [...joined(changes), ...otherMembers(planner, source, target, [...all, ...apart])];
}

function oneMember(context: Context, owned: OwnedOfBoth): Change[] {
  const { source, target, key } = context;
  const [from, to] = [source.properties.get(key), target.properties.get(key)];
  if (from && to) return declared(context, from, to);
  const filledIn = owned.source.get(key);
  if (to) {
    return filledIn ? noLongerOwned(context, filledIn, to) : undeclaredBefore(context, to);
  }
  const fillsIn = owned.target.get(key);
  if (from) return fillsIn ? ownedAfter(context, from, fillsIn) : undeclaredAfter(context, from);
  if (!fillsIn) return ownedBefore(context);
  return filledIn ? ownedByBoth(context, filledIn, fillsIn) : [];
}

/** A member that both eras fill in: it has the form of its revision, so it is converted. */
export function ownedByBoth(context: Context, from: Property, to: Property): Change[] {
  const { planner } = context;
  const isSame = planner.isAlike(from.nodes, to.nodes) || planner.holdsMessages(from);
  return isSame ? [] : converted(context, from, to);
}

/**
 * A member that the source's era fills in and that the target leaves to the application. A received message
 * contains it; an application of the source revision does not write it.
 */
function noLongerOwned(context: Context, from: Property, to: Property): Change[] {
  return declared(context, { ...from, required: from.required && !context.planner.isLowering }, to);
}

/**
 * A member that applications of the source write and that the target's era fills in. A value that does not
 * fit is dropped.
 */
function ownedAfter({ planner, key }: Context, from: Property, to: Property): Change[] {
  return planner.isAlike(from.nodes, to.nodes) ? [] : [{ kind: "fitting", key, to: to.nodes }];
}

/**
 * A member that the source's era fills in and that the target does not describe. It is kept if the target
 * allows it.
 */
function ownedBefore({ target, key }: Context): Change[] {
  if (refuses(target, key)) return [{ kind: "without", keys: [key] }];
  return target.additional.length > 0 ? [{ kind: "fitting", key, to: target.additional }] : [];
}

/** Merges all removals into one change and puts it first. */
function joined(changes: readonly Change[]): Change[] {
  const keys = changes.flatMap((change) => (change.kind === "without" ? change.keys : []));
  const rest = changes.filter(({ kind }) => kind !== "without");
  return keys.length > 0 ? [{ kind: "without", keys }, ...rest] : rest;
}

interface Context {
  readonly planner: Planner;
  readonly source: ShapeArm;
  readonly target: ShapeArm;
  readonly key: string;
}

/** A member that both revisions describe under the same name. */
function declared(context: Context, from: Property, to: Property): Change[] {
  return [...absent(context, from, to), ...converted(context, from, to)];
}

/** A member that both revisions describe under different names; `key` is the target's name. */
function renamed(context: Context, formerly: string): Change[] {
  const { source, target, key } = context;
  const [from, to] = [source.properties.get(formerly)!, target.properties.get(key)!];
  return [
    // A value already present under the target's name was undeclared in the source.
    ...undeclaredBefore(context, { ...to, required: false }),
    ...converted({ ...context, key: formerly }, from, to),
    { kind: "renamed", from: formerly, to: key },
    ...absent(context, from, to),
  ];
}

function absent({ planner, target, key }: Context, from: Property, to: Property): Change[] {
  return to.required && !from.required ? [absence(planner, target, key, [...from.nodes, ...to.nodes])] : [];
}

/** The change for the member's value, under its source name. */
function converted({ planner, source, target, key }: Context, from: Property, to: Property): Change[] {
  const pointers = from.nodes.map((node) => node.pointer);
  const note = planner.decisions.noteAt(pointers);
  if (note?.how === "text" && note.into !== undefined) {
    const text = written({ planner, source, target, key }, pointers, to.nodes);
    if (text) return [text];
  }
  if ((note?.how === "drop" && !to.required) || note?.how === "fill")
    return [whole({ planner, source, target, key }, pointers, to.nodes)];
  const plan = planner.plan(from.nodes, to.nodes);
  if (to.required) planner.keepWhole(plan);
  return [{ kind: "member", key, plan }];
}

/** A value that is converted as a whole: if it does not fit, it is dropped or replaced. */
function whole({ planner, source, key }: Context, pointers: readonly string[], to: Conjunction): Change {
  const outcome = planner.decisions.outcome({ pointers, what: key }, undefined);
  const exits = [{ test: always, unless: to, outcome }];
  return { kind: "member", key, plan: { hint: `${source.name ?? ""} ${key}`, exits, arms: [] } };
}

/** The change for a missing required member: fill it, or refuse the message. */
export function absence(planner: Planner, target: ShapeArm, key: string, nodes: Conjunction): Change {
  const constant = planner.target.constantOf(target.properties.get(key)!.nodes);
  if (constant !== undefined) return { kind: "filled", key, value: constant };
  const pointers = [...nodes.map((node) => node.pointer), pointer(`${target.pointer}/properties`, key)];
  const outcome = planner.decisions.absence({ pointers, what: key });
  return "value" in outcome
    ? { kind: "filled", key, value: outcome.value }
    : { kind: "required", key, outcome };
}

/** A member that only the target describes. A value already present was undeclared in the source. */
function undeclaredBefore(context: Context, to: Property): Change[] {
  const { planner, source, target, key } = context;
  const missing = to.required ? [absence(planner, target, key, to.nodes)] : [];
  if (source.closed || planner.target.of(to.nodes).any) return missing;
  const pointers = to.nodes.map((node) => node.pointer);
  const [only] = missing;
  if (only?.kind === "filled") return [whole(context, pointers, to.nodes), only];
  const undeclared = only?.kind === "required" ? only.outcome : ({ how: "drop", what: key } as const);
  const isDropped = !only && source.additional.length === 0 && !planner.decisions.speaksInside(pointers);
  if (isDropped) return [{ kind: "fitting", key, to: to.nodes }];
  const from = source.additional.length > 0 ? source.additional : [anything("")];
  const plan = planner.plan(from, to.nodes, { pointers: [], undeclared });
  return [{ kind: "member", key, plan }, ...missing];
}

/**
 * A member that only the source describes. It is dropped on the way to an older revision. On the way to a
 * newer one it stays if the target allows additional members. Notes override both.
 */
function undeclaredAfter({ planner, source, target, key }: Context, from: Property): Change[] {
  const pointers = from.nodes.map((node) => node.pointer);
  const note = planner.decisions.noteAt(pointers);
  const text =
    note?.into === undefined ? undefined : written({ planner, source, target, key }, pointers, undefined);
  if (text?.kind === "asText") return [text];
  const also = text ? [text] : [];
  if (note?.how === "keep" && !refuses(target, key)) planner.decisions.use(pointers);
  else if (!note && planner.isLowering) return [{ kind: "without", keys: [key] }];
  else if (note || refuses(target, key)) {
    const outcome = note
      ? planner.decisions.outcome({ pointers, what: key }, undefined)
      : ({ how: "drop", what: key } as const);
    const plan: Plan = { hint: `${source.name ?? ""} ${key}`, exits: [{ test: always, outcome }], arms: [] };
    return [{ kind: "member", key, plan }];
  }
  if (target.additional.length === 0) return also;
  return [...also, { kind: "member", key, plan: planner.plan(from.nodes, target.additional) }];
}

/** Writes a member's JSON into a list of the same object, if items of that list can hold text. */
function written(
  { planner, target, key }: Context,
  pointers: readonly string[],
  to: Conjunction | undefined,
): Change | undefined {
  const { into, how } = planner.decisions.noteAt(pointers)!;
  const list = target.properties.get(into!);
  const [array] = list ? planner.target.of(list.nodes).members.filter(({ type }) => type === "array") : [];
  const block = array && textBlockOf(planner.target, planner.target.of(array.items));
  if (!block) return undefined;
  planner.decisions.use(pointers);
  if (how === "keep") return { kind: "alsoText", key, into: into!, block };
  return { kind: "asText", key, unless: to, into: into!, block };
}

/** Members that neither revision names. */
function otherMembers(
  planner: Planner,
  source: ShapeArm,
  target: ShapeArm,
  names: readonly string[],
): Change[] {
  const known = [...new Set(names)];
  if (source.closed) return [];
  if (target.closed) {
    const exits = [{ test: always, outcome: { how: "drop", what: "undeclared member" } as const }];
    return [{ kind: "others", known, plan: { hint: `${source.name ?? ""} others`, exits, arms: [] } }];
  }
  if (target.additional.length === 0) return [];
  if (source.additional.length === 0) {
    const undeclared = { how: "drop", what: "undeclared member" } as const;
    const plan = planner.plan([anything("")], target.additional, { pointers: [], undeclared });
    return [{ kind: "others", known, plan }];
  }
  return [{ kind: "others", known, plan: planner.plan(source.additional, target.additional) }];
}

/**
 * The conversion of an object with one list of objects, which the older revision splits into several lists.
 */
interface ListArm extends Arm {
  /** The object in the source revision. */
  readonly source: ShapeArm;
}

/** The list conversions that notes with the outcome `lists` request for a place. */
export function listArms(planner: Planner, source: Form, target: Form): ListArm[] {
  const [newer, older] = planner.isLowering ? [source, target] : [target, source];
  return newer.members.flatMap((arm) =>
    [...arm.properties].flatMap(([key, { nodes }]) => {
      const pointers = nodes.map((node) => node.pointer);
      const note = planner.decisions.noteAt(pointers);
      if (note?.how !== "lists") return [];
      const members: Lists = Object.entries(note.members!);
      const other = older.members.find(({ properties }) => members.every(([, list]) => properties.has(list)));
      if (!other) return [];
      planner.decisions.use(pointers);
      const [source, target] = planner.isLowering ? [arm, other] : [other, arm];
      const names = members.map(([, list]) => list);
      const test = mayBe(planner.source, source);
      return [
        {
          source,
          test: planner.isLowering ? test : { ...test, present: [...new Set([...test.present, ...names])] },
          changes: [
            ...objectChanges(planner, source, target, [key, ...names]),
            { kind: planner.isLowering ? "split" : "joined", key, members },
          ],
        },
      ];
    }),
  );
}
