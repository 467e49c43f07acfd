import type { Expression } from "./parse.js";

/** What a state of a pattern's automaton does before the next ones. */
type Step =
  /** Takes a code point that the atom with this number takes. */
  | { readonly kind: "take"; readonly atom: number; readonly next: number }
  | { readonly kind: "split"; readonly next: readonly number[] }
  | { readonly kind: "boundary"; readonly at: "start" | "end" | "word" | "noWord"; readonly next: number }
  | { readonly kind: "match" };

/** The automaton of a pattern (Thompson). */
export interface Program {
  readonly start: number;
  readonly steps: readonly Step[];
  /** One regular expression for each different atom, that of a text of one code point. */
  readonly atoms: readonly RegExp[];
}

/** Counted repeats are copies; a pattern that comes to more states than this is refused. */
export const mostSteps = 20_000;

class Unsupported extends Error {}

/** @returns nothing for lookaround, backreferences and automata that are too large */
export function programOf(expression: Expression): Program | undefined {
  const assembler = new Assembler();
  try {
    const start = assembler.before(expression, assembler.add({ kind: "match" }));
    return { start, steps: assembler.steps, atoms: [...assembler.atoms.keys()].map(atomPattern) };
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

  add(step: Step): number {
    if (this.steps.length >= mostSteps) throw new Unsupported();
    return this.steps.push(step) - 1;
  }

  /** The state from which `expression` leads to the state `next`. */
  before(expression: Expression, next: number): number {
    switch (expression.kind) {
      case "atom":
        return this.add({ kind: "take", atom: this.atom(expression.source), next });
      case "boundary":
        return this.add({ kind: "boundary", at: expression.at, next });
      case "sequence":
        return expression.parts.reduceRight((after, part) => this.before(part, after), next);
      case "choice":
        return this.add({ kind: "split", next: expression.arms.map((arm) => this.before(arm, next)) });
      case "repeat":
        return this.repeat(expression.part, expression.min, expression.max, next);
      default:
        throw new Unsupported();
    }
  }

  private atom(source: string): number {
    let number = this.atoms.get(source);
    if (number === undefined) this.atoms.set(source, (number = this.atoms.size));
    return number;
  }

  private repeat(part: Expression, min: number, max: number, next: number): number {
    let start = next;
    if (max === Infinity) {
      const targets: number[] = [];
      const again = this.add({ kind: "split", next: targets });
      targets.push(this.before(part, again), next);
      start = again;
    } else {
      for (let number = min; number < max; number++) {
        start = this.add({ kind: "split", next: [this.before(part, start), next] });
      }
    }
    for (let number = 0; number < min; number++) {
      const states = this.steps.length;
      start = this.before(part, start);
      // Nothing any number of times is nothing.
      if (this.steps.length === states) break;
    }
    return start;
  }
}
