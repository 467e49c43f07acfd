import { pointer, pointerTokens } from "@mcpgen/engine";
import { invariant } from "../../../diagnostics/coded-error.js";
import { type Expression, readMembers } from "../../../notes/expression.js";
import type { ReshapedNote } from "../../../notes/note.js";
import type { Conjunction, Form, Property, ShapeArm } from "../../../compare/shape/form.js";
import type { Change, Plan } from "./plan.js";
import { nameAdvice } from "../../../diagnostics/suggest.js";
import { ExpressionFault, ExpressionPlanner } from "./expressions.js";
import { type Made, isCertain } from "./made.js";
import { absence, objectChanges } from "./members.js";
import type { Parts } from "./parts.js";
import type { Planner } from "./planner.js";

/** A direction between two revisions. */
export type Direction = "lift" | "lower";

/** How a note makes an object's members in one direction. */
export interface Reshape {
  readonly note: ReshapedNote;
  readonly target: string;
  readonly members: readonly (readonly [key: string, expression: Expression])[];
}

/** An expression whose value does not fit its place. */
interface ReshapeProblem {
  readonly note: ReshapedNote;
  /** JSON Pointer of the expression in the notes file. */
  readonly pointer: string;
  readonly message: string;
  readonly next?: string | undefined;
}

/** A place whose objects get members from a note. */
export interface ReshapedPlace {
  readonly reshape: Reshape;
  readonly direction: Direction;
  readonly source: Conjunction;
  readonly target: Conjunction;
  /** The complete schemas of the place in both revisions; an object may be only one arm. */
  readonly pair: readonly [source: Conjunction, target: Conjunction];
  /** The plan of the place, which includes `change`. */
  readonly plan: Plan;
  readonly change: Change;
  /** The paths into the request's params that expressions read, each with the expression's place. */
  readonly requested: readonly { readonly keys: readonly string[]; readonly pointer: string }[];
}

/** The members that expressions in notes make. */
export class Reshapes {
  readonly problems: ReshapeProblem[] = [];
  /** The places found while planning both directions. */
  readonly places: ReshapedPlace[] = [];
  /** Names of the definitions that notes concern, or that contain such a place. */
  readonly definitions: ReadonlySet<string>;
  readonly #byTarget = new Map<string, Reshape>();
  readonly #targets = new Map<string, ReshapedNote>();
  readonly #used = new Set<string>();

  constructor(notes: readonly ReshapedNote[]) {
    for (const note of notes) {
      for (const direction of ["lift", "lower"] as const) {
        const made = note[direction];
        if (!made) continue;
        const members = readMembers(made, pointer(note.pointer, direction), unread);
        for (const target of note.targets)
          this.#byTarget.set(`${direction} ${target}`, { note, target, members });
      }
      for (const target of note.targets) this.#targets.set(`${note.pointer} ${target}`, note);
    }
    const targets = notes.flatMap((note) => note.targets);
    this.definitions = new Set(targets.flatMap((target) => pointerTokens(target)[1] ?? []));
  }

  /** The reshape that a note defines for one of the places in this direction. */
  of(pointers: readonly string[], direction: Direction): Reshape | undefined {
    if (this.#byTarget.size === 0) return undefined;
    return pointers
      .map((each) => this.#byTarget.get(`${direction} ${each}`))
      .find((reshape) => reshape !== undefined);
  }

  /** Records a place where a note was applied. */
  add(place: ReshapedPlace): void {
    this.use(place.reshape);
    this.places.push(place);
  }

  use({ note, target }: Reshape): void {
    this.#used.add(`${note.pointer} ${target}`);
  }

  /** Targets of notes for which both revisions have no object. */
  get idle(): { readonly note: ReshapedNote; readonly target: string }[] {
    return [...this.#targets].flatMap(([key, note]) =>
      this.#used.has(key) ? [] : [{ note, target: key.slice(note.pointer.length + 1) }],
    );
  }
}

/** Throws for an expression that cannot be read; parsing the notes has already rejected those. */
function unread(at: string, message: string): never {
  invariant(false, `${at}: ${message}`);
}

/** All objects that a place allows, merged into one; `undefined` if it allows none. */
export function mergedArm(parts: Parts, { members }: Form): ShapeArm | undefined {
  const arms = members.filter(({ type }) => type === "object");
  const [first] = arms;
  if (!first || arms.length === 1) return first;
  const names = [...new Set(arms.flatMap(({ properties }) => [...properties.keys()]))];
  const property = (name: string): Property => {
    const found = arms.flatMap(({ properties }) => properties.get(name) ?? []);
    const required = found.length === arms.length && found.every((each) => each.required);
    return { nodes: parts.anyOf(found.map(({ nodes }) => nodes)), required };
  };
  const additional = arms.map((arm) => arm.additional);
  return {
    ...first,
    name: undefined,
    nodes: arms.flatMap(({ nodes }) => nodes),
    bounds: new Map(),
    properties: new Map(names.map((name) => [name, property(name)])),
    forbidden: new Set([...first.forbidden].filter((name) => arms.every((arm) => arm.forbidden.has(name)))),
    closed: arms.every(({ closed }) => closed),
    additional: additional.some((nodes) => nodes.length === 0) ? [] : parts.anyOf(additional),
  };
}

/** The changes to an object, and the paths into the request's params that its expressions read. */
type Reshaped = Pick<ReshapedPlace, "change" | "requested"> & { readonly changes: Change[] };

/**
 * Plans the changes to an object whose members expressions make. Returns `undefined` and records a problem of
 * the note if an expression cannot be planned.
 */
export function reshapedChanges(
  planner: Planner,
  [source, target]: readonly [source: ShapeArm, target: ShapeArm],
  reshape: Reshape,
  object: Conjunction,
): Reshaped | undefined {
  const { reshapes, parts, decisions } = planner;
  const expressions = new ExpressionPlanner(planner, parts.source, parts.target, object);
  const members: (readonly [string, Made])[] = [];
  try {
    for (const [key, expression] of reshape.members) {
      const property = target.properties.get(key);
      if (!property) throw unknownMember(target, key, expression.pointer);
      members.push([key, expressions.made(expression, property.nodes)]);
    }
  } catch (error) {
    if (!(error instanceof ExpressionFault)) throw error;
    const { message, next } = error;
    reshapes.use(reshape);
    reshapes.problems.push({ note: reshape.note, pointer: error.pointer, message, next });
    return undefined;
  }
  const made = members.map(([key]) => key);
  const kept = new Set(planner.renamed(source, target).map(({ from }) => from));
  const read = expressions.read.flatMap(([key]) =>
    key === undefined ? [...source.properties.keys()] : [key],
  );
  const gone = read.filter((key) => !target.properties.has(key) && !kept.has(key));
  const keys = [...new Set([...gone, ...made])];
  const { code, reason } = decisions.unmade("");
  const missing = members.flatMap(([key, value]) =>
    target.properties.get(key)!.required && !isCertain(value) ? [unmade(planner, target, key)] : [],
  );
  const others = objectChanges(planner, withoutMembers(source, keys), withoutMembers(target, made), keys);
  const change: Change = { kind: "reshaped", keys, members, code, why: reason.trim() };
  return { changes: [...others, change, ...missing], change, requested: expressions.requested };
}

/**
 * The change for a required member that expressions may fail to make: fill it as a note says, or refuse the
 * message.
 */
function unmade(planner: Planner, target: ShapeArm, key: string): Change {
  const { nodes } = target.properties.get(key)!;
  const pointers = [...nodes.map((node) => node.pointer), pointer(`${target.pointer}/properties`, key)];
  return planner.decisions.noteAt(pointers)
    ? absence(planner, target, key, nodes)
    : { kind: "required", key, outcome: planner.decisions.unmade(key) };
}

function unknownMember(target: ShapeArm, key: string, at: string): ExpressionFault {
  const names = [...target.properties.keys()];
  return new ExpressionFault(
    at,
    `the object to make has no member ${JSON.stringify(key)}`,
    nameAdvice(key, names, `It has ${names.join(", ")}.`, JSON.stringify),
  );
}

function withoutMembers(arm: ShapeArm, names: readonly string[]): ShapeArm {
  return { ...arm, properties: new Map([...arm.properties].filter(([name]) => !names.includes(name))) };
}
