import type { TaskRecord } from "../state/record.js";

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
  /** Adds a task. It is durable, and other processes can read it, when the promise resolves. */
  create(task: TaskRecord): Promise<void>;
  read(id: string): Promise<TaskRecord | undefined>;
  /**
   * Puts a record in the place of another one.
   *
   * @param version of the record that it replaces
   * @returns `false` if the task has another version, or is gone; nothing is changed then
   */
  replace(task: TaskRecord, version: number): Promise<boolean>;
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
