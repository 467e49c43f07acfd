import type { Conjunction } from "../../compare/shape/form.js";
import { type Plan, plansOf } from "./plan.js";
import { signatureOfNodes } from "./signature.js";

/**
 * For each plan the first of those that do the same, so that one function serves them all. Plans are taken
 * for the same until something tells them apart, which is how places that recur are compared too.
 */
export function representatives(active: ReadonlySet<Plan>): ReadonlyMap<Plan, Plan> {
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
  const first = new Map<number, Plan>();
  for (const [plan, number] of classes) if (!first.has(number)) first.set(number, plan);
  return new Map([...classes].map(([plan, number]) => [plan, first.get(number)!]));
}

/** What a plan does, as text; the plans inside go by their class. */
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
