import type { ClusterStore } from "@mcpgen/cluster";

/** The stores that a rule tests. A rule closes a store only if it says so. */
export interface ClusterStores {
  readonly store: ClusterStore;
  /** A store with the same data over other connections, as in another process. */
  readonly peer: ClusterStore;
  /** A store on the same database, with another table or prefix. */
  readonly other: ClusterStore;
}

/** A rule for all cluster stores. */
export interface ClusterRule {
  readonly name: string;
  /** Rejects if the store breaks the rule. Rules about expiry take real time. All stores must be empty. */
  readonly check: (stores: ClusterStores) => Promise<void>;
}

/** The rules of cluster stores. Make one test for each. */
export const clusterStoreRules: readonly ClusterRule[];
