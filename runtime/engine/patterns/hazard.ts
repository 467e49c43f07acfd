import { type Expression, parsePattern } from "./parse.js";
import { type Positions, positionsOf, reachableFrom, shareCodePoint } from "./positions.js";

/**
 * How the time that a backtracking matcher takes may grow with the text: with its length, with a power of it, or
 * exponentially. An upper bound: `exponential` may also mean that nothing better is known.
 */
export type Hazard = "none" | "polynomial" | "exponential";

const severity: readonly Hazard[] = ["none", "polynomial", "exponential"];

/**
 * Judges a pattern by the ways in which its automaton can take one text (Weber and Seidl 1991): a position that
 * comes back to itself on one text in two ways doubles them each time; two that come back on the same text, the
 * one leading to the other, add to them each time. Of lookaround, what has a fixed length is judged, and what
 * stands right behind `^`; otherwise it counts as `exponential`, as backreferences do.
 *
 * @param pattern a regular expression that `new RegExp(pattern, "u")` takes
 */
export function hazardOf(pattern: string): Hazard {
  if (!/[*+?{|\\]/.test(pattern)) return "none";
  const expression = parsePattern(pattern);
  if (!expression) return "exponential";
  return worst(judgedOnce(expression).map(hazardOfExpression));
}

function hazardOfExpression(expression: Expression): Hazard {
  const ranks = [true, false].map((counted) => {
    const positions = positionsOf(expression, counted);
    return severity.indexOf(positions ? hazardIn(positions) : "exponential");
  });
  return severity[Math.min(...ranks)]!;
}

function worst(hazards: readonly Hazard[]): Hazard {
  return severity[Math.max(...hazards.map((hazard) => severity.indexOf(hazard)))]!;
}

/** The pattern, and what it looks ahead for at the beginning of the text, where it looks only once. */
function judgedOnce(expression: Expression): Expression[] {
  if (expression.kind !== "sequence" || !isStart(expression.parts[0])) return [expression];
  const [start, ...parts] = expression.parts as [Expression, ...Expression[]];
  const other = parts.findIndex(({ kind }) => kind !== "look");
  const looks = parts.slice(0, other < 0 ? parts.length : other);
  const rest = [start, ...parts.slice(looks.length)];
  return [...looks.map((look) => [start, (look as Look).part]), rest].map((members) => ({
    kind: "sequence",
    parts: members,
  }));
}

type Look = Expression & { readonly kind: "look" };

function isStart(expression: Expression | undefined): boolean {
  return expression?.kind === "boundary" && expression.at === "start";
}

/** More work than this on one pattern is not done. */
const mostSteps = 1_000_000;

/** More ways than this for one text, though they do not grow with it, are too many. */
const mostWays = 4096;

class TooMuch extends Error {}

function hazardIn(positions: Positions): Hazard {
  const search = new Search(positions);
  try {
    if (search.doubles()) return "exponential";
    if (search.ways() > mostWays) return "exponential";
    return search.adds() ? "polynomial" : "none";
  } catch (error) {
    if (error instanceof TooMuch) return "exponential";
    throw error;
  }
}

class Search {
  private readonly positions: Positions;
  private readonly reachable: readonly ReadonlySet<number>[];
  private readonly count: number;
  private steps = 0;

  constructor(positions: Positions) {
    this.positions = positions;
    this.count = positions.sets.length;
    this.reachable = positions.sets.map((_, position) => reachableFrom(positions, position));
  }

  /** Whether a position comes back to itself on one text in two ways. */
  doubles(): boolean {
    for (let start = 0; start < this.count; start++) {
      if (!this.reachable[start]!.has(start)) continue;
      const inLoop = (position: number): boolean => this.inLoop(start, position);
      for (const from of [start, ...this.reachable[start]!].filter(inLoop)) {
        for (const [to, ways] of this.positions.follow[from]!) if (ways > 1 && inLoop(to)) return true;
      }
      if (this.returnsApart(start, inLoop)) return true;
    }
    return false;
  }

  private inLoop(start: number, position: number): boolean {
    return this.reachable[start]!.has(position) && this.reachable[position]!.has(start);
  }

  /** Whether two ways part from `start` on the same text and meet there again. */
  private returnsApart(start: number, inLoop: (position: number) => boolean): boolean {
    const apart = new Set<number>();
    const pending: [number, number][] = [[start, start]];
    const edges: [number, number][] = [];
    const seen = new Set([start * this.count + start]);
    while (pending.length > 0) {
      const [a, b] = pending.pop()!;
      for (const [nextA, nextB] of this.pairsAfter(a, b)) {
        if (!inLoop(nextA) || !inLoop(nextB)) continue;
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
    for (const [source, target] of edges) before.set(target, [...(before.get(target) ?? []), source]);
    const reached = new Set([to]);
    for (const key of reached) {
      this.step();
      for (const source of before.get(key) ?? []) reached.add(source);
    }
    return [...from].some((key) => reached.has(key));
  }

  /** Whether a loop leads to another that takes the same text. */
  adds(): boolean {
    for (let from = 0; from < this.count; from++) {
      if (!this.reachable[from]!.has(from)) continue;
      for (const to of this.reachable[from]!) {
        if (to !== from && this.reachable[to]!.has(to) && this.leads(from, to)) return true;
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
        if (!this.inLoop(from, nextA) || !(nextB === to || this.reachable[nextB]!.has(to))) continue;
        for (const nextC of this.positions.follow[c]!.keys()) {
          this.step();
          if (!this.inLoop(to, nextC) || !this.share(nextA, nextC) || !this.share(nextB, nextC)) continue;
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
    let ways = 1;
    for (const next of this.positions.follow) {
      let most = 1;
      for (const a of next.keys()) {
        let same = 0;
        for (const [b, number] of next) if (this.share(a, b)) same += number;
        most = Math.max(most, same);
      }
      ways *= most;
    }
    return ways;
  }

  private *pairsAfter(a: number, b: number): Generator<[number, number]> {
    for (const nextA of this.positions.follow[a]!.keys()) {
      for (const nextB of this.positions.follow[b]!.keys()) {
        this.step();
        if (this.share(nextA, nextB)) yield [nextA, nextB];
      }
    }
  }

  private share(a: number, b: number): boolean {
    return shareCodePoint(this.positions, a, b);
  }

  private step(): void {
    if (++this.steps > mostSteps) throw new TooMuch();
  }
}
