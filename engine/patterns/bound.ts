import { partsOf } from "./captures.js";
import type { Expression } from "./parse.js";
import type { Work } from "./work.js";

/** The content of each capturing group of a pattern, by group number. */
export type Captures = ReadonlyMap<number, Expression>;

export function capturesOf(expression: Expression): Captures {
  const captures = new Map<number, Expression>();
  const find = (part: Expression): void => {
    if (part.kind === "group") captures.set(part.number, part.part);
    partsOf(part).forEach(find);
  };
  find(expression);
  return captures;
}

/** Upper bounds for a backtracking matcher that tries an expression at one place of any text. */
export interface Bound {
  readonly steps: number;
  /** Number of ways in which the expression may match there. */
  readonly ways: number;
  /** Length of a match in code points. */
  readonly length: number;
}

const nothing: Bound = { steps: 0, ways: 1, length: 0 };
const unbounded: Bound = { steps: Infinity, ways: Infinity, length: Infinity };

/** A bound of more steps counts as infinite. */
const mostCounted = 10_000;

/**
 * Computes the bound of an expression. All members are infinite if there is no bound, or if the bound exceeds 10,000
 * steps.
 *
 * @param captures the groups of the whole pattern
 * @param behind whether parts are tried from last to first, as in lookbehind
 * @throws {TooMuchWork}
 */
export function boundOf(expression: Expression, captures: Captures, behind: boolean, work: Work): Bound {
  /** Groups whose bound is being computed. A backreference inside its own group matches the empty text. */
  const open = new Set<number>();
  const captured = (number: number): Bound => {
    const part = captures.get(number);
    if (!part || open.has(number)) return nothing;
    open.add(number);
    const bound = of(part, false);
    open.delete(number);
    return bound;
  };
  const of = (part: Expression, isBehind: boolean): Bound => {
    work.step();
    switch (part.kind) {
      case "atom":
        return { steps: 1, ways: 1, length: 1 };
      case "boundary":
        return { steps: 1, ways: 1, length: 0 };
      case "sequence": {
        const bounds = part.parts.map((each) => of(each, isBehind));
        return (isBehind ? bounds.reverse() : bounds).reduce(joined, nothing);
      }
      case "choice":
        return part.arms.map((arm) => of(arm, isBehind)).reduce(either);
      case "repeat":
        return repeated(of(part.part, isBehind), part.min, part.max, work);
      case "look":
        return { steps: of(part.part, part.behind).steps + 1, ways: 1, length: 0 };
      case "group":
        return of(part.part, isBehind);
      case "backreference": {
        const { length } = captured(part.number);
        return { steps: length + 1, ways: 1, length };
      }
    }
  };
  const bound = of(expression, behind);
  return bound.steps <= mostCounted ? bound : unbounded;
}

function joined(a: Bound, b: Bound): Bound {
  const steps = a.steps + a.ways * b.steps;
  if (!(steps <= mostCounted)) return unbounded;
  return { steps, ways: a.ways * b.ways, length: a.length + b.length };
}

function either(a: Bound, b: Bound): Bound {
  return { steps: a.steps + b.steps, ways: a.ways + b.ways, length: Math.max(a.length, b.length) };
}

function repeated(part: Bound, min: number, max: number, work: Work): Bound {
  if (max === 0) return nothing;
  if (max === Infinity) return unbounded;
  // Each repetition counts as a step, so that the loop ends.
  const turn = { ...part, steps: part.steps + 1 };
  let bound = nothing;
  for (let count = max; count > 0; count--) {
    work.step();
    bound = joined(turn, bound);
    if (bound === unbounded) return bound;
    if (count > min) bound = either(bound, nothing);
  }
  return bound;
}
