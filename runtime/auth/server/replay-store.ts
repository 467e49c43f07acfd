import { BoundedMap } from "@mcpgen/base";

/** Stores used proofs. The processes of a server should share it: otherwise each of them accepts a proof once. */
export interface ReplayStore {
  /**
   * Records an identifier, atomically.
   *
   * @param until seconds since 1970 after which the identifier may be forgotten
   * @param principal principal of the proof, so that a full store refuses the principals that fill it instead of
   *   others
   * @returns `new` if the identifier was not recorded before; `full` if it cannot be recorded
   */
  use(
    id: string,
    until: number,
    principal?: string,
  ): "new" | "used" | "full" | Promise<"new" | "used" | "full">;
}

/** Maximum number of identifiers, and of their bytes including overhead (64 MB). */
const bounds = { count: 250_000, bytes: 64_000_000 };

/** Bytes of an entry in addition to its characters. */
const overhead = 200;

/** Stores used proofs in memory. */
export class MemoryReplayStore implements ReplayStore {
  readonly #windowMs: number;
  readonly #used: BoundedMap<string, true>;

  /** @param seconds for which a proof is valid before and after its time */
  constructor(seconds: number) {
    // A proof with a future time is valid for up to twice as long.
    this.#windowMs = 2000 * seconds;
    // A full store must not drop entries, or a stolen proof could be used again.
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
