import type { JsonValue } from "@mcpgen/engine";
import type { Conjunction } from "../../../compare/shape/form.js";
import type { StepCase } from "../../../notes/note.js";
import { type Made, plansIn } from "./made.js";

/** The outcome for a value that the other revision cannot express. */
export type Outcome =
  | { readonly how: "drop"; readonly what: string; readonly pointers?: readonly string[] }
  | {
      readonly how: "text";
      readonly what: string;
      readonly block: TextBlock;
      readonly text: string;
      /** Members mentioned in the text that may be objects or arrays, and are written as JSON. */
      readonly json: readonly string[];
    }
  | {
      readonly how: "fill";
      readonly what: string;
      readonly value: JsonValue;
      readonly cases: readonly StepCase[];
    }
  | { readonly how: "refuse"; readonly code: string; readonly reason: string }
  /** The value has another form in the other revision, and `step` of the exit converts it. */
  | { readonly how: "pass" };

/** The form of an object that holds a text: its constant members, and the member with the text. */
export interface TextBlock {
  readonly constants: readonly (readonly [key: string, value: string])[];
  readonly key: string;
}

/** A cheap test of what a value can be. A test without conditions always passes. */
export interface Test {
  readonly type?: "array" | "object" | "scalar";
  /** Members that must equal one of these strings. */
  readonly constants: readonly (readonly [key: string, values: readonly string[]])[];
  /** Members that must be present. */
  readonly present: readonly string[];
  /** Members that must not equal any of these strings. */
  readonly excluded?: readonly (readonly [key: string, values: readonly string[]])[];
  /** Members that must be absent. */
  readonly absent?: readonly string[];
}

/** Values that are not valid unchanged in the other revision. */
export interface Exit {
  readonly test: Test;
  /** Exempts values that match this schema: they are valid in the other revision. */
  readonly unless?: Conjunction;
  readonly outcome: Outcome;
  /** For an array with one item: the plan for that item, which replaces the array. */
  readonly single?: Plan;
  /** For the outcome `pass`: the plan for the value. */
  readonly step?: Plan;
  /** Set if the value is not a final result: the request is still open, so a refusal loses nothing. */
  readonly pending?: true;
}

/** Members of the items of a list, each with the name of the list that holds it in the older revision. */
export type Lists = readonly (readonly [member: string, list: string])[];

/** One change to an object or an array. */
export type Change =
  | { readonly kind: "member"; readonly key: string; readonly plan: Plan }
  /** A member with another name in the other revision. A value already present under that name is dropped. */
  | { readonly kind: "renamed"; readonly from: string; readonly to: string }
  /** Members that lie inside the member `key` in the other revision: all but those in `outside`. */
  | { readonly kind: "wrapped"; readonly key: string; readonly outside: readonly string[] }
  /** The opposite direction of `wrapped`. */
  | { readonly kind: "unwrapped"; readonly key: string; readonly outside: readonly string[] }
  /**
   * A member that only the other revision describes. It is dropped if its value does not match that schema.
   */
  | { readonly kind: "fitting"; readonly key: string; readonly to: Conjunction }
  /** Members that only the newer revision describes; they are dropped. */
  | { readonly kind: "without"; readonly keys: readonly string[] }
  /**
   * A list of objects that is one list per member in the older revision: split into those, or joined from
   * them.
   */
  | { readonly kind: "joined" | "split"; readonly key: string; readonly members: Lists }
  /** If the list `into` is empty, the member's JSON becomes its only item. */
  | { readonly kind: "alsoText"; readonly key: string; readonly into: string; readonly block: TextBlock }
  /** Like `alsoText`, but the member is dropped. */
  | {
      readonly kind: "asText";
      readonly key: string;
      readonly unless: Conjunction | undefined;
      readonly into: string;
      readonly block: TextBlock;
    }
  /**
   * Members that expressions make from the unconverted object. Members in `keys`, which were read or
   * replaced, are dropped.
   */
  | {
      readonly kind: "reshaped";
      readonly keys: readonly string[];
      readonly members: readonly (readonly [key: string, value: Made])[];
      /** Code of the refusal if a required member was not made. */
      readonly code: string;
      readonly why: string;
    }
  | { readonly kind: "required"; readonly key: string; readonly outcome: Outcome & { how: "refuse" } }
  | { readonly kind: "filled"; readonly key: string; readonly value: JsonValue }
  | { readonly kind: "items"; readonly plan: Plan }
  /** Items beyond `most` are dropped. */
  | { readonly kind: "limited"; readonly most: number }
  /** All members except those in `known`. */
  | { readonly kind: "others"; readonly known: readonly string[]; readonly plan: Plan };

/** The changes to values of one arm of a union. A schema without a union counts as one arm. */
export interface Arm {
  readonly test: Test;
  /** Exempts values that match this schema: they are valid in the other revision. */
  readonly unless?: Conjunction;
  readonly changes: readonly Change[];
}

/**
 * How to convert the values of one place to the other revision. The arrays are filled after creation, because
 * places may be recursive.
 */
export interface Plan {
  /** Part of the generated function's name. */
  readonly hint: string;
  readonly exits: Exit[];
  readonly arms: Arm[];
}

/** The plan that changes nothing. */
export const unchanged: Plan = { hint: "", exits: [], arms: [] };

/** The plans that a plan refers to directly. */
export function plansOf(plan: Plan): Plan[] {
  const inside = plan.arms.flatMap(({ changes }) =>
    changes.flatMap((change) => {
      if (change.kind === "reshaped") return change.members.flatMap(([, value]) => plansIn(value));
      return "plan" in change ? [change.plan] : [];
    }),
  );
  return [...inside, ...plan.exits.flatMap(({ single, step }) => single ?? step ?? [])];
}

/** The given plans, and all plans that they refer to. */
export function plansFrom(roots: Iterable<Plan>): Set<Plan> {
  const all = new Set(roots);
  // Iterating over a Set includes elements added during the loop.
  for (const plan of all) for (const inside of plansOf(plan)) all.add(inside);
  return all;
}

/** Whether a value of the place may be refused, also because of a part. Ignores pending results. */
export function mayRefuse(root: Plan): boolean {
  return [...plansFrom([root])].some(({ exits, arms }) => {
    const changes = arms.flatMap((arm) => arm.changes);
    return (
      exits.some(({ outcome, pending }) => outcome.how === "refuse" && !pending) ||
      // A change for a required member has the code of the refusal if it is missing.
      changes.some((change) => change.kind === "required" || "code" in change)
    );
  });
}

/** Whether the changes of an arm convert nothing, and refuse some values. */
export function onlyRefuses({ test, changes }: Arm): boolean {
  const all = [...plansFrom([{ hint: "", exits: [], arms: [{ test, changes }] }])];
  return (
    all.every(({ arms }) => arms.every((arm) => arm.changes.every((change) => "plan" in change))) &&
    all.every(({ exits }) => exits.every(({ outcome, pending }) => outcome.how === "refuse" && !pending)) &&
    all.some(({ exits }) => exits.length > 0)
  );
}

/** Whether every object is refused, whatever its members. */
export function refusesAll({ exits }: Plan): boolean {
  const isAny = ({ test: { type = "object", constants, present }, unless }: Exit): boolean =>
    type === "object" && constants.length === 0 && present.length === 0 && !unless;
  return exits.every(({ outcome }) => outcome.how === "refuse") && exits.some(isAny);
}

/** For each value that the plan drops: the JSON Pointers that notes use for it. */
export function droppedAt({ exits }: Plan): (readonly string[])[] {
  return exits.flatMap(({ outcome }) =>
    outcome.how === "drop" && outcome.pointers ? [outcome.pointers] : [],
  );
}

/** The plans reachable from `roots` that change anything. */
export function activePlans(roots: Iterable<Plan>): Set<Plan> {
  const all = plansFrom(roots);
  const holders = new Map<Plan, Plan[]>();
  for (const plan of all)
    for (const inside of plansOf(plan)) holders.set(inside, [...(holders.get(inside) ?? []), plan]);
  const active = new Set([...all].filter(changesItself));
  for (const plan of active) for (const holder of holders.get(plan) ?? []) active.add(holder);
  return active;
}

function changesItself({ exits, arms }: Plan): boolean {
  const leaves = exits.some(({ outcome }) => outcome.how !== "pass");
  return leaves || arms.some(({ changes }) => changes.some((change) => !("plan" in change)));
}

/** Whether members of the arms are renamed or moved. The tests then need the unconverted value. */
export function hasMoves(arms: readonly Arm[]): boolean {
  return arms.some(({ changes }) => changes.some(({ kind }) => isMade(kind) || isWrap(kind)));
}

/** Whether a change renames or makes members. */
function isMade(kind: Change["kind"]): boolean {
  return kind === "renamed" || kind === "reshaped";
}

function isWrap(kind: Change["kind"]): boolean {
  return kind === "wrapped" || kind === "unwrapped";
}

/**
 * Groups the changes in order: first conversions of members in all arms, then renamed or made members and
 * changes under the new names, then moves into or out of a member.
 */
export function turnsOf(arms: readonly Arm[]): (readonly Arm[])[] {
  if (!hasMoves(arms)) return [arms];
  return [0, 1, 2, 3].map((turn) =>
    arms.map(({ changes, ...arm }) => {
      const names = new Set(changes.flatMap(namesMade));
      return { ...arm, changes: changes.filter((change) => turnOf(change, names) === turn) };
    }),
  );
}

function namesMade(change: Change): readonly string[] {
  if (change.kind === "reshaped") return change.members.map(([key]) => key);
  return change.kind === "renamed" ? [change.to] : [];
}

function turnOf(change: Change, names: ReadonlySet<string>): number {
  if (isMade(change.kind)) return 1;
  if (isWrap(change.kind)) return 3;
  return (change.kind === "required" || change.kind === "filled") && names.has(change.key) ? 2 : 0;
}
