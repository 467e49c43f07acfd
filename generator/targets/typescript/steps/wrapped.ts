import { pointer } from "@mcpgen/engine";
import type { FormReader } from "../../../compare/shape/form-reader.js";
import type { Property, ShapeArm } from "../../../compare/shape/form.js";
import type { WrappedNote } from "../../../notes/note.js";
import { objectChanges } from "./members.js";
import type { Change, Plan } from "./plan.js";
import type { Planner } from "./planner.js";
import { always } from "./tests.js";

/** The member of the older object that contains the members of the newer one. */
interface Wrapper {
  /** Name of the member. */
  readonly key: string;
  /** The object that is the member's value. */
  readonly inner: ShapeArm;
}

/** The objects whose members, as notes say, lie inside a wrapping member in the preceding revision. */
export class Wraps {
  readonly #notes: ReadonlyMap<string, WrappedNote>;
  readonly #used = new Set<string>();

  constructor(notes: readonly WrappedNote[]) {
    this.#notes = new Map(notes.flatMap((note) => note.targets.map((target) => [target, note] as const)));
  }

  /** The wrapping member that a note on the newer object names, if the conversion loses nothing. */
  of(older: ShapeArm, newer: ShapeArm, reader: FormReader): Wrapper | undefined {
    const target = this.#targetOf(newer);
    const key = this.#notes.get(target)?.in;
    const holder = key === undefined ? undefined : older.properties.get(key);
    if (key === undefined || !holder?.required || newer.properties.has(key)) return undefined;
    const { members, scalars } = reader.of(holder.nodes);
    const [inner] = members;
    if (inner?.type !== "object" || members.length > 1 || scalars.size > 0) return undefined;
    if ([...inner.properties.keys()].some((name) => name !== key && older.properties.has(name)))
      return undefined;
    this.#used.add(target);
    return { key, inner };
  }

  /** The note's target that is a definition of the object. */
  #targetOf({ name, nodes }: ShapeArm): string {
    const named = name === undefined ? [] : [pointer("/$defs", name)];
    const pointers = [...named, ...nodes.map((node) => node.pointer)];
    return pointers.find((each) => this.#notes.has(each)) ?? "";
  }

  /** Targets of notes that wrap nothing. */
  get idle(): { readonly note: WrappedNote; readonly target: string }[] {
    return [...this.#notes].flatMap(([target, note]) => (this.#used.has(target) ? [] : [{ note, target }]));
  }
}

/**
 * The changes to an object whose members are wrapped in the older revision; `undefined` for any other object.
 */
export function wrappedChanges(planner: Planner, source: ShapeArm, target: ShapeArm): Change[] | undefined {
  const [older, newer] = planner.isLowering ? [target, source] : [source, target];
  const reader = planner.isLowering ? planner.target : planner.source;
  const wrapper = planner.wraps.of(older, newer, reader);
  if (!wrapper) return undefined;
  const owned = planner.ownedBy(source, target);
  const names = [...older.properties.keys(), ...owned.source.keys(), ...owned.target.keys()];
  const outside = [...new Set(names)].filter((name) => name !== wrapper.key);
  const place = { planner, source, target, outside, ...wrapper };
  return planner.isLowering ? wrapping(place) : unwrapping(place);
}

/** An object whose members are wrapped in one of the revisions. */
interface WrappedPlace extends Wrapper {
  readonly planner: Planner;
  readonly source: ShapeArm;
  readonly target: ShapeArm;
  /** The members beside the wrapping member. */
  readonly outside: readonly string[];
}

/** Converts members in place and moves them afterwards, so that reports name their places in the message. */
function wrapping({ planner, source, target, key, inner, outside }: WrappedPlace): Change[] {
  const beside = membersWhere(target, (name) => name !== key);
  const { closed, additional, forbidden } = inner;
  const flat = {
    ...target,
    ...{ closed, additional, forbidden },
    properties: new Map([...beside, ...inner.properties]),
  };
  return [...objectChanges(planner, source, flat), { kind: "wrapped", key, outside }];
}

function unwrapping({ planner, source, target, key, inner, outside }: WrappedPlace): Change[] {
  const part = (isOutside: boolean): ShapeArm => ({
    ...target,
    properties: membersWhere(target, (name) => outside.includes(name) === isOutside),
  });
  const moved = part(false);
  const names = [...moved.properties.keys()];
  const around = { ...source, properties: membersWhere(source, (name) => name !== key) };
  const changes = objectChanges(planner, inner, moved);
  const plan: Plan = { hint: `${target.name ?? ""} ${key}`, exits: [], arms: [{ test: always, changes }] };
  return [
    // A member outside that has the name of one inside was undeclared there.
    ...(source.closed || names.length === 0 ? [] : [{ kind: "without", keys: names } as const]),
    ...objectChanges(planner, around, part(true), [key, ...names]),
    { kind: "member", key, plan },
    { kind: "unwrapped", key, outside },
  ];
}

function membersWhere(
  { properties }: ShapeArm,
  test: (name: string) => boolean,
): ReadonlyMap<string, Property> {
  return new Map([...properties].filter(([name]) => test(name)));
}
