import type { Conjunction } from "../../../compare/shape/form.js";
import { type Change, type Plan, plansOf } from "./plan.js";
import { signatureOfNodes } from "./signature.js";

/** Plans with the same effect, which share one function. */
export interface SamePlans {
  /** The plan that is printed. */
  readonly first: Plan;
  /** The common words of the plans' hints. */
  readonly hint: string;
  /** The words that the function's name consists of. */
  readonly name: string;
}

/**
 * Groups active plans with the same effect; returns the group of each plan. Plans count as the same until a
 * difference is found, so that recursive places can be compared.
 */
export function groupSame(active: ReadonlySet<Plan>): ReadonlyMap<Plan, SamePlans> {
  let classes = new Map<Plan, number>([...active].map((plan) => [plan, 0]));
  for (let count = 1; ;) {
    const bySignature = new Map<string, number>();
    const next = new Map<Plan, number>();
    for (const plan of active) {
      const signature = `${classes.get(plan)!} ${signatureOf(plan, classes)}`;
      const number = bySignature.get(signature) ?? bySignature.size;
      bySignature.set(signature, number);
      next.set(plan, number);
    }
    classes = next;
    if (bySignature.size === count) break;
    count = bySignature.size;
  }
  const members = new Map<number, Plan[]>();
  for (const [plan, number] of classes) members.set(number, [...(members.get(number) ?? []), plan]);
  const groups = new Map<number, SamePlans>();
  for (const [number, plans] of members) groups.set(number, groupOf(plans, active));
  return new Map([...classes].map(([plan, number]) => [plan, groups.get(number)!]));
}

function groupOf(plans: readonly Plan[], active: ReadonlySet<Plan>): SamePlans {
  const first = plans[0]!;
  const hints = [...new Set(plans.map(({ hint }) => hint))];
  if (hints.length === 1 && first.hint !== "") return { first, hint: first.hint, name: first.hint };
  const hint = commonHint(hints);
  const parts = changedParts(first, active);
  if (parts.length > mostParts) return { first, hint, name: hint || either(hints) };
  // Avoids names such as `SchemaSchema`, if places of several kinds share a member `$schema`.
  const isRepeated = wordsOf(parts[0] ?? "")[0]?.toLowerCase() === wordsOf(hint).at(-1)?.toLowerCase();
  return { first, hint, name: [...(isRepeated ? [] : [hint]), ...parts].join(" ").trim() || either(hints) };
}

/** Maximum number of changed parts in a function's name. */
const mostParts = 3;

/** The outcomes of a plan's exits, and the names of the members that it changes. */
function changedParts({ exits, arms }: Plan, active: ReadonlySet<Plan>): string[] {
  const outcomes = exits.map(({ outcome }) =>
    outcome.how === "refuse"
      ? `refuse ${outcome.code}`
      : "what" in outcome
        ? `${outcome.how} ${outcome.what}`
        : outcome.how,
  );
  const changed = arms.flatMap(({ changes }) =>
    changes.filter((change) => !("plan" in change) || active.has(change.plan)).flatMap(partsOf),
  );
  return [...new Set([...outcomes, ...changed])];
}

function partsOf(change: Change): readonly string[] {
  if ("key" in change) return [change.key];
  if ("keys" in change) return change.keys;
  return change.kind === "renamed" ? [change.from] : [];
}

/** The words that all hints end with; empty if there are none. */
export function commonHint(hints: readonly string[]): string {
  const [first = [], ...others] = hints.map(wordsOf);
  let count = 0;
  while (count < first.length && others.every((words) => words.at(-1 - count) === first.at(-1 - count)))
    count++;
  return first.slice(first.length - count).join(" ");
}

/** Joins a few hints, or names the first of many. */
export function either(hints: readonly string[]): string {
  return hints.length > mostParts ? hints[0]! : hints.join(" or ");
}

function wordsOf(text: string): readonly string[] {
  return text.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+/g) ?? [];
}

/** A text of the plan's actions, in which inner plans are replaced by their class. */
function signatureOf(plan: Plan, classes: ReadonlyMap<Plan, number>): string {
  const inside = new Set(plansOf(plan));
  const arms = plan.arms.map(({ test, changes }) => ({
    test,
    changes: changes.filter((change) => !("plan" in change) || classes.has(change.plan)),
  }));
  const active = arms.filter(({ changes }) => changes.length > 0);
  return JSON.stringify([plan.exits, active], (key, value: unknown) => {
    if (inside.has(value as Plan)) return classes.get(value as Plan) ?? "nothing";
    if (key === "pointers") return undefined;
    return (key === "to" || key === "unless") && value ? signatureOfNodes(value as Conjunction) : value;
  });
}
