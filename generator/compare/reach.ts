import { groupBy } from "@mcpgen/engine";
import type { Edge, Pair } from "./align/pair.js";

/** The start of a walk. */
interface Start {
  readonly pair: Pair;
  /** Selects the members of the first pair to enter; default: all. */
  readonly isEntered?: (key: string, edge: Edge) => boolean;
}

/** How a pair was reached from another. */
export interface Link {
  readonly from: Pair;
  readonly edge: Edge;
}

/**
 * Every pair reachable from a root, with the last link of the shortest path; undefined for the root's pair.
 */
export type Reached = ReadonlyMap<Pair, Link | undefined>;

/** @param within the relevant pairs and all pairs on the paths to them; default: all */
export function reachedFrom(root: Start, within?: ReadonlySet<Pair>): Reached {
  const reached = new Map<Pair, Link | undefined>([[root.pair, undefined]]);
  // A Map's iteration includes entries added during the loop, which makes the search breadth-first.
  for (const [from] of reached) {
    for (const edge of from.edges) {
      const { child } = edge;
      if (reached.has(child) || (within && !within.has(child)) || !isEntered(root, from, edge)) continue;
      reached.set(child, { from, edge });
    }
  }
  return reached;
}

/** All pairs reachable from any of the roots, and the known ones. */
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

/** The pairs with facts, and the pairs that lead to them. */
export function leadingToFacts(pairs: ReadonlySet<Pair>): Set<Pair> {
  const edges = [...pairs].flatMap((holder) => holder.edges.map(({ child }) => ({ holder, child })));
  const holders = groupBy(edges, ({ child }) => child);
  const leading = new Set([...pairs].filter(({ facts }) => facts.length > 0));
  for (const pair of leading) for (const { holder } of holders.get(pair) ?? []) leading.add(holder);
  return leading;
}
