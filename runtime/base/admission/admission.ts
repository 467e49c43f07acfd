/** How much of one resource may be in use. Absent members have no limit. */
export interface Amounts {
  readonly count?: number;
  readonly bytes?: number;
}

/** A quota that principals share. */
export interface Quota extends Amounts {
  /** What one principal may use. Default: half of the whole, and no more than is left free after it. */
  readonly share?: Amounts;
}

/** Why something is not admitted: its principal uses its share, or all principals together use the whole. */
export type Refusal = "share" | "whole";

/** What is in use. */
export interface Usage {
  readonly count: number;
  readonly bytes: number;
}

/** What is in use, while it changes. */
type Used = { -readonly [kind in keyof Usage]: number };

const nothing = (): Used => ({ count: 0, bytes: 0 });

/**
 * A quota in number and bytes. Without a share that is given, no principal can use the whole: one that already uses something
 * gets no more than is left free after it (the dynamic threshold of Choudhury and Hahne, 1998). One alone gets half, two a
 * third each, and a principal that uses nothing yet finds room.
 */
export class Admission {
  /** What all principals together can use. */
  readonly whole: Required<Amounts>;
  /** What one principal can use while no other uses anything. */
  readonly share: Required<Amounts>;
  readonly #isFair: boolean;
  readonly #byPrincipal = new Map<string, Used>();
  /** What all principals use. */
  readonly used: Usage = nothing();

  constructor({ count = Infinity, bytes = Infinity, share }: Quota) {
    this.#isFair = !share;
    this.whole = { count, bytes };
    this.share = share
      ? { ...this.whole, ...share }
      : { count: Math.ceil(count / 2), bytes: Math.ceil(bytes / 2) };
  }

  usedBy(principal: string): Usage {
    return this.#byPrincipal.get(principal) ?? nothing();
  }

  /** Whether a quota in which nothing is used would refuse. */
  isTooLarge(principal: string | undefined, bytes: number, count = 1): boolean {
    const most = principal === undefined ? this.whole : this.share;
    return bytes > most.bytes || count > most.count;
  }

  /** Why something is not admitted. Takes nothing. Parameters as of `admit`. */
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
    add(this.used as Used, bytes, count);
    if (principal === undefined) return;
    const own = this.#byPrincipal.get(principal) ?? nothing();
    add(own, bytes, count);
    if (own.count || own.bytes) this.#byPrincipal.set(principal, own);
    else this.#byPrincipal.delete(principal);
  }

  /** Gives back what was taken. */
  release(principal: string | undefined, bytes: number, count = 1): void {
    this.take(principal, -bytes, -count);
  }
}

function add(used: Used, bytes: number, count: number): void {
  used.count += count;
  used.bytes += bytes;
}
