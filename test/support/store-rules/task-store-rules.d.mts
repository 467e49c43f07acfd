import type { TaskRecord, TaskStore } from "@mcpgen/tasks";

/** A rule for all task stores. */
export interface StoreRule {
  readonly name: string;
  /**
   * Rejects if the store breaks the rule.
   *
   * @param store an empty store
   * @param other another empty store on the same database, with another table or prefix
   */
  readonly check: (store: TaskStore, other: TaskStore) => Promise<void>;
}

/** A task for tests of stores. */
export function sampleTask(id: string, changes?: Partial<TaskRecord>): TaskRecord;

/** The rules of task stores. Make one test for each, with empty stores. */
export const storeRules: readonly StoreRule[];
