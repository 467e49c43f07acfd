import type { Expression } from "./parse.js";
import { mostSteps } from "./program.js";

/** Whether `programOf` makes an automaton of the expression; it is not made to find that out. */
export function hasProgram(expression: Expression): boolean {
  return statesOf(expression) + 1 <= mostSteps;
}

/** The states that an expression comes to; without end where no automaton stands for it. */
function statesOf(expression: Expression): number {
  switch (expression.kind) {
    case "atom":
    case "boundary":
      return 1;
    case "sequence":
      return sum(expression.parts);
    case "choice":
      return 1 + sum(expression.arms);
    case "repeat":
      return repeated(expression.part, expression.min, expression.max);
    default:
      return Infinity;
  }
}

function sum(expressions: readonly Expression[]): number {
  return expressions.reduce((states, part) => states + statesOf(part), 0);
}

function repeated(part: Expression, min: number, max: number): number {
  if (max === 0) return 0;
  const states = statesOf(part);
  const needed = min === 0 || states === 0 ? 0 : min * states;
  if (max === Infinity) return needed + 1 + states;
  return max === min ? needed : needed + (max - min) * (1 + states);
}
