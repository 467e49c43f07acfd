import type { Expression } from "../../../engine/patterns/parse.js";

/** An instruction of a backtracking matcher; `next` is the number of the instruction after it. */
type Instruction =
  | { readonly does: "take"; readonly atom: RegExp; readonly next: number }
  | { readonly does: "boundary"; readonly at: "start" | "end" | "word" | "noWord"; readonly next: number }
  /** Tries one instruction, and the other one if the first does not lead to a match. */
  | { readonly does: "try"; readonly first: number; readonly next: number }
  /** Remembers a place in a register. */
  | { readonly does: "mark"; readonly register: number; readonly next: number }
  /** Continues if the position differs from the one in the register. */
  | { readonly does: "move"; readonly register: number; readonly next: number }
  /** Captures the text between the position in the register and the current position, in either order. */
  | { readonly does: "capture"; readonly group: number; readonly register: number; readonly next: number }
  | { readonly does: "forget"; readonly groups: readonly number[]; readonly next: number }
  | { readonly does: "compare"; readonly group: number; readonly next: number }
  | { readonly does: "look"; readonly inner: Machine; readonly negated: boolean; readonly next: number }
  | { readonly does: "match" };

interface Machine {
  readonly instructions: readonly Instruction[];
  readonly start: number;
  readonly backward: boolean;
}

interface State {
  readonly instruction: number;
  readonly at: number;
  readonly registers: readonly number[];
  readonly captures: readonly (readonly [number, number] | undefined)[];
}

/** The outcome of one search. */
interface Search {
  readonly steps: number;
  /** `undefined` if the limit of steps was reached before the end of the search. */
  readonly matched: boolean | undefined;
}

/**
 * The steps that a backtracking matcher takes, as that of the platform is one (ECMA-262, 22.2.2): at each place of
 * the text in turn, each way of matching in turn, until one is found. Comparing what a group captured takes a step
 * for each code point.
 *
 * @param most steps that are counted
 */
export function searchOf(expression: Expression, text: string, most: number): Search {
  const characters = [...text];
  const machine = machineOf(expression, false);
  let steps = 0;
  const isWord = (at: number): boolean => /^\w$/.test(characters[at] ?? "");
  const holds = (boundary: "start" | "end" | "word" | "noWord", at: number): boolean => {
    if (boundary === "start") return at === 0;
    if (boundary === "end") return at === characters.length;
    return (isWord(at - 1) !== isWord(at)) === (boundary === "word");
  };

  /** @returns the captures of the first way that matches */
  const run = (
    { instructions, start, backward }: Machine,
    from: number,
    given: State["captures"],
  ): State["captures"] | undefined => {
    const pending: State[] = [{ instruction: start, at: from, registers: [], captures: given }];
    for (let state = pending.pop(); state && steps <= most; state = pending.pop()) {
      let { instruction, at, registers, captures } = state;
      for (;;) {
        if (++steps > most) return undefined;
        const todo = instructions[instruction]!;
        if (todo.does === "match") return captures;
        instruction = todo.next;
        if (todo.does === "take") {
          const character = characters[backward ? at - 1 : at];
          if (character === undefined || !todo.atom.test(character)) break;
          at += backward ? -1 : 1;
        } else if (todo.does === "boundary") {
          if (!holds(todo.at, at)) break;
        } else if (todo.does === "try") {
          pending.push({ instruction, at, registers, captures });
          instruction = todo.first;
        } else if (todo.does === "mark") {
          registers = replaced(registers, todo.register, at);
        } else if (todo.does === "move") {
          if (registers[todo.register] === at) break;
        } else if (todo.does === "capture") {
          const other = registers[todo.register]!;
          captures = replaced(captures, todo.group, [Math.min(other, at), Math.max(other, at)] as const);
        } else if (todo.does === "forget") {
          for (const group of todo.groups) captures = replaced(captures, group, undefined);
        } else if (todo.does === "compare") {
          const [begin, end] = captures[todo.group] ?? [0, 0];
          const to = backward ? at - (end - begin) : at + (end - begin);
          const first = Math.min(at, to);
          let same = first >= 0 && Math.max(at, to) <= characters.length;
          for (let index = 0; same && index < end - begin; index++) {
            steps++;
            same = characters[begin + index] === characters[first + index];
          }
          if (!same) break;
          at = to;
        } else {
          const found = run(todo.inner, at, captures);
          if ((found === undefined) !== todo.negated) break;
          if (found) captures = found;
        }
      }
    }
    return undefined;
  };

  for (let from = 0; from <= characters.length; from++) {
    if (run(machine, from, [])) return { steps, matched: true };
    if (steps > most) return { steps, matched: undefined };
  }
  return { steps, matched: false };
}

function replaced<T>(list: readonly T[], index: number, value: T): readonly T[] {
  const copy = [...list];
  copy[index] = value;
  return copy;
}

/** The groups in an expression. */
function groupsIn(expression: Expression): number[] {
  switch (expression.kind) {
    case "sequence":
      return expression.parts.flatMap(groupsIn);
    case "choice":
      return expression.arms.flatMap(groupsIn);
    case "repeat":
    case "look":
      return groupsIn(expression.part);
    case "group":
      return [expression.number, ...groupsIn(expression.part)];
    default:
      return [];
  }
}

function machineOf(whole: Expression, backward: boolean): Machine {
  const instructions: Instruction[] = [];
  let registers = 0;
  const add = (instruction: Instruction): number => instructions.push(instruction) - 1;

  /** Adds the instructions of `expression`, followed by `next`; returns the number of the first. */
  const before = (expression: Expression, next: number): number => {
    switch (expression.kind) {
      case "atom":
        return add({ does: "take", atom: new RegExp(`^${expression.source}$`, "u"), next });
      case "boundary":
        return add({ does: "boundary", at: expression.at, next });
      case "sequence":
        return (backward ? expression.parts : [...expression.parts].reverse()).reduce(
          (after, part) => before(part, after),
          next,
        );
      case "choice":
        return expression.arms
          .map((arm) => before(arm, next))
          .reduceRight((other, first) => add({ does: "try", first, next: other }));
      case "group": {
        const register = registers++;
        const { number: group } = expression;
        const end = add({ does: "capture", group, register, next });
        return add({ does: "mark", register, next: before(expression.part, end) });
      }
      case "look":
        return add({
          does: "look",
          inner: machineOf(expression.part, expression.behind),
          negated: expression.negated,
          next,
        });
      case "backreference":
        return add({ does: "compare", group: expression.number, next });
      case "repeat":
        return repeat(expression, next);
    }
  };
  const repeat = ({ part, min, max }: Expression & { kind: "repeat" }, next: number): number => {
    const forget = (to: number): number => add({ does: "forget", groups: groupsIn(part), next: to });
    /** A repetition beyond the minimum, which must match at least one character. */
    const turn = (after: number): number => {
      const register = registers++;
      const moved = add({ does: "move", register, next: after });
      return add({ does: "mark", register, next: forget(before(part, moved)) });
    };
    let start = next;
    if (max === Infinity) {
      // The loop instruction needs the number of its body, which needs the number of the loop, so it is replaced
      // afterwards.
      const again = add({ does: "match" });
      instructions[again] = { does: "try", first: turn(again), next };
      start = again;
    } else for (let count = min; count < max; count++) start = add({ does: "try", first: turn(start), next });
    for (let count = 0; count < min; count++) start = forget(before(part, start));
    return start;
  };

  const start = before(whole, add({ does: "match" }));
  return { instructions, start, backward };
}
