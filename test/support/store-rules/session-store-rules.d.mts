import type { SessionStore, StoredSession } from "@mcpgen/runtime/http";

/** A rule for all session stores. */
export interface SessionStoreRule {
  readonly name: string;
  /**
   * Rejects if the store breaks the rule. Rules about expiry take real time.
   *
   * @param store an empty store
   * @param other another empty store on the same database, with another table or prefix
   */
  readonly check: (store: SessionStore, other: SessionStore) => Promise<void>;
}

/** A session for tests of stores. */
export function sampleSession(id: string, changes?: Partial<StoredSession>): StoredSession;

/** The rules of session stores. Make one test for each, with empty stores. */
export const sessionStoreRules: readonly SessionStoreRule[];
