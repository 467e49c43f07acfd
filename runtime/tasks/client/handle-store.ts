/** A task, as it is stored: JSON. */
export interface StoredHandle {
  readonly taskId: string;
  /** The server of the task: its URL without query, or else the name that it gives itself. Absent: any server. */
  readonly endpoint?: string;
  readonly tool?: string;
  /** When the server made the task (ISO 8601). */
  readonly createdAt?: string;
  /** Answers of this client by key: what was answered is not asked again. */
  readonly answers: { readonly [key: string]: object };
}

/** Keeps handles, so that another process can go on with tasks. */
export interface HandleStore {
  /** Stores a handle, in place of the one of the same task. The task goes on when the promise resolves. */
  put(handle: StoredHandle): void | Promise<void>;
  delete(handle: StoredHandle): void | Promise<void>;
  /** All handles, in any order. `tasks()` does not call it. */
  all?(): readonly StoredHandle[] | Promise<readonly StoredHandle[]>;
}
