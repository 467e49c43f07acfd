import type { Program, Reading } from "./program.js";

/** The neighbour of a position in the text, as `^`, `$` and `\b` need it. */
type Neighbour = "none" | "word" | "other";

/**
 * The set of states after a part of the text (a state of the lazily built DFA), with the known transitions by kind of
 * code point.
 */
interface Moment {
  readonly states: readonly number[];
  readonly before: Neighbour;
  readonly after: Map<number, Turn>;
}

/** The transition for a code point: whether a match ends before it, and the moment after it. */
interface Turn {
  readonly matched: boolean;
  readonly next: Moment;
}

/** Size of the cache of moments, and of all states and turns in it. A full cache is cleared. */
const mostMoments = 1_000;
const mostStates = 200_000;

/** Greater than the number of kinds, which is at most the number of code points. */
const kindsEnd = 2 ** 21;

/**
 * Tests whether a pattern matches somewhere in a text. Follows all ways at once, so the time is linear in the length of
 * the text for every pattern. Computes a set of states when a text first leads to it. Each lookaround reads the whole
 * text once and sets a bit for each place where it holds.
 */
export class LinearMatcher {
  private readonly program: Program;
  /** The kind of each code point that has occurred. Code points of one kind match the same atoms. */
  private readonly kindOf = new Map<number, number>();
  private readonly kinds: { readonly atoms: readonly boolean[]; readonly isWord: boolean }[] = [];
  private readonly kindNumbers = new Map<string, number>();
  private readonly ascii = new Int32Array(128).fill(-1);
  private readonly moments = new Map<string, Moment>();
  private readonly beginnings = new Map<Reading, Moment>();
  /** Number of states and turns of all cached moments. */
  private states = 0;

  constructor(program: Program) {
    this.program = program;
  }

  test(text: string): boolean {
    const { looks } = this.program;
    const holding = looks.length === 0 ? undefined : new Uint32Array(text.length + 1);
    for (const [number, look] of looks.entries()) this.read(text, look, holding, 1 << number);
    return this.read(text, this.program, holding, 0);
  }

  /**
   * Reads a whole text.
   *
   * @param holding for each place, a bit for each lookaround that holds there
   * @param bit to set in `holding` at each place where a match ends; 0 stops at the first match
   * @returns whether the text has a match, if `bit` is 0
   */
  private read(text: string, reading: Reading, holding: Uint32Array | undefined, bit: number): boolean {
    const { backward } = reading;
    let moment = this.beginning(reading);
    let at = backward ? text.length : 0;
    const end = text.length - at;
    while (at !== end) {
      const code = backward ? codePointBefore(text, at) : text.codePointAt(at)!;
      const kind = this.kind(code);
      const looks = holding ? holding[at]! : 0;
      const turn = moment.after.get(looks * kindsEnd + kind) ?? this.advance(reading, moment, kind, looks);
      if (turn.matched) {
        if (bit === 0) return true;
        holding![at]! |= bit;
      }
      moment = turn.next;
      const units = code > 0xffff ? 2 : 1;
      at += backward ? -units : units;
    }
    const { matched } = this.closure(reading, moment, "none", holding ? holding[at]! : 0);
    if (matched && bit !== 0) holding![at]! |= bit;
    return matched;
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

  private advance(reading: Reading, moment: Moment, kind: number, looks: number): Turn {
    if (this.moments.size >= mostMoments || this.states > mostStates) this.forget();
    const { atoms, isWord } = this.kinds[kind]!;
    const after: Neighbour = isWord ? "word" : "other";
    const { states, matched } = this.closure(reading, moment, after, looks);
    // A match may start anywhere.
    const next = new Set([reading.start]);
    for (const state of states) {
      const step = this.program.steps[state]!;
      if (step.kind === "take" && atoms[step.atom]) next.add(step.next);
    }
    const turn = {
      matched,
      next: this.moment(
        reading,
        [...next].sort((a, b) => a - b),
        after,
      ),
    };
    this.states++;
    moment.after.set(looks * kindsEnd + kind, turn);
    return turn;
  }

  private beginning(reading: Reading): Moment {
    let moment = this.beginnings.get(reading);
    if (!moment) this.beginnings.set(reading, (moment = this.moment(reading, [reading.start], "none")));
    return moment;
  }

  private moment(reading: Reading, states: readonly number[], before: Neighbour): Moment {
    const key = `${reading.start}${before}${states.join()}`;
    let moment = this.moments.get(key);
    if (!moment) {
      this.states += states.length;
      this.moments.set(key, (moment = { states, before, after: new Map() }));
    }
    return moment;
  }

  private forget(): void {
    this.moments.clear();
    this.beginnings.clear();
    this.states = 0;
  }

  /** The states reachable at a place between two code points without reading, and whether a match ends there. */
  private closure(
    { backward }: Reading,
    { states, before }: Moment,
    after: Neighbour,
    looks: number,
  ): { states: Set<number>; matched: boolean } {
    const reached = new Set(states);
    let matched = false;
    for (const state of reached) {
      const step = this.program.steps[state]!;
      switch (step.kind) {
        case "match":
          matched = true;
          break;
        case "split":
          for (const next of step.next) reached.add(next);
          break;
        case "boundary":
          if (backward ? holds(step.at, after, before) : holds(step.at, before, after))
            reached.add(step.next);
          break;
        case "look":
          if ((((looks >>> step.look) & 1) === 1) !== step.negated) reached.add(step.next);
      }
    }
    return { states: reached, matched };
  }
}

function codePointBefore(text: string, end: number): number {
  const code = text.codePointAt(end - 2) ?? 0;
  return code > 0xffff ? code : text.charCodeAt(end - 1);
}

function holds(at: "start" | "end" | "word" | "noWord", before: Neighbour, after: Neighbour): boolean {
  if (at === "start") return before === "none";
  if (at === "end") return after === "none";
  return ((before === "word") !== (after === "word")) === (at === "word");
}
