import { withoutBackreferences } from "./captures.js";
import type { Expression, Look } from "./parse.js";

/** What a state of a pattern's automaton does before the next ones. */
type Step =
  /** Takes a code point that the atom with this number takes. */
  | { readonly kind: "take"; readonly atom: number; readonly next: number }
  | { readonly kind: "split"; readonly next: readonly number[] }
  | { readonly kind: "boundary"; readonly at: "start" | "end" | "word" | "noWord"; readonly next: number }
  /** Goes on where the lookaround with this number holds, or where it does not (`negated`). */
  | { readonly kind: "look"; readonly look: number; readonly negated: boolean; readonly next: number }
  | { readonly kind: "match" };

/** An automaton that reads a text in one direction. */
export interface Reading {
  readonly start: number;
  /** Whether it reads from the end of the text to its beginning. */
  readonly backward: boolean;
}

/** The automaton of a pattern (Thompson). */
export interface Program extends Reading {
  readonly steps: readonly Step[];
  /** One regular expression for each different atom, that of a text of one code point. */
  readonly atoms: readonly RegExp[];
  /**
   * What is looked for, each before what it stands in. Lookahead reads backward, and so finds all places from which
   * it matches in one reading of the text; lookbehind reads forward.
   */
  readonly looks: readonly Reading[];
}

/** Counted repeats are copies; a pattern that comes to more states than this is refused. */
export const mostSteps = 20_000;

/** Different lookarounds of a pattern: one bit each beside every place of a text. */
export const mostLooks = 30;

class Unsupported extends Error {}

/** @returns nothing for automata that are too large, and for backreferences that cannot be written out */
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

  /** The state from which `expression`, read in one direction, leads to the state `next`. */
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
      // Nothing any number of times is nothing.
      if (this.steps.length === states) break;
    }
    return start;
  }
}
