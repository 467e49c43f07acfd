import type { Program } from "./program.js";

/** What stands beside a place in the text, as far as boundaries ask. */
type Neighbour = "none" | "word" | "other";

/** A set of states that the text so far leads to, and where each kind of code point leads from there. */
interface Moment {
  readonly states: readonly number[];
  readonly before: Neighbour;
  readonly after: Map<number, Moment | "matched">;
}

/** So many sets of states are remembered, with so many states in all; after that, all are forgotten. */
const mostMoments = 1_000;
const mostStates = 200_000;

/**
 * Whether a pattern matches somewhere in a text, by all ways at once: for every pattern, the time grows with the length
 * of the text. Sets of states are worked out when a text first leads to them.
 */
export class LinearMatcher {
  private readonly program: Program;
  /** For each code point seen: the number of its kind. Code points of a kind are in the same atoms. */
  private readonly kindOf = new Map<number, number>();
  private readonly kinds: { readonly atoms: readonly boolean[]; readonly isWord: boolean }[] = [];
  private readonly kindNumbers = new Map<string, number>();
  private readonly ascii = new Int32Array(128).fill(-1);
  private readonly moments = new Map<string, Moment>();
  private beginning: Moment;
  /** In all moments that are remembered. */
  private states = 0;

  constructor(program: Program) {
    this.program = program;
    this.beginning = this.moment([program.start], "none");
  }

  test(text: string): boolean {
    let moment = this.beginning;
    for (let index = 0; index < text.length; index++) {
      const code = text.codePointAt(index)!;
      if (code > 0xffff) index++;
      const kind = this.kind(code);
      const next = moment.after.get(kind) ?? this.advance(moment, kind);
      if (next === "matched") return true;
      moment = next;
    }
    return this.closure(moment, "none").matched;
  }

  private kind(code: number): number {
    const known = code < 128 ? this.ascii[code]! : (this.kindOf.get(code) ?? -1);
    if (known >= 0) return known;
    const character = String.fromCodePoint(code);
    const atoms = this.program.atoms.map((atom) => atom.test(character));
    const isWord = /\w/.test(character);
    const key = `${isWord}${atoms.join()}`;
    let number = this.kindNumbers.get(key);
    if (number === undefined) {
      number = this.kinds.push({ atoms, isWord }) - 1;
      this.kindNumbers.set(key, number);
    }
    if (code < 128) this.ascii[code] = number;
    else this.kindOf.set(code, number);
    return number;
  }

  private advance(moment: Moment, kind: number): Moment | "matched" {
    const { atoms, isWord } = this.kinds[kind]!;
    const after: Neighbour = isWord ? "word" : "other";
    const { states, matched } = this.closure(moment, after);
    // A match may begin anywhere.
    const next = new Set([this.program.start]);
    for (const state of states) {
      const step = this.program.steps[state]!;
      if (step.kind === "take" && atoms[step.atom]) next.add(step.next);
    }
    const result = matched
      ? "matched"
      : this.moment(
          [...next].sort((a, b) => a - b),
          after,
        );
    moment.after.set(kind, result);
    return result;
  }

  private moment(states: readonly number[], before: Neighbour): Moment {
    const key = `${before}${states.join()}`;
    let moment = this.moments.get(key);
    if (!moment) {
      if (this.moments.size >= mostMoments || this.states > mostStates) this.forget();
      this.states += states.length;
      this.moments.set(key, (moment = { states, before, after: new Map() }));
    }
    return moment;
  }

  private forget(): void {
    this.moments.clear();
    this.states = 0;
    this.beginning = { ...this.beginning, after: new Map() };
  }

  /** The states that the boundary between two code points lets through to, and whether the match is complete. */
  private closure(moment: Moment, after: Neighbour): { states: Set<number>; matched: boolean } {
    const reached = new Set(moment.states);
    for (const state of reached) {
      const step = this.program.steps[state]!;
      if (step.kind === "match") return { states: reached, matched: true };
      if (step.kind === "split") for (const next of step.next) reached.add(next);
      if (step.kind === "boundary" && holds(step.at, moment.before, after)) reached.add(step.next);
    }
    return { states: reached, matched: false };
  }
}

function holds(at: "start" | "end" | "word" | "noWord", before: Neighbour, after: Neighbour): boolean {
  if (at === "start") return before === "none";
  if (at === "end") return after === "none";
  return ((before === "word") !== (after === "word")) === (at === "word");
}
