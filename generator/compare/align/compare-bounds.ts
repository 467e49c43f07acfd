import { type JsonValue, canonicalText, divides } from "@mcpgen/engine";
import { anyOfLimits, armsFit, armsOf, isTighter, rangeEnd } from "../shape/bounds.js";
import { isCondition, nameParts } from "../shape/conditions.js";
import type { Bounds, Conjunction } from "../shape/form.js";
import type { Aligner } from "./aligner.js";
import { edges, outside } from "./bound-values.js";
import type { Found } from "./compare.js";
import {
  type Condition,
  conditionOf,
  conditionValues,
  isSameCondition,
  triedDirection,
} from "./condition.js";
import type { Candidates, Pair } from "./pair.js";

/** The place where limits are compared. */
export interface Places {
  readonly aligner: Aligner;
  readonly pair: Pair;
  /** The nodes that a value within the old limits must satisfy. */
  readonly old: Conjunction;
  readonly new: Conjunction;
  /** The limits of all arms of each side, where there are several. */
  readonly arms?: { readonly old: readonly Bounds[]; readonly new: readonly Bounds[] };
}

export type Direction = "same" | "tighter" | "looser" | "both";

/** Compares limits one by one. A limit that is neither tighter nor looser is both. */
export function compareBounds(old: Bounds, next: Bounds, places: Places, found: Found): void {
  const arms = places.arms ?? { old: [old], new: [next] };
  for (const name of new Set([...old.keys(), ...next.keys()])) {
    const [was, is] = [old.get(name), next.get(name)];
    const condition = isCondition(name) ? conditionOf(places, name) : undefined;
    const direction = directionOf(name, was, is, condition);
    if (direction === "same") continue;
    const texts = { old: boundText(name, was), new: boundText(name, is) };
    const values = edges(nameParts(name), [was, is]);
    if (direction !== "looser") {
      const when = name === "format" ? { when: "the limit is a format" } : {};
      const narrowed: Candidates = (make) => [
        ...values(make.old, places.old),
        ...outside(make.old, places.old, arms.new),
        ...make.old.samples(places.old, 20),
        ...(condition ? conditionValues(condition, make, "old") : []),
      ];
      found({ rule: "bound-tightened", ...when, ...texts, narrowed });
    }
    if (direction !== "tighter") {
      const widened: Candidates = (make) => [
        ...values(make.new, places.new),
        ...outside(make.new, places.new, arms.old),
        ...make.new.samples(places.new, 20),
        ...(condition ? conditionValues(condition, make, "new") : []),
      ];
      found({ rule: "bound-loosened", ...texts, widened });
    }
  }
}

function directionOf(
  name: string,
  old: JsonValue | undefined,
  next: JsonValue | undefined,
  condition: Condition | undefined,
): Direction {
  if (old === undefined) return "tighter";
  if (next === undefined) return "looser";
  if (condition) return isSameCondition(condition) ? "same" : triedDirection(condition);
  if (canonicalText(old) === canonicalText(next)) return "same";
  if (name === anyOfLimits) return directionOfArms(old, next);
  const [before, after] = [rangeEnd(old), rangeEnd(next)];
  if (!before || !after) return "both";
  if (name === "multipleOf") {
    if (divides(before.value, after.value)) return "tighter";
    return divides(after.value, before.value) ? "looser" : "both";
  }
  return isTighter(name, after, before) ? "tighter" : "looser";
}

function directionOfArms(old: JsonValue, next: JsonValue): Direction {
  const [before, after] = [armsOf(old), armsOf(next)];
  const [isTaken, isKept] = [armsFit(after, before), armsFit(before, after)];
  return isTaken ? (isKept ? "same" : "tighter") : isKept ? "looser" : "both";
}

function boundText(name: string, value: JsonValue | undefined): string | null {
  if (value === undefined) return null;
  if (name === "integer") return name;
  if (name === anyOfLimits) return armsOf(value).map(armText).join(" or ");
  const end = rangeEnd(value);
  return end?.exclusive ? `exclusive ${name} ${end.value}` : `${name} ${canonicalText(value)}`;
}

function armText(arm: Bounds): string {
  return [...arm].map(([name, value]) => boundText(name, value)).join(" and ");
}
