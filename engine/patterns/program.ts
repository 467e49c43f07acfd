import { withoutBackreferences } from "./captures.js";
import type { Expression, Look } from "./parse.js";

/** The action of a state, before the next states. */
type Step =
  /** Reads a code point that the atom with this number matches. */
  | { readonly kind: "take"; readonly atom: number; readonly next: number }
  | { readonly kind: "split"; readonly next: readonly number[] }
  | { readonly kind: "boundary"; readonly at: "start" | "end" | "word" | "noWord"; readonly next: number }
  /** Continues if the lookaround with this number holds, or if it does not hold (`negated`). */
  | { readonly kind: "look"; readonly look: number; readonly negated: boolean; readonly next: number }
  | { readonly kind: "match" };

/** An automaton that reads a text in one direction. */
export interface Reading {
  readonly start: number;
  /** Whether the automaton reads from the end of the text to its start. */
  readonly backward: boolean;
}

/** The automaton of a pattern (Thompson). */
export interface Program extends Reading {
  readonly steps: readonly Step[];
  /** For each distinct atom, a regular expression that tests a single code point. */
  readonly atoms: readonly RegExp[];
  /**
   * The lookarounds, inner ones first. A lookahead reads backward, so that one pass finds all places where it
   * holds; a lookbehind reads forward.
   */
  readonly looks: readonly Reading[];
}

/** Maximum number of states. Counted repeats become copies, so counts multiply states. */
export const mostSteps = 20_000;

/** Maximum number of distinct lookarounds: each has one bit for every place of a text. */
export const mostLooks = 30;

class Unsupported extends Error {}

/** @returns nothing if the automaton would be too large, or if a backreference cannot be expanded */
export function programOf(pattern: Expression): Program | undefined {
  const expression = withoutBackreferences(pattern);
  if (!expression) return undefined;
  const assembler = new Assembler();
  try {
    const start = assembler.before(expression, assembler.add({ kind: "match" }), false);
    const { steps, looks, atoms } = assembler;
    return { start, backward: false, steps, looks, atoms: [...atoms.keys()].map(atomPattern) };
  } catch (error) {
    if (error instanceof Unsupported) return undefined;
    throw error;
  }
}

function atomPattern(source: string): RegExp {
  return new RegExp(`^${source}$`, "u");
}

class Assembler {
  readonly steps: Step[] = [];
  readonly atoms = new Map<string, number>();
  readonly looks: Reading[] = [];
  /** Copies of a lookaround share its number. */
  private readonly lookNumbers = new Map<Look, number>();

  add(step: Step): number {
    if (this.steps.length >= mostSteps) throw new Unsupported();
    return this.steps.push(step) - 1;
  }

  /**
   * Adds states that read `expression` in one direction and continue at the state `next`. Returns the first of
   * them.
   */
  before(expression: Expression, next: number, backward: boolean): number {
    switch (expression.kind) {
      case "atom":
        return this.add({ kind: "take", atom: this.atom(expression.source), next });
      case "boundary":
        return this.add({ kind: "boundary", at: expression.at, next });
      case "sequence": {
        const parts = backward ? expression.parts : [...expression.parts].reverse();
        return parts.reduce((after, part) => this.before(part, after, backward), next);
      }
      case "choice":
        return this.add({
          kind: "split",
          next: expression.arms.map((arm) => this.before(arm, next, backward)),
        });
      case "repeat":
        return this.repeat(expression, next, backward);
      case "look":
        return this.add({ kind: "look", look: this.look(expression), negated: expression.negated, next });
      case "group":
        return this.before(expression.part, next, backward);
      case "backreference":
        throw new Unsupported();
    }
  }

  private atom(source: string): number {
    let number = this.atoms.get(source);
    if (number === undefined) this.atoms.set(source, (number = this.atoms.size));
    return number;
  }

  private look(look: Look): number {
    let number = this.lookNumbers.get(look);
    if (number !== undefined) return number;
    const backward = !look.behind;
    const start = this.before(look.part, this.add({ kind: "match" }), backward);
    if (this.looks.length >= mostLooks) throw new Unsupported();
    number = this.looks.push({ start, backward }) - 1;
    this.lookNumbers.set(look, number);
    return number;
  }

  private repeat(
    { part, min, max }: Expression & { kind: "repeat" },
    next: number,
    backward: boolean,
  ): number {
    let start = next;
    if (max === Infinity) {
      const targets: number[] = [];
      const again = this.add({ kind: "split", next: targets });
      targets.push(this.before(part, again, backward), next);
      start = again;
    } else {
      for (let number = min; number < max; number++) {
        start = this.add({ kind: "split", next: [this.before(part, start, backward), next] });
      }
    }
    for (let number = 0; number < min; number++) {
      const states = this.steps.length;
      start = this.before(part, start, backward);
      // An empty part adds no states, however often it is repeated.
      if (this.steps.length === states) break;
    }
    return start;
  }
}
