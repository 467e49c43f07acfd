import { type CharacterSet, everything, overlap } from "./character-set.js";
import { type Captures, boundOf } from "./bound.js";
import type { Expression, Group } from "./parse.js";
import type { Work } from "./work.js";

/**
 * The position automaton of a pattern (Glushkov): one state for each atom, and one for the start. A search may start
 * anywhere, so the start also reads any code points first, unless the pattern begins with `^`.
 */
export interface Positions {
  readonly sets: readonly CharacterSet[];
  /** For each position, the positions that may come next, with the number of ways to each. */
  readonly follow: readonly ReadonlyMap<number, number>[];
  /** The largest number of ways from one position to the end of the pattern. */
  readonly endings: number;
}

/** Positions, with the number of ways to or from each. */
type Ends = readonly (readonly [position: number, ways: number])[];

interface Part {
  /** Number of ways to match the empty text. */
  readonly empty: number;
  /** Positions at which a match may begin. */
  readonly first: Ends;
  /** Positions at which a match may end. */
  readonly last: Ends;
}

const nothing: Part = { empty: 1, first: [], last: [] };

/** Steps that joining two positions costs. */
const joining = 4;

/** Positions that are copied between lists in one step. */
const copying = 16;

/** Maximum number of positions. */
const mostPositions = 600;

/** Maximum number of ways to match the empty text. */
const mostEmpty = 4096;

/** Maximum number of code points that a backreference may compare. */
const mostCompared = 128;

/** Thrown if the automaton cannot represent the pattern: its time is then unknown. */
class Unbounded extends Error {}

/** The expression to make an automaton of, and how. */
export interface Construction {
  readonly expression: Expression;
  /** The groups of the whole pattern. */
  readonly captures: Captures;
  /** Lookarounds to ignore: each is known to add bounded time to a step or to the search. */
  readonly apart: ReadonlySet<Expression>;
  /** Repeats with an upper bound become copies; if `false`, loops, which have at least the same ways. */
  readonly counted: boolean;
}

/**
 * @returns nothing if the automaton cannot represent the pattern
 * @throws {TooMuchWork}
 */
export function positionsOf(construction: Construction, work: Work): Positions | undefined {
  const { expression } = construction;
  const builder = new Builder(construction, work);
  try {
    const whole = builder.part(expression);
    for (const [next, ways] of whole.first) builder.join(0, next, ways);
    if (!startsAtStart(expression)) builder.join(0, 0, 1);
    const { sets, follow } = builder;
    return { sets, follow, endings: Math.max(whole.empty, ...whole.last.map(([, ways]) => ways)) };
  } catch (error) {
    if (error instanceof Unbounded) return undefined;
    throw error;
  }
}

class Builder {
  readonly sets: CharacterSet[] = [everything];
  readonly follow: Map<number, number>[] = [new Map()];
  private readonly construction: Construction;
  private readonly work: Work;
  /** Groups for which a backreference is being built. */
  private readonly referred = new Set<number>();
  /** Groups that have a capture on every way to the current place. */
  private captured: ReadonlySet<number> = new Set();

  constructor(construction: Construction, work: Work) {
    this.construction = construction;
    this.work = work;
  }

  join(from: number, to: number, ways: number): void {
    this.work.step(joining);
    this.follow[from]!.set(to, (this.follow[from]!.get(to) ?? 0) + ways);
  }

  part(expression: Expression): Part {
    switch (expression.kind) {
      case "atom":
        return this.position(expression.set);
      case "sequence":
        return expression.parts.map((part) => this.part(part)).reduce((a, b) => this.sequence(a, b), nothing);
      case "choice":
        return expression.arms.map((arm) => this.scoped(arm)).reduce((a, b) => this.choice(a, b));
      case "repeat":
        return this.repeat(expression.part, expression.min, expression.max);
      case "boundary":
        return nothing;
      case "look":
        // The copy of a group for a backreference has no assertions.
        if (this.referred.size === 0 && !this.construction.apart.has(expression)) throw new Unbounded();
        return nothing;
      case "group":
        return this.group(expression);
      case "backreference":
        return this.backreference(expression.number);
    }
  }

  /** Builds a part that some ways skip, so that its groups may lack a capture afterwards. */
  private scoped(expression: Expression): Part {
    const before = this.captured;
    const part = this.part(expression);
    this.captured = before;
    return part;
  }

  private group({ number, part }: Group): Part {
    const built = this.part(part);
    this.captured = new Set([...this.captured, number]);
    return built;
  }

  /** Builds a backreference as a copy of its group. It has at most as many ways as the group. */
  private backreference(number: number): Part {
    const group = this.construction.captures.get(number);
    if (!group || this.referred.has(number)) return nothing;
    const { length } = boundOf(group, this.construction.captures, false, this.work);
    if (length > mostCompared) throw new Unbounded();
    this.referred.add(number);
    const part = this.scoped(group);
    this.referred.delete(number);
    return { ...part, empty: part.empty > 0 || !this.captured.has(number) ? 1 : 0 };
  }

  private position(set: CharacterSet): Part {
    if (this.sets.length >= mostPositions) throw new Unbounded();
    const positions: Ends = [[this.sets.push(set) - 1, 1]];
    this.follow.push(new Map());
    return { empty: 0, first: positions, last: positions };
  }

  private sequence(a: Part, b: Part): Part {
    this.joinAll(a.last, b.first);
    this.copied(a, b);
    return {
      empty: few(a.empty * b.empty),
      first: a.empty > 0 ? [...a.first, ...times(b.first, a.empty)] : a.first,
      last: b.empty > 0 ? [...times(a.last, b.empty), ...b.last] : b.last,
    };
  }

  private choice(a: Part, b: Part): Part {
    this.copied(a, b);
    return {
      empty: few(a.empty + b.empty),
      first: [...a.first, ...b.first],
      last: [...a.last, ...b.last],
    };
  }

  private joinAll(last: Ends, first: Ends): void {
    for (const [from, ways] of last) for (const [to, more] of first) this.join(from, to, ways * more);
  }

  /** Charges the steps for joining lists of positions. */
  private copied(...parts: readonly Part[]): void {
    for (const { first, last } of parts) this.work.step((first.length + last.length) / copying);
  }

  /**
   * Builds a repeat. The matcher rejects empty repetitions beyond `min` (ECMA-262, RepeatMatcher), so they do not add
   * ways.
   */
  private repeat(part: Expression, min: number, max: number): Part {
    if (max === 0) return nothing;
    const before = this.sets.length;
    const one = this.scoped(part);
    if (max === 1) return min === 1 ? one : { ...one, empty: 1 };
    const size = this.sets.length - before;
    const copies =
      Number.isFinite(max) && (this.construction.counted || min === max) ? max : Math.max(min, 1);
    if (size * copies + before <= mostPositions / 2) return this.copies(part, one, min, max, copies);
    // A loop does not represent required repetitions that match the empty text.
    if (min > 0 && one.empty > 0) throw new Unbounded();
    return { ...this.loop(one), empty: min === 0 ? 1 : 0 };
  }

  private loop(part: Part): Part {
    this.joinAll(part.last, part.first);
    return part;
  }

  /**
   * @param one the first copy
   * @param count number of copies; if `max` is greater, the last copy is a loop
   */
  private copies(part: Expression, one: Part, min: number, max: number, count: number): Part {
    const isLooped = max > count;
    const copy = (number: number): Part => (number === 1 ? one : this.scoped(part));
    let needed = nothing;
    // If the content cannot be empty, the loop itself is the last of the required copies.
    const apart = isLooped && min > 0 && one.empty === 0 ? min - 1 : min;
    for (let number = 1; number <= apart; number++) needed = this.sequence(needed, copy(number));
    if (isLooped) {
      const loop = this.loop(copy(apart + 1));
      return this.sequence(needed, { ...loop, empty: apart === min ? 1 : 0 });
    }
    return min === max ? needed : this.sequence(needed, this.optional(copy, min + 1, max));
  }

  /** Builds the optional copies, of which a match may use the first ones only. */
  private optional(copy: (number: number) => Part, from: number, to: number): Part {
    const first = copy(from);
    const lasts = [...first.last];
    let { last } = first;
    for (let number = from + 1; number <= to; number++) {
      const next = copy(number);
      this.joinAll(last, next.first);
      ({ last } = next);
      lasts.push(...last);
    }
    return { empty: 1, first: first.first, last: lasts };
  }
}

/** @throws {Unbounded} if there are too many ways */
function few(ways: number): number {
  if (ways > mostEmpty) throw new Unbounded();
  return ways;
}

function times(ends: Ends, ways: number): Ends {
  return ways === 1 ? ends : ends.map(([position, some]) => [position, some * ways]);
}

/** Whether every match begins at the start of the text. */
export function startsAtStart(expression: Expression): boolean {
  if (expression.kind === "boundary") return expression.at === "start";
  if (expression.kind === "group") return startsAtStart(expression.part);
  if (expression.kind === "sequence")
    return expression.parts.length > 0 && startsAtStart(expression.parts[0]!);
  return expression.kind === "choice" && expression.arms.every(startsAtStart);
}

/** Whether some code point leads to both positions. */
export function shareCodePoint({ sets }: Positions, a: number, b: number): boolean {
  return a === b || overlap(sets[a]!, sets[b]!);
}
