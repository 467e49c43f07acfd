/** How much of one resource may be in use. Absent members have no limit. */
export interface Amounts {
  readonly count?: number;
  readonly bytes?: number;
}

/** A quota that principals share. */
export interface Quota extends Amounts {
  /** What one principal may use. Default: half of the whole. */
  readonly share?: Amounts;
}

/** Why something is not admitted: its principal uses its share, or all principals together use the whole. */
export type Refusal = "share" | "whole";

/** What is in use. */
export interface Usage {
  readonly count: number;
  readonly bytes: number;
}

const nothing: Usage = { count: 0, bytes: 0 };
const kinds = ["count", "bytes"] as const;

/**
 * A quota in number and bytes. No principal can use the whole: beside its share, a principal that already uses something
 * gets no more than is left free after it (the dynamic threshold of Choudhury and Hahne, 1998). One alone gets half, two a
 * third each, and a principal that uses nothing yet finds room.
 */
export class Admission {
  readonly #whole: Required<Amounts>;
  readonly #share: Required<Amounts>;
  readonly #byPrincipal = new Map<string, Usage>();
  #used = nothing;

  constructor({ count = Infinity, bytes = Infinity, share = {} }: Quota) {
    this.#whole = { count, bytes };
    this.#share = { count: share.count ?? Math.ceil(count / 2), bytes: share.bytes ?? Math.ceil(bytes / 2) };
  }

  /** What all principals use. */
  get used(): Usage {
    return this.#used;
  }

  usedBy(principal: string): Usage {
    return this.#byPrincipal.get(principal) ?? nothing;
  }

  /** Whether a quota in which nothing is used would refuse. */
  isTooLarge(principal: string | undefined, bytes: number, count = 1): boolean {
    const most = principal === undefined ? this.#whole : this.#share;
    return bytes > Math.min(most.bytes, this.#whole.bytes) || count > Math.min(most.count, this.#whole.count);
  }

  /**
   * Takes from the quota, or refuses and takes nothing.
   *
   * @param principal `undefined`: only the whole is a limit
   * @param count 0 for something that was admitted, and grows
   */
  admit(principal: string | undefined, bytes: number, count = 1): Refusal | undefined {
    const asked = { count, bytes };
    for (const kind of kinds)
      if (asked[kind] > 0 && this.#used[kind] + asked[kind] > this.#whole[kind]) return "whole";
    if (principal !== undefined) {
      const own = this.usedBy(principal);
      for (const kind of kinds) {
        const mine = own[kind] + asked[kind];
        const free = this.#whole[kind] - this.#used[kind] - asked[kind];
        if (asked[kind] > 0 && (mine > this.#share[kind] || (own[kind] > 0 && mine > free))) return "share";
      }
    }
    this.#change(principal, bytes, count);
    return undefined;
  }

  /** Gives back what was admitted. */
  release(principal: string | undefined, bytes: number, count = 1): void {
    this.#change(principal, -bytes, -count);
  }

  #change(principal: string | undefined, bytes: number, count: number): void {
    const plus = (usage: Usage): Usage => ({ count: usage.count + count, bytes: usage.bytes + bytes });
    this.#used = plus(this.#used);
    if (principal === undefined) return;
    const own = plus(this.usedBy(principal));
    if (own.count === 0 && own.bytes === 0) this.#byPrincipal.delete(principal);
    else this.#byPrincipal.set(principal, own);
  }
}
