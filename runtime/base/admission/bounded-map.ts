import { systemClock } from "../time/clock.js";
import { Admission, type Quota } from "./admission.js";

export interface MapBounds<Key = unknown, Value = unknown> extends Quota {
  /** Without room, the least recently used entry is evicted, or the new one is refused. */
  readonly full: "evict" | "refuse";
  /** Lifetime of an entry in milliseconds, unless `set` gives another one. Default: unlimited. */
  readonly lifeMs?: number;
  /** Milliseconds since any fixed point. Default: the monotonic clock of the system. */
  readonly now?: () => number;
  /** Called for each entry that has expired or was evicted. */
  readonly gone?: (key: Key, value: Value) => void;
}

export interface EntryOptions {
  /** Default: 0. */
  readonly bytes?: number;
  /** Lifetime in milliseconds from now. */
  readonly lifeMs?: number;
  /**
   * Owner of the entry. A new entry first evicts entries of this principal. Default: no owner; only the whole
   * limits.
   */
  readonly principal?: string;
}

interface Entry<Value> {
  readonly value: Value;
  readonly bytes: number;
  readonly until: number;
  readonly principal: string | undefined;
}

/** Milliseconds between two searches for expired entries. Their room becomes free with at most this delay. */
const sweepMs = 1000;

/** A map with limits for the number of entries, their bytes and their lifetimes. */
export class BoundedMap<Key, Value> {
  readonly #admission: Admission;
  readonly #evicts: boolean;
  readonly #lifeMs: number;
  readonly #now: () => number;
  readonly #gone: (key: Key, value: Value) => void;
  /** Entries, the least recently used first. */
  readonly #entries = new Map<Key, Entry<Value>>();
  /** The keys of each principal, in the same order. */
  readonly #byPrincipal = new Map<string, Set<Key>>();
  /** No entry expires before this time. */
  #endsAt = Infinity;
  #sweptAt = -Infinity;

  constructor({
    full,
    lifeMs = Infinity,
    now = systemClock.now,
    gone = () => {},
    ...quota
  }: MapBounds<Key, Value>) {
    this.#admission = new Admission(quota);
    this.#evicts = full === "evict";
    this.#lifeMs = lifeMs;
    this.#now = now;
    this.#gone = gone;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Bytes of all entries. */
  get bytes(): number {
    return this.#admission.used.bytes;
  }

  get(key: Key): Value | undefined {
    const entry = this.#living(key);
    if (entry && this.#evicts) this.#putLast(key, entry);
    return entry?.value;
  }

  /** The value of an entry. Does not count as a use, so the order of eviction stays. */
  peek(key: Key): Value | undefined {
    return this.#living(key)?.value;
  }

  /** The entries that have not expired, the least recently used first. */
  *[Symbol.iterator](): Generator<readonly [Key, Value], void> {
    const now = this.#now();
    for (const [key, { value, until }] of this.#entries) if (until > now) yield [key, value];
  }

  /**
   * Sets an entry. A refusal leaves the map unchanged.
   *
   * @returns whether there is room for the entry
   */
  set(key: Key, value: Value, options: EntryOptions = {}): boolean {
    const { bytes = 0, lifeMs = this.#lifeMs, principal } = options;
    if (this.#admission.isTooLarge(principal, bytes)) return false;
    this.#sweep();
    const before = this.#entries.get(key);
    const entry = { value, bytes, until: this.#now() + lifeMs, principal };
    if (this.#evicts) {
      if (before) this.#remove(key, before);
      while (this.#admission.admit(principal, bytes)) this.#evict(principal);
    } else if (before && before.principal === principal) {
      // The entry already has its room: only its growth may be refused.
      const growth = bytes - before.bytes;
      if (growth > 0 && this.#admission.admit(principal, growth, 0)) return false;
      if (growth < 0) this.#admission.release(principal, -growth, 0);
    } else {
      if (this.#admission.admit(principal, bytes)) return false;
      if (before) this.#remove(key, before);
    }
    this.#endsAt = Math.min(this.#endsAt, entry.until);
    this.#putLast(key, entry);
    return true;
  }

  delete(key: Key): boolean {
    const entry = this.#entries.get(key);
    if (entry) this.#remove(key, entry);
    return entry !== undefined;
  }

  #living(key: Key): Entry<Value> | undefined {
    const entry = this.#entries.get(key);
    if (!entry || entry.until > this.#now()) return entry;
    this.#end(key, entry);
    return undefined;
  }

  /** Makes room: evicts an entry of the given principal, or else of any principal. */
  #evict(principal: string | undefined): void {
    const own = principal === undefined ? undefined : this.#byPrincipal.get(principal);
    const [key] = (own ?? this.#entries).keys() as Iterable<Key>;
    this.#end(key!, this.#entries.get(key!)!);
  }

  #putLast(key: Key, entry: Entry<Value>): void {
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    const { principal } = entry;
    if (principal === undefined) return;
    const own = this.#byPrincipal.get(principal) ?? new Set();
    own.delete(key);
    this.#byPrincipal.set(principal, own.add(key));
  }

  #end(key: Key, entry: Entry<Value>): void {
    this.#remove(key, entry);
    this.#gone(key, entry.value);
  }

  #remove(key: Key, { principal, bytes }: Entry<Value>): void {
    this.#entries.delete(key);
    this.#admission.release(principal, bytes);
    if (principal === undefined) return;
    const own = this.#byPrincipal.get(principal)!;
    own.delete(key);
    if (own.size === 0) this.#byPrincipal.delete(principal);
  }

  #sweep(): void {
    const now = this.#now();
    if (now < this.#endsAt || now < this.#sweptAt + sweepMs) return;
    this.#sweptAt = now;
    this.#endsAt = Infinity;
    for (const [key, entry] of this.#entries) {
      if (entry.until <= now) this.#end(key, entry);
      else this.#endsAt = Math.min(this.#endsAt, entry.until);
    }
  }
}
