/** Remembers the proofs that were used. Processes of one server share it, or each accepts a proof once. */
export interface ReplayStore {
  /**
   * Records an identifier, in one step.
   *
   * @param until seconds since 1970 after which the identifier may be forgotten
   * @returns `new` if it was not recorded; `full` if it cannot be recorded
   */
  use(id: string, until: number): "new" | "used" | "full" | Promise<"new" | "used" | "full">;
}

/** Identifiers of one generation; about 60 MB if two are full. */
const most = 250_000;

/** Remembers proofs in memory. Two generations follow one another, so forgetting costs nothing. */
export class MemoryReplayStore implements ReplayStore {
  readonly #windowMs: number;
  #current = new Set<string>();
  #previous = new Set<string>();
  #since = 0;

  /** @param seconds that a proof is valid before and after its time */
  constructor(seconds: number) {
    // A proof of the future is valid for twice as long.
    this.#windowMs = 2000 * seconds;
  }

  use(id: string): "new" | "used" | "full" {
    const age = Date.now() - this.#since;
    if (age >= this.#windowMs || age < 0) {
      this.#previous = age < 2 * this.#windowMs ? this.#current : new Set();
      this.#current = new Set();
      this.#since = Date.now();
    }
    if (this.#current.has(id) || this.#previous.has(id)) return "used";
    // A full store must not forget: a stolen proof could be used again.
    if (this.#current.size >= most) return "full";
    this.#current.add(id);
    return "new";
  }
}
