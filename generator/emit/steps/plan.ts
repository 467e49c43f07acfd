import type { JsonValue } from "@mcpgen/engine";
import type { Conjunction } from "../../compare/shape/form.js";
import type { StepCase } from "../../notes/note.js";
import { type Made, plansIn } from "./made.js";

/** The outcome for a value that has no form at the other revision. */
export type Outcome =
  | { readonly how: "drop"; readonly what: string; readonly pointers?: readonly string[] }
  | {
      readonly how: "text";
      readonly what: string;
      readonly block: TextBlock;
      readonly text: string;
      /** Members in the text that may be objects or arrays: they are written as JSON. */
      readonly json: readonly string[];
    }
  | {
      readonly how: "fill";
      readonly what: string;
      readonly value: JsonValue;
      readonly cases: readonly StepCase[];
    }
  | { readonly how: "refuse"; readonly code: string; readonly reason: string }
  /** The other revision has another form of the value: `step` of the exit converts it. */
  | { readonly how: "pass" };

/** An object around a text: its constant members, and the name of the member with the text. */
export interface TextBlock {
  readonly constants: readonly (readonly [key: string, value: string])[];
  readonly key: string;
}

/** A cheap test of what a value may be. A test without conditions is always true. */
export interface Test {
  readonly type?: "array" | "object" | "scalar";
  /** Members that must be one of these strings. */
  readonly constants: readonly (readonly [key: string, values: readonly string[]])[];
  /** Members that must be there. */
  readonly present: readonly string[];
  /** Members that must not be one of these strings. */
  readonly excluded?: readonly (readonly [key: string, values: readonly string[]])[];
  /** Members that must not be there. */
  readonly absent?: readonly string[];
}

/** Values that the other revision does not allow unchanged. */
export interface Exit {
  readonly test: Test;
  /** Excepts the values that this describes: they are valid at the other revision. */
  readonly unless?: Conjunction;
  readonly outcome: Outcome;
  /** For an array with one item: the plan for the item, which replaces the array. */
  readonly single?: Plan;
  /** For the outcome `pass`: the step for the value. */
  readonly step?: Plan;
  /** The value is no final result: the request is not done, and a refusal loses nothing. */
  readonly pending?: true;
}

/** Members of the items of a list, and the names of the lists that hold them at the older revision. */
export type Lists = readonly (readonly [member: string, list: string])[];

/** One thing to do to an object or an array. */
export type Change =
  | { readonly kind: "member"; readonly key: string; readonly plan: Plan }
  /** A member that the other revision describes under another name. A member that already has this name is left out. */
  | { readonly kind: "renamed"; readonly from: string; readonly to: string }
  /** Members that are inside the member `key` at the other revision: all but those in `outside`. */
  | { readonly kind: "wrapped"; readonly key: string; readonly outside: readonly string[] }
  /** The same, on the way back. */
  | { readonly kind: "unwrapped"; readonly key: string; readonly outside: readonly string[] }
  /** A member that only the other revision describes: left out if its value does not fit that description. */
  | { readonly kind: "fitting"; readonly key: string; readonly to: Conjunction }
  /** Members that only the newer revision describes: left out. */
  | { readonly kind: "without"; readonly keys: readonly string[] }
  /** A list of objects that is a list for each member at the older revision: split into those, or joined beside them. */
  | { readonly kind: "joined" | "split"; readonly key: string; readonly members: Lists }
  /** If the list `into` is empty, the JSON of the member becomes its only item. */
  | { readonly kind: "alsoText"; readonly key: string; readonly into: string; readonly block: TextBlock }
  /** The same, and the member is left out. */
  | {
      readonly kind: "asText";
      readonly key: string;
      readonly unless: Conjunction | undefined;
      readonly into: string;
      readonly block: TextBlock;
    }
  /** Members that expressions make of the object as it came; `keys`, which they have read or replace, are left out. */
  | {
      readonly kind: "reshaped";
      readonly keys: readonly string[];
      readonly members: readonly (readonly [key: string, value: Made])[];
      /** For an object that is made without a member that it must have. */
      readonly code: string;
      readonly why: string;
    }
  | { readonly kind: "required"; readonly key: string; readonly outcome: Outcome & { how: "refuse" } }
  | { readonly kind: "filled"; readonly key: string; readonly value: JsonValue }
  | { readonly kind: "items"; readonly plan: Plan }
  /** Items beyond so many are left out. */
  | { readonly kind: "limited"; readonly most: number }
  /** All members but those known by name. */
  | { readonly kind: "others"; readonly known: readonly string[]; readonly plan: Plan };

/** The changes to values of one arm of a union. A schema without a union has one arm. */
export interface Arm {
  readonly test: Test;
  readonly changes: readonly Change[];
}

/** How to convert values of one place to the other revision. Its arrays are filled in later, because places may be recursive. */
export interface Plan {
  /** A part of the name of the generated function. */
  readonly hint: string;
  readonly exits: Exit[];
  readonly arms: Arm[];
}

/** How values get anywhere that changes nothing. */
export const unchanged: Plan = { hint: "", exits: [], arms: [] };

/** The plans that a plan refers to. */
export function plansOf(plan: Plan): Plan[] {
  const inside = plan.arms.flatMap(({ changes }) =>
    changes.flatMap((change) => {
      if (change.kind === "reshaped") return change.members.flatMap(([, value]) => plansIn(value));
      return "plan" in change ? [change.plan] : [];
    }),
  );
  return [...inside, ...plan.exits.flatMap(({ single, step }) => single ?? step ?? [])];
}

/** The plans that these lead to, and they themselves. */
export function plansFrom(roots: Iterable<Plan>): Set<Plan> {
  const all = new Set(roots);
  // A Set's iteration includes what is added meanwhile.
  for (const plan of all) for (const inside of plansOf(plan)) all.add(inside);
  return all;
}

/** Whether a value of the place may be refused, be it for a part of it; what is pending aside. */
export function mayRefuse(root: Plan): boolean {
  return [...plansFrom([root])].some(({ exits, arms }) => {
    const changes = arms.flatMap((arm) => arm.changes);
    return (
      exits.some(({ outcome, pending }) => outcome.how === "refuse" && !pending) ||
      // A member that must be there has the code of the refusal where it is missing.
      changes.some((change) => change.kind === "required" || "code" in change)
    );
  });
}

/** Whether every object is refused, whatever its members. */
export function refusesAll({ exits }: Plan): boolean {
  const isAny = ({ test: { type = "object", constants, present }, unless }: Exit): boolean =>
    type === "object" && constants.length === 0 && present.length === 0 && !unless;
  return exits.every(({ outcome }) => outcome.how === "refuse") && exits.some(isAny);
}

/** JSON Pointers of each value of the place that is left out, as the notes that decide it know it. */
export function droppedAt({ exits }: Plan): (readonly string[])[] {
  return exits.flatMap(({ outcome }) =>
    outcome.how === "drop" && outcome.pointers ? [outcome.pointers] : [],
  );
}

/** The plans reachable from `roots` by which anything changes at all. */
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

/** Whether members of the arms change their names or places: which changes apply depends on the value as it came. */
export function hasMoves(arms: readonly Arm[]): boolean {
  return arms.some(({ changes }) => changes.some(({ kind }) => isMade(kind) || isWrap(kind)));
}

/** Members get their names. */
function isMade(kind: Change["kind"]): boolean {
  return kind === "renamed" || kind === "reshaped";
}

function isWrap(kind: Change["kind"]): boolean {
  return kind === "wrapped" || kind === "unwrapped";
}

/**
 * The steps in their order: members are renamed or made after those of all arms are converted, and have their new names
 * after that. They move into a member, or out of it, last.
 */
export function turnsOf(arms: readonly Arm[]): (readonly Arm[])[] {
  if (!hasMoves(arms)) return [arms];
  return [0, 1, 2, 3].map((turn) =>
    arms.map(({ test, changes }) => {
      const names = new Set(changes.flatMap(namesMade));
      return { test, changes: changes.filter((change) => turnOf(change, names) === turn) };
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
