import type { JsonValue } from "@mcpgen/engine";
import type { Conjunction } from "../../compare/shape/form.js";
import type { StepCase } from "../../notes/note.js";

/** The outcome for a value that has no form at the other revision. */
export type Outcome =
  | { readonly how: "drop"; readonly what: string; readonly pointers?: readonly string[] }
  | { readonly how: "text"; readonly what: string; readonly block: TextBlock; readonly text: string }
  | {
      readonly how: "fill";
      readonly what: string;
      readonly value: JsonValue;
      readonly cases: readonly StepCase[];
    }
  | { readonly how: "refuse"; readonly code: string; readonly reason: string }
  /** It has its own form there: the exit's `step` leads to it. */
  | { readonly how: "pass" };

/** An object that holds a text: its constants, and the member the text stands in. */
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
}

/** Values that do not get to the other revision as they are. */
export interface Exit {
  readonly test: Test;
  /** Not those that this describes: they are valid there. */
  readonly unless?: Conjunction;
  readonly outcome: Outcome;
  /** An array of one, which its item may stand for. */
  readonly single?: Plan;
  /** For the outcome `pass`: the step for the value. */
  readonly step?: Plan;
}

/** One thing to do to an object or an array. */
export type Change =
  | { readonly kind: "member"; readonly key: string; readonly plan: Plan }
  /** A member that the other revision describes under another name; what stands there is left out. */
  | { readonly kind: "renamed"; readonly from: string; readonly to: string }
  /** A member that only the other revision describes: left out where it is not what that describes. */
  | { readonly kind: "fitting"; readonly key: string; readonly to: Conjunction }
  /** Members that only the newer revision describes: left out. */
  | { readonly kind: "without"; readonly keys: readonly string[] }
  /** A member that is written as text into a list, if that is empty, and left out. */
  | {
      readonly kind: "asText";
      readonly key: string;
      readonly unless: Conjunction | undefined;
      readonly into: string;
      readonly block: TextBlock;
    }
  | { readonly kind: "required"; readonly key: string; readonly outcome: Outcome & { how: "refuse" } }
  | { readonly kind: "filled"; readonly key: string; readonly value: JsonValue }
  | { readonly kind: "items"; readonly plan: Plan }
  /** Items beyond so many are left out. */
  | { readonly kind: "limited"; readonly most: number }
  /** All members but those known by name. */
  | { readonly kind: "others"; readonly known: readonly string[]; readonly plan: Plan };

/** The step for values of one arm of a union, or of the only one. */
export interface Arm {
  readonly test: Test;
  readonly changes: readonly Change[];
}

/** How values of one place get to the other revision. Filled in after it is made, since places may recur. */
export interface Plan {
  /** The word that names its function. */
  readonly hint: string;
  readonly exits: Exit[];
  readonly arms: Arm[];
}

/** The plans that a plan leads to. */
export function plansOf(plan: Plan): Plan[] {
  const inside = plan.arms.flatMap(({ changes }) =>
    changes.flatMap((change) => ("plan" in change ? [change.plan] : [])),
  );
  return [...inside, ...plan.exits.flatMap(({ single, step }) => single ?? step ?? [])];
}

/** If values of the place are left out, the notes that decide it: JSON Pointers of values that may be dropped. */
export function droppedAt({ exits }: Plan): readonly string[] | undefined {
  return exits.map(({ outcome }) => outcome).find((outcome) => outcome.how === "drop")?.pointers;
}

/** The plans reachable from `roots` by which anything changes at all. */
export function activePlans(roots: Iterable<Plan>): Set<Plan> {
  const all = new Set(roots);
  const holders = new Map<Plan, Plan[]>();
  // A Set's iteration includes what is added meanwhile.
  for (const plan of all) {
    for (const inside of plansOf(plan)) {
      all.add(inside);
      holders.set(inside, [...(holders.get(inside) ?? []), plan]);
    }
  }
  const active = new Set([...all].filter(changesItself));
  for (const plan of active) for (const holder of holders.get(plan) ?? []) active.add(holder);
  return active;
}

function changesItself({ exits, arms }: Plan): boolean {
  const leaves = exits.some(({ outcome }) => outcome.how !== "pass");
  return leaves || arms.some(({ changes }) => changes.some((change) => !("plan" in change)));
}
