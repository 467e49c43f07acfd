import type { TaskRecord } from "../state/record.js";

/** Limits on the sums of `size` of stored records, in characters. `Infinity` means no limit. */
export interface StoreLimits {
  /** Limit for one client. */
  readonly bytes: number;
  /**
   * Limit for all clients together. If a client has tasks already, its records may use at most as much as stays free
   * afterwards, so one client alone can use at most half. The first task of a client may use everything that is free.
   */
  readonly totalBytes: number;
}

/** The number and size of a client's tasks. */
export interface TaskUsage {
  readonly tasks: number;
  /** The sum of `size` of the client's records. */
  readonly bytes: number;
}

/**
 * Stores tasks. The store treats records as JSON and need not interpret their states. Each function is atomic. The
 * repository of mcpgen has tests that every store must pass (`test/support/store-rules`).
 */
export interface TaskStore {
  /**
   * Adds a task. When the promise resolves, the task is durable, and other processes can read it.
   *
   * @param limits that must hold afterwards. A store that ignores them may exceed the quotas `storedBytes` and `totalBytes`.
   * @returns `full` if the limits would be exceeded; nothing changes then
   */
  create(task: TaskRecord, limits?: StoreLimits): Promise<void | "full">;
  read(id: string): Promise<TaskRecord | undefined>;
  /**
   * Replaces a record.
   *
   * @param version of the replaced record
   * @param limits that must hold afterwards; they do not apply to a record that does not grow
   * @returns `false` if the task has another version or is gone; `full` if the limits would be exceeded; nothing changes
   *   then
   */
  replace(task: TaskRecord, version: number, limits?: StoreLimits): Promise<boolean | "full">;
  /**
   * Returns the tasks whose `dueAt` has come, earliest first.
   *
   * @param now milliseconds since 1970
   */
  due(now: number, limit: number): Promise<readonly TaskRecord[]>;
  /**
   * Returns the tasks of one client, in any stable order. Without this function, tasks cannot be listed.
   *
   * @param after id of the last task of the previous page
   */
  list?(owner: string, after: string | undefined, limit: number): Promise<readonly TaskRecord[]>;
  /** Returns the usage of one client. Without this function, the quotas about stored tasks have no effect. */
  usage?(owner: string): TaskUsage | Promise<TaskUsage>;
  /**
   * Removes a task if it exists and has this version.
   *
   * @returns whether this call removed it
   */
  remove(id: string, version: number): Promise<boolean>;
  /**
   * Returns milliseconds since 1970, by a clock that all processes of the store share. Leases depend on it. Without this
   * function, each process uses its own clock.
   */
  now?(): Promise<number>;
}
