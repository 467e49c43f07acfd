import type { Edge, Pair } from "./align/pair.js";

/** The start of a walk. */
interface Start {
  readonly pair: Pair;
  /** Which members of the first pair are entered; without it, all are. */
  readonly isEntered?: (key: string, edge: Edge) => boolean;
}

/** How one pair was reached from another. */
export interface Link {
  readonly from: Pair;
  readonly edge: Edge;
}

/** Every pair that a root leads to, with the shortest way there; nothing for the root's own. */
export type Reached = ReadonlyMap<Pair, Link | undefined>;

/** @param within the pairs that are of interest, and all on the way to them; without it all are */
export function reachedFrom(root: Start, within?: ReadonlySet<Pair>): Reached {
  const reached = new Map<Pair, Link | undefined>([[root.pair, undefined]]);
  // A Map's iteration includes what is added meanwhile: breadth first.
  for (const [from] of reached) {
    for (const edge of from.edges) {
      const { child } = edge;
      if (reached.has(child) || (within && !within.has(child)) || !isEntered(root, from, edge)) continue;
      reached.set(child, { from, edge });
    }
  }
  return reached;
}

/** Every pair that any of the roots leads to, with those known before. */
export function metFrom(roots: readonly Start[], known: ReadonlySet<Pair> = new Set()): Set<Pair> {
  const met = new Set(known);
  const inside = new Set<Pair>();
  for (const root of roots) {
    met.add(root.pair);
    for (const edge of root.pair.edges) if (isEntered(root, root.pair, edge)) inside.add(edge.child);
  }
  for (const pair of inside) {
    met.add(pair);
    for (const { child } of pair.edges) inside.add(child);
  }
  return met;
}

function isEntered({ pair, isEntered }: Start, from: Pair, edge: Edge): boolean {
  const { step } = edge;
  return from !== pair || step.kind !== "member" || !isEntered || isEntered(step.key, edge);
}

/** The pairs that have facts, and those that lead to them. */
export function leadingToFacts(pairs: ReadonlySet<Pair>): Set<Pair> {
  const holders = new Map<Pair, Pair[]>();
  for (const pair of pairs) {
    for (const { child } of pair.edges) {
      const known = holders.get(child);
      if (known) known.push(pair);
      else holders.set(child, [pair]);
    }
  }
  const leading = new Set([...pairs].filter(({ facts }) => facts.length > 0));
  for (const pair of leading) for (const holder of holders.get(pair) ?? []) leading.add(holder);
  return leading;
}
