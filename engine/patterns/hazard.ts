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
 * How the time that a backtracking matcher takes may grow with the text: with its length, with a power of it, or
 * exponentially. An upper bound: `exponential` may also mean that nothing better is known, or that finding it out would
 * take too much work.
 */
export type Hazard = "none" | "polynomial" | "exponential";

const severity: readonly Hazard[] = ["none", "polynomial", "exponential"];

/**
 * Judges a pattern by the ways in which its automaton can take one text (Weber and Seidl 1991): a position that
 * comes back to itself on one text in two ways doubles them each time; two that come back on the same text, the
 * one leading to the other, add to them each time. Lookaround must take a bounded time wherever it stands, or be
 * lookahead that is looked for a bounded number of times, as behind `^` and a prefix, and is judged apart; otherwise it
 * counts as `exponential`. So do backreferences, except to groups of bounded length, each of which has at most the
 * ways of a copy of its group.
 *
 * @param pattern a regular expression that `new RegExp(pattern, "u")` takes
 */
export function hazardOf(pattern: string): Hazard {
  return judgePattern(pattern, mostDocumentSteps)?.hazard ?? "exponential";
}

/** What is found out about a pattern, and the steps that it took. */
export interface Judgement {
  readonly hazard: Hazard;
  readonly steps: number;
}

/**
 * Judges a pattern as `hazardOf` does.
 *
 * @param steps that it may take
 * @returns nothing where it takes more
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

/** Thrown where all steps for a pattern are taken. */
class NothingLeft extends Error {}

/** The steps that a pattern may take, over all of its automata. */
class Allowance {
  used = 0;
  private readonly steps: number;

  constructor(steps: number) {
    this.steps = steps;
  }

  /**
   * Judges one automaton, or what automata are to be judged.
   *
   * @returns nothing where that takes more than `mostSteps`
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

/** An expression that is judged by itself: the pattern, or lookahead in it. */
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

/** Whether it has repeats with an upper bound, which may stand for copies or for loops. */
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
 * The pattern, and each lookahead that one search looks for a bounded number of times, as a pattern that begins there.
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

/** Lookaround may take so many steps wherever it stands. */
const mostAside = 128;

/** Lookahead that takes any number of steps may be looked for so often in one search. */
const mostTimes = 16;

/**
 * The lookaround of an expression, without that inside of other lookaround, and how often one search looks for it at
 * most: as often as there are ways to it, if no repeat without end stands before it or around it.
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
  /** @param before in how many ways the beginning of `part` is reached */
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

/** The sum of `base` to the powers from `min` to `max`, for a base from 1; infinite if it is large. */
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

/** More work than this on one automaton is not done. */
const mostSteps = 100_000;

/** More work than this on the patterns of one document is not done. */
export const mostDocumentSteps = 1_000_000;

/** More ways than this for one text, though they do not grow with it, are too many. */
const mostWays = 4096;

function hazardIn(positions: Positions, work: Work): Hazard {
  const search = new Search(positions, work);
  if (search.doubles()) return "exponential";
  if (search.ways() > mostWays) return "exponential";
  return search.adds() ? "polynomial" : "none";
}

/** Members of an array that are made in a step. */
const cleared = 64;

class Search {
  private readonly positions: Positions;
  private readonly work: Work;
  private readonly loops: Loops;
  private readonly count: number;
  /** Of pairs of positions: 1 if a code point leads to both, 2 if none does, 0 if that is not known yet. */
  private readonly shared: Uint8Array;

  constructor(positions: Positions, work: Work) {
    this.positions = positions;
    this.work = work;
    this.count = positions.sets.length;
    work.step(this.count + (this.count * this.count) / cleared);
    this.loops = new Loops(positions, work);
    this.shared = new Uint8Array(this.count * this.count);
  }

  /** Whether a position comes back to itself on one text in two ways. */
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

  /** Whether two ways part from `start` on the same text and meet there again. */
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

  /** Whether a loop leads to another that takes the same text. */
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

  /** Whether some text leads from `from` back to it, from `from` to `to`, and from `to` back to it. */
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

  /** At most so many ways for one text, as far as they do not grow with it. */
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
