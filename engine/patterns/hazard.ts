import { type Captures, boundOf, capturesOf } from "./bound.js";
import { partsOf } from "./captures.js";
import { Loops } from "./loops.js";
import { type Expression, type Look, parsePattern } from "./parse.js";
import {
  type Construction,
  type Positions,
  positionsOf,
  shareCodePoint,
  startsAtStart,
} from "./positions.js";
import { TooMuchWork, Work } from "./work.js";

/**
 * The growth of a backtracking matcher's time with the length of the text: linear (`none`), polynomial or exponential.
 * It is an upper bound: `exponential` may also mean that the analysis found no better bound, or that it would take too
 * much work.
 */
export type Hazard = "none" | "polynomial" | "exponential";

const severity: readonly Hazard[] = ["none", "polynomial", "exponential"];

/**
 * Analyses a pattern by the number of ways in which its automaton can read one text (Weber and Seidl 1991). If a
 * position returns to itself by two ways on one text, each repetition doubles the number: exponential. If two positions
 * return to themselves on one text that also leads from the first to the second, each repetition adds to the number:
 * polynomial.
 *
 * Lookaround counts as exponential, with two exceptions: it takes bounded time at every place, or it is a lookahead
 * that a search tries a bounded number of times, as after `^` and a fixed prefix; such a lookahead is analysed
 * separately. Backreferences count as exponential unless their group has bounded length. Such a backreference has at
 * most as many ways as a copy of its group.
 *
 * @param pattern a regular expression that `new RegExp(pattern, "u")` accepts
 */
export function hazardOf(pattern: string): Hazard {
  return judgePattern(pattern, mostDocumentSteps)?.hazard ?? "exponential";
}

/** The hazard of a pattern, and the number of steps of the analysis. */
export interface Judgement {
  readonly hazard: Hazard;
  readonly steps: number;
}

/**
 * Analyses a pattern as `hazardOf` does, with a limit.
 *
 * @param steps limit of the analysis
 * @returns nothing if the analysis needs more steps
 */
export function judgePattern(pattern: string, steps: number): Judgement | undefined {
  if (!/[*+?{|\\]/.test(pattern)) return { hazard: "none", steps: 0 };
  if (steps <= 0) return undefined;
  const expression = parsePattern(pattern);
  if (!expression) return { hazard: "exponential", steps: 1 };
  const allowance = new Allowance(steps);
  try {
    const captures = capturesOf(expression);
    const parts = hasLook(expression)
      ? allowance.judge((work) => partsJudged(expression, captures, work))
      : [{ expression, captures, apart: new Set<Look>() }];
    const hazard = parts ? worst(parts.map((part) => hazardOfPart(part, allowance))) : "exponential";
    return { hazard, steps: allowance.used };
  } catch (error) {
    if (error instanceof NothingLeft) return undefined;
    throw error;
  }
}

/** Thrown when all steps for a pattern are used up. */
class NothingLeft extends Error {}

/** The steps for one pattern, over all of its automata. */
class Allowance {
  used = 0;
  private readonly steps: number;

  constructor(steps: number) {
    this.steps = steps;
  }

  /**
   * Runs one part of the analysis with the remaining steps, at most `mostSteps`.
   *
   * @returns nothing if the part needs more than `mostSteps`
   * @throws {NothingLeft}
   */
  judge<T>(judged: (work: Work) => T): T | undefined {
    const most = Math.min(mostSteps, this.steps - this.used);
    const work = new Work(most);
    try {
      return judged(work);
    } catch (error) {
      if (!(error instanceof TooMuchWork)) throw error;
      if (most < mostSteps) throw new NothingLeft();
      return undefined;
    } finally {
      this.used += most - work.rest;
    }
  }
}

/** An expression that is analysed separately: the pattern, or a lookahead in it. */
type Part = Omit<Construction, "counted">;

function hazardOfPart(part: Part, allowance: Allowance): Hazard {
  let least: Hazard = "exponential";
  for (const counted of isCounted(part.expression) ? [true, false] : [true]) {
    const hazard = allowance.judge((work) => hazardWith({ ...part, counted }, work)) ?? "exponential";
    if (hazard === "none") return hazard;
    if (hazard === "polynomial") least = hazard;
  }
  return least;
}

function hasLook(expression: Expression): boolean {
  return expression.kind === "look" || partsOf(expression).some(hasLook);
}

/** Whether an expression has repeats with an upper bound. The automaton may represent these by copies or by loops. */
function isCounted(expression: Expression): boolean {
  if (expression.kind === "repeat" && expression.max > 1 && expression.max < Infinity) return true;
  return partsOf(expression).some(isCounted);
}

/** @throws {TooMuchWork} */
function hazardWith(construction: Construction, work: Work): Hazard {
  const positions = positionsOf(construction, work);
  return positions ? hazardIn(positions, work) : "exponential";
}

function worst(hazards: readonly Hazard[]): Hazard {
  return severity[Math.max(...hazards.map((hazard) => severity.indexOf(hazard)))]!;
}

/**
 * Returns the pattern, and as separate patterns the lookaheads that one search tries a bounded number of times.
 *
 * @throws {TooMuchWork}
 */
function partsJudged(expression: Expression, captures: Captures, work: Work): Part[] {
  const few = new Set<Look>();
  const apart = new Set<Look>();
  for (const [look, times] of timesLookedFor(expression, work)) {
    if (boundOf(look.part, captures, look.behind, work).steps <= mostAside) apart.add(look);
    else if (times <= mostTimes && !look.behind) few.add(look);
  }
  const start: Expression = { kind: "boundary", at: "start" };
  const ahead = [...few].flatMap(({ part }) =>
    partsJudged({ kind: "sequence", parts: [start, part] }, captures, work),
  );
  return [...ahead, { expression, captures, apart: new Set([...apart, ...few]) }];
}

/** Lookaround of at most this many steps is allowed at every place. */
const mostAside = 128;

/** A lookahead of more steps is allowed if one search tries it at most this many times. */
const mostTimes = 16;

/**
 * Returns the outermost lookarounds of an expression, each with an upper bound of how often one search tries it: the
 * number of ways to reach it, infinite after or inside an unbounded repeat.
 *
 * @throws {TooMuchWork}
 */
function timesLookedFor(expression: Expression, work: Work): ReadonlyMap<Look, number> {
  const times = new Map<Look, number>();
  const ways = new Map<Expression, number>();
  const waysOf = (part: Expression): number => {
    work.step();
    let found = 1;
    if (part.kind === "sequence") found = part.parts.reduce((product, each) => product * waysOf(each), 1);
    else if (part.kind === "choice") found = part.arms.reduce((sum, arm) => sum + waysOf(arm), 0);
    else if (part.kind === "group") found = waysOf(part.part);
    else if (part.kind === "repeat") found = powers(waysOf(part.part), part.min, part.max);
    ways.set(part, found);
    return found;
  };
  /** @param before number of ways to reach the start of `part` */
  const walk = (part: Expression, before: number): void => {
    work.step();
    if (part.kind === "look") times.set(part, (times.get(part) ?? 0) + before);
    else if (part.kind === "choice") for (const arm of part.arms) walk(arm, before);
    else if (part.kind === "group") walk(part.part, before);
    else if (part.kind === "repeat") {
      if (part.max > 0) walk(part.part, before * powers(ways.get(part.part)!, 0, part.max - 1));
    } else if (part.kind === "sequence") {
      let reached = before;
      for (const each of part.parts) {
        walk(each, reached);
        reached *= ways.get(each)!;
      }
    }
  };
  waysOf(expression);
  walk(expression, startsAtStart(expression) ? 1 : Infinity);
  return times;
}

/** The sum of `base` ** n for n from `min` to `max`, with `base` of at least 1; infinite if it exceeds `mostTimes`. */
function powers(base: number, min: number, max: number): number {
  if (max === Infinity) return Infinity;
  if (base === 1) return max - min + 1;
  let sum = 0;
  for (let power = min; power <= max; power++) {
    sum += base ** power;
    if (sum > mostTimes) return Infinity;
  }
  return sum;
}

/** Maximum number of steps for one automaton. */
const mostSteps = 100_000;

/** Maximum number of steps for the patterns of one document. */
export const mostDocumentSteps = 1_000_000;

/** A constant number of ways for one text must not exceed this. */
const mostWays = 4096;

function hazardIn(positions: Positions, work: Work): Hazard {
  const search = new Search(positions, work);
  if (search.doubles()) return "exponential";
  if (search.ways() > mostWays) return "exponential";
  return search.adds() ? "polynomial" : "none";
}

/** Array elements that are allocated in one step. */
const cleared = 64;

class Search {
  private readonly positions: Positions;
  private readonly work: Work;
  private readonly loops: Loops;
  private readonly count: number;
  /** For each pair of positions: 1 if a code point leads to both, 2 if not, 0 if not computed yet. */
  private readonly shared: Uint8Array;

  constructor(positions: Positions, work: Work) {
    this.positions = positions;
    this.work = work;
    this.count = positions.sets.length;
    work.step(this.count + (this.count * this.count) / cleared);
    this.loops = new Loops(positions, work);
    this.shared = new Uint8Array(this.count * this.count);
  }

  /** Whether a position returns to itself in two ways on one text. */
  doubles(): boolean {
    for (const members of this.loops.members) {
      if (!this.loops.isLoop(members[0]!)) continue;
      for (const from of members)
        for (const [to, ways] of this.positions.follow[from]!) {
          this.work.step();
          if (ways > 1 && this.loops.share(from, to)) return true;
        }
      for (const start of members) if (this.returnsApart(start)) return true;
    }
    return false;
  }

  /** Whether two ways on the same text separate after `start` and meet there again. */
  private returnsApart(start: number): boolean {
    const apart = new Set<number>();
    const pending: [number, number][] = [[start, start]];
    const edges: [number, number][] = [];
    const seen = new Set([start * this.count + start]);
    while (pending.length > 0) {
      const [a, b] = pending.pop()!;
      for (const [nextA, nextB] of this.pairsAfter(a, b)) {
        if (!this.loops.share(start, nextA) || !this.loops.share(start, nextB)) continue;
        const key = nextA * this.count + nextB;
        edges.push([a * this.count + b, key]);
        if (nextA !== nextB) apart.add(key);
        if (!seen.has(key)) {
          seen.add(key);
          pending.push([nextA, nextB]);
        }
      }
    }
    return apart.size > 0 && this.comesBack(apart, edges, start * this.count + start);
  }

  private comesBack(from: ReadonlySet<number>, edges: readonly [number, number][], to: number): boolean {
    const before = new Map<number, number[]>();
    for (const [source, target] of edges) {
      const sources = before.get(target);
      if (sources) sources.push(source);
      else before.set(target, [source]);
    }
    const reached = new Set([to]);
    for (const key of reached) {
      const sources = before.get(key) ?? [];
      this.work.step(1 + sources.length);
      for (const source of sources) reached.add(source);
    }
    return [...from].some((key) => reached.has(key));
  }

  /** Whether a loop leads to a second loop that reads the same text. */
  adds(): boolean {
    for (let from = 0; from < this.count; from++) {
      if (!this.loops.isLoop(from)) continue;
      for (let to = 0; to < this.count; to++) {
        this.work.step();
        if (to !== from && this.loops.isLoop(to) && this.loops.leads(from, to) && this.leads(from, to))
          return true;
      }
    }
    return false;
  }

  /** Whether one text leads from `from` to `from`, from `from` to `to`, and from `to` to `to`. */
  private leads(from: number, to: number): boolean {
    const { count } = this;
    const seen = new Set<number>();
    const pending: [number, number, number][] = [[from, from, to]];
    while (pending.length > 0) {
      const [a, b, c] = pending.pop()!;
      for (const [nextA, nextB] of this.pairsAfter(a, b)) {
        if (!this.loops.share(from, nextA) || !(nextB === to || this.loops.leads(nextB, to))) continue;
        for (const nextC of this.positions.follow[c]!.keys()) {
          this.work.step();
          if (!this.loops.share(to, nextC) || !this.share(nextA, nextC) || !this.share(nextB, nextC))
            continue;
          if (nextA === from && nextB === to && nextC === to) return true;
          const key = (nextA * count + nextB) * count + nextC;
          if (seen.has(key)) continue;
          seen.add(key);
          pending.push([nextA, nextB, nextC]);
        }
      }
    }
    return false;
  }

  /** An upper bound for the number of ways for one text that does not depend on its length. */
  ways(): number {
    let ways = this.positions.endings;
    for (const next of this.positions.follow) {
      let most = 1;
      for (const a of next.keys()) {
        let same = 0;
        for (const [b, number] of next) {
          this.work.step();
          if (this.share(a, b)) same += number;
        }
        most = Math.max(most, same);
      }
      ways *= most;
    }
    return ways;
  }

  private *pairsAfter(a: number, b: number): Generator<[number, number]> {
    for (const nextA of this.positions.follow[a]!.keys()) {
      for (const nextB of this.positions.follow[b]!.keys()) {
        this.work.step();
        if (this.share(nextA, nextB)) yield [nextA, nextB];
      }
    }
  }

  private share(a: number, b: number): boolean {
    const key = a * this.count + b;
    const known = this.shared[key]!;
    if (known > 0) return known === 1;
    const { sets } = this.positions;
    this.work.step(sets[a]!.length + sets[b]!.length);
    const found = shareCodePoint(this.positions, a, b);
    this.shared[key] = this.shared[b * this.count + a] = found ? 1 : 2;
    return found;
  }
}
