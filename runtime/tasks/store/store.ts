import type { TaskRecord } from "../state/record.js";

/** What the records of a store may take, in characters: the sums of `size`. `Infinity`: no limit. */
export interface StoreLimits {
  /** Of one client. */
  readonly bytes: number;
  /**
   * Of all clients. A client that has some gets no more than stays free afterwards: alone, half of it. One that has none yet
   * may take what is left.
   */
  readonly totalBytes: number;
}

/** What the tasks of one client take. */
export interface TaskUsage {
  readonly tasks: number;
  /** The sum of `size` of its records. */
  readonly bytes: number;
}

/**
 * Keeps tasks. It knows nothing of their states: records are JSON. Each function is atomic. `@mcpgen/tasks/testing` has the
 * rules that every store obeys.
 */
export interface TaskStore {
  /**
   * Adds a task. It is durable, and other processes can read it, when the promise resolves.
   *
   * @param limits of what the store has afterwards. A store that does not know them keeps more than the quotas
   *   `storedBytes` and `totalBytes` allow.
   * @returns `full` if it would have more; nothing is changed then
   */
  create(task: TaskRecord, limits?: StoreLimits): Promise<void | "full">;
  read(id: string): Promise<TaskRecord | undefined>;
  /**
   * Puts a record in the place of another one.
   *
   * @param version of the record that it replaces
   * @param limits of what the store has afterwards; a record that is not larger than the one that it replaces always fits
   * @returns `false` if the task has another version, or is gone; `full` if the store would have more than the limits allow;
   *   nothing is changed then
   */
  replace(task: TaskRecord, version: number, limits?: StoreLimits): Promise<boolean | "full">;
  /**
   * The tasks whose `dueAt` has come, the earliest first.
   *
   * @param now milliseconds since 1970
   */
  due(now: number, limit: number): Promise<readonly TaskRecord[]>;
  /**
   * The tasks of one client, in any order that stays the same. Without this function, tasks cannot be listed.
   *
   * @param after id of the last task of the page before
   */
  list?(owner: string, after: string | undefined, limit: number): Promise<readonly TaskRecord[]>;
  /** What the tasks of one client take. Without this function, the quotas of what is stored have no effect. */
  usage?(owner: string): TaskUsage | Promise<TaskUsage>;
  /**
   * Removes a task, if it is there and has this version.
   *
   * @returns whether this call removed it
   */
  remove(id: string, version: number): Promise<boolean>;
  /**
   * Milliseconds since 1970, by a clock that all processes of the store share: leases depend on it. Without this function, each
   * process uses its own clock.
   */
  now?(): Promise<number>;
}
