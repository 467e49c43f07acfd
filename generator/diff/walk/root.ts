import type { Role } from "../../model/model.js";
import type { Edge, Fact, Pair } from "../../compare/align/pair.js";
import type { Context } from "./context.js";

/** A place where the comparison starts: what a message carries. */
export interface Root {
  readonly pair: Pair;
  readonly context: Context;
  readonly writers: readonly Role[];
  readonly methods: readonly string[];
  /** Members that other roots account for are not entered from here. */
  readonly isEntered?: (key: string, edge: Edge) => boolean;
  /** Reports only facts for which a message proves a break. */
  readonly needsProof?: true;
  /** Excludes facts that other roots report. */
  readonly isReported?: (fact: Fact, pair: Pair) => boolean;
}

/** A difference of a whole message, found without walking into it. */
export interface MessageFact {
  readonly fact: Fact;
  readonly context: Context;
  readonly writers: readonly Role[];
  readonly methods: readonly string[];
}
