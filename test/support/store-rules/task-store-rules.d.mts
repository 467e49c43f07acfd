import type { TaskRecord, TaskStore } from "@mcpgen/tasks";

/** A rule that every task store obeys. */
export interface StoreRule {
  readonly name: string;
  /**
   * Rejects if the store breaks the rule.
   *
   * @param store an empty one
   * @param other an empty one beside it, on the same database, with another table or prefix
   */
  readonly check: (store: TaskStore, other: TaskStore) => Promise<void>;
}

/** A task for tests of stores. */
export function sampleTask(id: string, changes?: Partial<TaskRecord>): TaskRecord;

/** The rules of task stores: a test for each, with empty stores. */
export const storeRules: readonly StoreRule[];
