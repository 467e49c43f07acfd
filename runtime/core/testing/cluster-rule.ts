import type { ClusterStore, FollowedEvent } from "../http/server/cluster/store.js";
import { oddTexts } from "./rule-checks.js";

/** Stores that a rule judges. Rules close none but what they say. */
export interface ClusterStores {
  readonly store: ClusterStore;
  /** Over the same data by other connections, as another process has it. */
  readonly peer: ClusterStore;
  /** On the same database, with another table or prefix. */
  readonly other: ClusterStore;
}

/** A rule that every store of processes obeys. */
export interface ClusterRule {
  readonly name: string;
  /** Rejects if the store breaks the rule. Rules about expiry take real time. All stores are empty. */
  readonly check: (stores: ClusterStores) => Promise<void>;
}

/** Longer than a test takes, in milliseconds. */
export const longTtlMs = 600_000;
export const shortTtlMs = 50;

/** Names that databases and their drivers like to fold, cut off or take for syntax. All are visible ASCII. */
export const oddNames: readonly string[] = [...oddTexts, "b{a}", ";", "--", "x".repeat(100)];

/** The members of an event that a channel got, in one order. */
export function followed(message: string): readonly string[] {
  const { id, stream, data } = JSON.parse(message) as FollowedEvent;
  return [id, stream, data];
}
