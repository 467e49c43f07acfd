import type { Role } from "../../model/model.js";
import type { Fact, Pair } from "../align/pair.js";
import type { Context } from "./context.js";

/** A place where the comparison starts: what a message carries. */
export interface Root {
  readonly pair: Pair;
  readonly context: Context;
  readonly writers: readonly Role[];
  readonly methods: readonly string[];
  /** Members that other roots account for are not entered from here. */
  readonly isEntered?: (key: string) => boolean;
}

/** A difference of a whole message, found without walking into it. */
export interface MessageFact {
  readonly fact: Fact;
  readonly context: Context;
  readonly writers: readonly Role[];
  readonly methods: readonly string[];
}
