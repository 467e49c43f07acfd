import { type CharacterSet, everything, overlap } from "./character-set.js";
import type { Expression } from "./parse.js";
import type { Work } from "./work.js";

/**
 * The automaton of a pattern whose states are the places where a code point is taken (Glushkov), with one more
 * for the start. A search starts anywhere: the start may take any code points first, unless the pattern says `^`.
 */
export interface Positions {
  readonly sets: readonly CharacterSet[];
  /** For each position, those that may come next, each with the number of ways to it. */
  readonly follow: readonly ReadonlyMap<number, number>[];
}

interface Part {
  readonly nullable: boolean;
  readonly first: readonly number[];
  readonly last: readonly number[];
}

const empty: Part = { nullable: true, first: [], last: [] };

/** Steps that a way between two positions takes to make. */
const joining = 4;

/** Positions that are copied from list to list in a step. */
const copying = 16;

/** More positions than this are not looked into. */
const mostPositions = 600;

/** What the construction cannot stand for: nothing is known of the pattern then. */
class Unbounded extends Error {}

/**
 * @param counted repeats with an upper bound are copies, or else loops, which take at least the same ways
 * @returns nothing where time may not be judged by the automaton
 * @throws {TooMuchWork}
 */
export function positionsOf(expression: Expression, counted: boolean, work: Work): Positions | undefined {
  const builder = new Builder(counted, work);
  try {
    const whole = builder.part(expression);
    for (const next of whole.first) builder.join(0, next);
    if (!startsAtStart(expression)) builder.join(0, 0);
    return builder;
  } catch (error) {
    if (error instanceof Unbounded) return undefined;
    throw error;
  }
}

class Builder implements Positions {
  readonly sets: CharacterSet[] = [everything];
  readonly follow: Map<number, number>[] = [new Map()];
  private readonly counted: boolean;
  private readonly work: Work;

  constructor(counted: boolean, work: Work) {
    this.counted = counted;
    this.work = work;
  }

  join(from: number, to: number): void {
    this.work.step(joining);
    this.follow[from]!.set(to, (this.follow[from]!.get(to) ?? 0) + 1);
  }

  part(expression: Expression): Part {
    switch (expression.kind) {
      case "atom":
        return this.position(expression.set);
      case "sequence":
        return expression.parts.map((part) => this.part(part)).reduce((a, b) => this.sequence(a, b), empty);
      case "choice":
        return expression.arms.map((arm) => this.part(arm)).reduce((a, b) => this.choice(a, b));
      case "repeat":
        return this.repeat(expression.part, expression.min, expression.max);
      case "boundary":
        return empty;
      case "look":
        if (!isFixed(expression.part)) throw new Unbounded();
        return empty;
      default:
        throw new Unbounded();
    }
  }

  private position(set: CharacterSet): Part {
    if (this.sets.length >= mostPositions) throw new Unbounded();
    const positions = [this.sets.push(set) - 1];
    this.follow.push(new Map());
    return { nullable: false, first: positions, last: positions };
  }

  private sequence(a: Part, b: Part): Part {
    for (const from of a.last) for (const to of b.first) this.join(from, to);
    this.copied(a, b);
    return {
      nullable: a.nullable && b.nullable,
      first: a.nullable ? [...a.first, ...b.first] : a.first,
      last: b.nullable ? [...a.last, ...b.last] : b.last,
    };
  }

  private choice(a: Part, b: Part): Part {
    this.copied(a, b);
    return {
      nullable: a.nullable || b.nullable,
      first: [...a.first, ...b.first],
      last: [...a.last, ...b.last],
    };
  }

  /** Counts what it takes to put lists of positions together. */
  private copied(...parts: readonly Part[]): void {
    for (const { first, last } of parts) this.work.step((first.length + last.length) / copying);
  }

  private repeat(part: Expression, min: number, max: number): Part {
    if (max === 0) return empty;
    if (max === 1) return min === 1 ? this.part(part) : { ...this.part(part), nullable: true };
    const before = this.sets.length;
    const one = this.part(part);
    // A turn that takes nothing can be taken any number of times, and the automaton does not show it.
    if (one.nullable) throw new Unbounded();
    const size = this.sets.length - before;
    const copies = Number.isFinite(max) && (this.counted || min === max) ? max : Math.max(min, 1);
    const looped = size * copies + before > mostPositions / 2;
    if (looped || copies === 1) return { ...this.loop(one), nullable: min === 0 };
    return this.copies(part, one, min, max, copies);
  }

  private loop(part: Part): Part {
    return (this.sequence({ ...part, first: [] }, { ...part, last: [] }), part);
  }

  /** The first copy is there already; those beyond `min` may be left out from the end on. */
  private copies(part: Expression, one: Part, min: number, max: number, count: number): Part {
    let last: readonly number[] = one.last;
    const lasts = min <= 1 ? [...last] : [];
    for (let number = 2; number <= count; number++) {
      let copy = this.part(part);
      if (number === count && max > count) copy = this.loop(copy);
      for (const from of last) for (const to of copy.first) this.join(from, to);
      last = copy.last;
      if (number >= min) lasts.push(...last);
    }
    return { nullable: min === 0, first: one.first, last: lasts };
  }
}

/** Whether there is one way to match, of one length: comparing takes no longer than the pattern is. */
function isFixed(expression: Expression): boolean {
  if (expression.kind === "sequence") return expression.parts.every(isFixed);
  return expression.kind === "atom" || expression.kind === "boundary";
}

/** Whether nothing but the beginning of the text can be the beginning of a match. */
function startsAtStart(expression: Expression): boolean {
  if (expression.kind === "boundary") return expression.at === "start";
  if (expression.kind === "sequence")
    return expression.parts.length > 0 && startsAtStart(expression.parts[0]!);
  return expression.kind === "choice" && expression.arms.every(startsAtStart);
}

/** Whether some code point leads to all of the positions. */
export function shareCodePoint({ sets }: Positions, a: number, b: number): boolean {
  return a === b || overlap(sets[a]!, sets[b]!);
}
