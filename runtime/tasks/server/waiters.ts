/** Wakes what waits for changes of tasks in this process. */
export class Waiters {
  readonly #byId = new Map<string, Set<() => void>>();

  /** Calls `wake` at the next change of a task. Returns a function that removes it. */
  add(id: string, wake: () => void): () => void {
    const all = this.#byId.get(id) ?? new Set();
    this.#byId.set(id, all.add(wake));
    return () => {
      all.delete(wake);
      if (all.size === 0 && this.#byId.get(id) === all) this.#byId.delete(id);
    };
  }

  changed(id: string): void {
    for (const wake of this.#byId.get(id) ?? []) wake();
  }
}
