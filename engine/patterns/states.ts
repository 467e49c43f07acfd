import { partsOf, withoutBackreferences } from "./captures.js";
import type { Expression, Look } from "./parse.js";
import { mostLooks, mostSteps } from "./program.js";

/** Whether `programOf` can make an automaton of the expression. Counts the states instead of making it. */
export function hasProgram(pattern: Expression): boolean {
  const expression = withoutBackreferences(pattern);
  if (!expression) return false;
  const looks = looksIn(expression);
  if (looks.length > mostLooks) return false;
  const wholes = [expression, ...looks.map(({ part }) => part)];
  return wholes.reduce((states, whole) => states + 1 + statesOf(whole), 0) <= mostSteps;
}

/** The distinct lookarounds of an expression. */
function looksIn(expression: Expression): readonly Look[] {
  const looks = new Set<Look>();
  const find = (part: Expression): void => {
    if (part.kind === "repeat" && part.max === 0) return;
    if (part.kind === "look") looks.add(part);
    partsOf(part).forEach(find);
  };
  find(expression);
  return [...looks];
}

/** The number of states of an expression, without the states of lookarounds in it. */
function statesOf(expression: Expression): number {
  switch (expression.kind) {
    case "atom":
    case "boundary":
    case "look":
      return 1;
    case "sequence":
      return sum(expression.parts);
    case "choice":
      return 1 + sum(expression.arms);
    case "repeat":
      return repeated(expression.part, expression.min, expression.max);
    case "group":
      return statesOf(expression.part);
    case "backreference":
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
