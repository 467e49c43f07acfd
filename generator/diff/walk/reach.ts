import type { Edge, Pair } from "../align/pair.js";
import type { Root } from "./root.js";

/** How one pair was reached from another. */
export interface Link {
  readonly from: Pair;
  readonly edge: Edge;
}

/** Every pair that a root leads to, with the shortest way there; nothing for the root's own. */
export type Reached = ReadonlyMap<Pair, Link | undefined>;

export function reachedFrom({ pair, isEntered }: Pick<Root, "pair" | "isEntered">): Reached {
  const reached = new Map<Pair, Link | undefined>([[pair, undefined]]);
  // A Map's iteration includes what is added meanwhile: breadth first.
  for (const [from] of reached) {
    for (const edge of from.edges) {
      const { step, child } = edge;
      if (reached.has(child)) continue;
      if (from === pair && step.kind === "member" && isEntered && !isEntered(step.key, edge)) continue;
      reached.set(child, { from, edge });
    }
  }
  return reached;
}
