import { BoundedMap } from "@mcpgen/base";

/** Remembers the proofs that were used. Processes of one server share it, or each accepts a proof once. */
export interface ReplayStore {
  /**
   * Records an identifier, in one step.
   *
   * @param until seconds since 1970 after which the identifier may be forgotten
   * @param principal whose proof it is: a store that is full refuses those who fill it, not the first proof of another
   * @returns `new` if it was not recorded; `full` if it cannot be recorded
   */
  use(
    id: string,
    until: number,
    principal?: string,
  ): "new" | "used" | "full" | Promise<"new" | "used" | "full">;
}

/** Identifiers, and bytes of them with what a map takes: 64 MB. */
const bounds = { count: 250_000, bytes: 64_000_000 };

/** Bytes that an entry takes beside its characters. */
const overhead = 200;

/** Remembers proofs in memory. */
export class MemoryReplayStore implements ReplayStore {
  readonly #windowMs: number;
  readonly #used: BoundedMap<string, true>;

  /** @param seconds that a proof is valid before and after its time */
  constructor(seconds: number) {
    // A proof of the future is valid for twice as long.
    this.#windowMs = 2000 * seconds;
    // A full store must not forget: a stolen proof could be used again.
    this.#used = new BoundedMap({ ...bounds, full: "refuse", lifeMs: this.#windowMs, now: () => Date.now() });
  }

  use(id: string, until?: number, principal?: string): "new" | "used" | "full" {
    if (this.#used.get(id)) return "used";
    const left = until === undefined ? this.#windowMs : 1000 * (until + 1) - Date.now();
    const entry = {
      bytes: id.length + overhead,
      lifeMs: Math.min(Math.max(left, 1000), this.#windowMs + 1000),
      ...(principal !== undefined && { principal }),
    };
    return this.#used.set(id, true, entry) ? "new" : "full";
  }
}
