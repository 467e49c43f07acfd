import type { SessionStore, StoredSession } from "@mcpgen/runtime/http";

/** A rule that every session store obeys. */
export interface SessionStoreRule {
  readonly name: string;
  /**
   * Rejects if the store breaks the rule. Rules about expiry take real time.
   *
   * @param store an empty one
   * @param other an empty one beside it, on the same database, with another table or prefix
   */
  readonly check: (store: SessionStore, other: SessionStore) => Promise<void>;
}

/** A session for tests of stores. */
export function sampleSession(id: string, changes?: Partial<StoredSession>): StoredSession;

/** The rules of session stores: a test for each, with empty stores. */
export const sessionStoreRules: readonly SessionStoreRule[];
