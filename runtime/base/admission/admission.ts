/** The limits of one resource. Absent members are unlimited. */
export interface Amounts {
  readonly count?: number;
  readonly bytes?: number;
}

/** A quota that principals share. */
export interface Quota extends Amounts {
  /** The limit for one principal. Default: half of the whole, and at most as much as then stays free. */
  readonly share?: Amounts;
}

/** The reason for a refusal: the principal has used its share, or all principals together have used the whole. */
export type Refusal = "share" | "whole";

/** The amounts in use. */
export interface Usage {
  readonly count: number;
  readonly bytes: number;
}

/** The amounts in use, writable. */
type Used = { -readonly [kind in keyof Usage]: number };

const nothing = (): Used => ({ count: 0, bytes: 0 });

/**
 * Records of principals that use nothing may stay. To delete one with each call would make V8 reallocate the table of the
 * `Map` each time, and dead tables keep what later ones held alive until the next full collection.
 */
const mostUnused = 1000;

/**
 * A quota in number and bytes. Without an explicit share, no principal can use the whole: it may use at most as much as
 * then stays free (the dynamic threshold of Choudhury and Hahne, 1998). A single principal gets half, two get a third
 * each, and a new principal always finds room.
 */
export class Admission {
  /** The limit for all principals together. */
  readonly whole: Required<Amounts>;
  /** The limit for a single principal while the others use nothing. */
  readonly share: Required<Amounts>;
  readonly #isFair: boolean;
  readonly #byPrincipal = new Map<string, Used>();
  /** The number of records in `#byPrincipal` that use nothing. */
  #unused = 0;
  /** The amounts that all principals use. */
  readonly used: Usage = nothing();

  constructor({ count = Infinity, bytes = Infinity, share }: Quota) {
    this.#isFair = !share;
    this.whole = { count, bytes };
    this.share = share
      ? { ...this.whole, ...share }
      : { count: Math.ceil(count / 2), bytes: Math.ceil(bytes / 2) };
  }

  /** The number of principals with a record. */
  get records(): number {
    return this.#byPrincipal.size;
  }

  usedBy(principal: string): Usage {
    return this.#byPrincipal.get(principal) ?? nothing();
  }

  /** Whether even an unused quota would refuse. */
  isTooLarge(principal: string | undefined, bytes: number, count = 1): boolean {
    const most = principal === undefined ? this.whole : this.share;
    return bytes > most.bytes || count > most.count;
  }

  /** The reason why `admit` would refuse; `undefined` if it would not. Changes nothing. */
  refusal(principal: string | undefined, bytes: number, count = 1): Refusal | undefined {
    const first = this.#refusal("count", principal, count);
    return first === "whole" ? first : (this.#refusal("bytes", principal, bytes) ?? first);
  }

  #refusal(kind: keyof Usage, principal: string | undefined, asked: number): Refusal | undefined {
    const free = this.whole[kind] - this.used[kind] - asked;
    if (asked <= 0) return undefined;
    if (free < 0) return "whole";
    if (principal === undefined) return undefined;
    const own = this.usedBy(principal)[kind];
    const mine = own + asked;
    return mine > this.share[kind] || (this.#isFair && own > 0 && mine > free) ? "share" : undefined;
  }

  /**
   * Takes from the quota, or refuses and changes nothing.
   *
   * @param principal `undefined`: only the whole limits
   * @param count 0 for an admitted entry that grows
   */
  admit(principal: string | undefined, bytes: number, count = 1): Refusal | undefined {
    const refused = this.refusal(principal, bytes, count);
    if (!refused) this.take(principal, bytes, count);
    return refused;
  }

  /** Takes without a check, even beyond the whole: for amounts that are already in use or were checked before. */
  take(principal: string | undefined, bytes: number, count = 1): void {
    add(this.used as Used, bytes, count);
    if (principal === undefined) return;
    let own = this.#byPrincipal.get(principal);
    if (!own) this.#byPrincipal.set(principal, (own = nothing()));
    else if (isUnused(own)) this.#unused--;
    add(own, bytes, count);
    if (!isUnused(own)) return;
    this.#unused++;
    if (this.#unused > Math.max(mostUnused, this.#byPrincipal.size / 2)) this.#forgetUnused();
  }

  #forgetUnused(): void {
    for (const [principal, own] of this.#byPrincipal) if (isUnused(own)) this.#byPrincipal.delete(principal);
    this.#unused = 0;
  }

  /** Returns amounts to the quota. */
  release(principal: string | undefined, bytes: number, count = 1): void {
    this.take(principal, -bytes, -count);
  }
}

function isUnused({ count, bytes }: Used): boolean {
  return count === 0 && bytes === 0;
}

function add(used: Used, bytes: number, count: number): void {
  used.count += count;
  used.bytes += bytes;
}
