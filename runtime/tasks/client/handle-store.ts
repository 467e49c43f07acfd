/** The stored form of a task handle: JSON. */
export interface StoredHandle {
  readonly taskId: string;
  /**
   * The server of the task: its URL without query, or else the name in its server info. If absent, any server.
   */
  readonly endpoint?: string;
  readonly tool?: string;
  /** Creation time of the task (ISO 8601). */
  readonly createdAt?: string;
  /** Answers to the task's requests for input, by key, so that none is asked again. */
  readonly answers: { readonly [key: string]: object };
}

/** Stores handles, so that another process can continue the tasks. */
export interface HandleStore {
  /**
   * Adds a handle, or replaces the one of the same task. The client continues with the task when the promise
   * resolves.
   */
  put(handle: StoredHandle): void | Promise<void>;
  delete(handle: StoredHandle): void | Promise<void>;
  /** Returns all handles, in any order, for the application: `tasks()` does not call it. */
  all?(): readonly StoredHandle[] | Promise<readonly StoredHandle[]>;
}
