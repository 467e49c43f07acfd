import type { ClusterStore } from "@mcpgen/cluster";

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

/** The rules of stores that processes share: a test for each. */
export const clusterStoreRules: readonly ClusterRule[];
