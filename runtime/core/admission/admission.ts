/** How much of one resource may be in use. Absent members have no limit. */
export interface Amounts {
  readonly count?: number;
  readonly bytes?: number;
}

/** A quota that principals share. */
export interface Quota extends Amounts {
  /** What one principal may use. Default: half of the whole. `whole`: all count as one principal. */
  readonly share?: Amounts | "whole";
  /** Whether a principal gets no more than is left free after it. Default: `true`; else its share is the only limit. */
  readonly isFair?: boolean;
}

/** Why something is not admitted: its principal uses its share, or all principals together use the whole. */
export type Refusal = "share" | "whole";

/** What is in use. */
export interface Usage {
  readonly count: number;
  readonly bytes: number;
}

/** What is in use, while it changes. */
class Used implements Usage {
  count = 0;
  bytes = 0;
}

/**
 * A quota in number and bytes. No principal can use the whole: beside its share, a principal that already uses something
 * gets no more than is left free after it (the dynamic threshold of Choudhury and Hahne, 1998). One alone gets half, two a
 * third each, and a principal that uses nothing yet finds room.
 */
export class Admission {
  readonly #whole: Required<Amounts>;
  /** What one principal can use while no other uses anything. */
  readonly share: Required<Amounts>;
  readonly #isFair: boolean;
  readonly #byPrincipal: Map<string, Used> | undefined;
  readonly #used = new Used();

  constructor({ count = Infinity, bytes = Infinity, share = {}, isFair = true }: Quota) {
    this.#isFair = isFair;
    this.#whole = { count, bytes };
    this.share =
      share === "whole"
        ? this.#whole
        : { count: Math.ceil(count / 2), bytes: Math.ceil(bytes / 2), ...share };
    this.#byPrincipal = share === "whole" ? undefined : new Map();
  }

  /** What all principals use. */
  get used(): Usage {
    return { ...this.#used };
  }

  /** Whether more is in use than the whole. */
  isOver(kind: keyof Usage): boolean {
    return this.#used[kind] > this.#whole[kind];
  }

  /** What a principal uses; what all use where all count as one. */
  usedBy(principal: string): Usage {
    return { ...(this.#byPrincipal ? (this.#byPrincipal.get(principal) ?? new Used()) : this.#used) };
  }

  /** Whether a quota in which nothing is used would refuse. */
  isTooLarge(principal: string | undefined, bytes: number, count = 1): boolean {
    const most = principal === undefined ? this.#whole : this.share;
    return bytes > Math.min(most.bytes, this.#whole.bytes) || count > Math.min(most.count, this.#whole.count);
  }

  /** Why something is not admitted. Takes nothing. Parameters as of `admit`. */
  refusal(principal: string | undefined, bytes: number, count = 1): Refusal | undefined {
    const first = this.#refusal("count", principal, count);
    return first === "whole" ? first : (this.#refusal("bytes", principal, bytes) ?? first);
  }

  #refusal(kind: keyof Usage, principal: string | undefined, asked: number): Refusal | undefined {
    const free = this.#whole[kind] - this.#used[kind] - asked;
    if (asked <= 0) return undefined;
    if (free < 0) return "whole";
    if (principal === undefined || !this.#byPrincipal) return undefined;
    const own = this.#byPrincipal.get(principal)?.[kind] ?? 0;
    const mine = own + asked;
    return mine > this.share[kind] || (this.#isFair && own > 0 && mine > free) ? "share" : undefined;
  }

  /**
   * Takes from the quota, or refuses and takes nothing.
   *
   * @param principal `undefined`: only the whole is a limit
   * @param count 0 for something that was admitted, and grows
   */
  admit(principal: string | undefined, bytes: number, count = 1): Refusal | undefined {
    const refused = this.refusal(principal, bytes, count);
    if (!refused) this.take(principal, bytes, count);
    return refused;
  }

  /** Takes even beyond the whole: what is in use already, or was judged before. */
  take(principal: string | undefined, bytes: number, count = 1): void {
    this.#used.count += count;
    this.#used.bytes += bytes;
    if (principal === undefined || !this.#byPrincipal) return;
    let own = this.#byPrincipal.get(principal);
    if (!own) this.#byPrincipal.set(principal, (own = new Used()));
    own.count += count;
    own.bytes += bytes;
    if (own.count === 0 && own.bytes === 0) this.#byPrincipal.delete(principal);
  }

  /** Gives back what was taken. */
  release(principal: string | undefined, bytes: number, count = 1): void {
    this.take(principal, -bytes, -count);
  }
}
