import { BoundedMap } from "../../admission/bounded-map.js";
import { type Clock, longestWait, unref } from "../../time/clock.js";
import type { HttpCounts, LimitName } from "./http-stats.js";

/** An amount that principals share. No principal can take all of it. */
export class Quota {
  readonly #most: number;
  readonly #each: number | "fair";
  #taken = 0;
  /** Amounts of principals but the latest; absent if one principal may hold all. */
  readonly #others: Map<string, number> | undefined;
  /** The principal of the latest change, and its amount: most changes come in pairs, and a map would take longer. */
  #latest = "";
  #own = 0;

  /**
   * @param most total amount
   * @param each limit of one principal; `fair`: a principal may hold as much as stays free for the others, that is half
   *   for the first one, half of the rest for the next
   */
  constructor(most: number, each: number | "fair" = most) {
    this.#most = most;
    this.#each = each;
    this.#others = each === "fair" || each < most ? new Map() : undefined;
  }

  /** Total amount taken. */
  get size(): number {
    return this.#taken;
  }

  /** Number of principals that are counted one by one. */
  get principals(): number {
    return this.#others ? this.#others.size + Number(this.#own > 0) : 0;
  }

  /** Whether more is taken than the limit. */
  get isOver(): boolean {
    return this.#taken > this.#most;
  }

  /** The amount one principal may take while no other holds any. */
  get whole(): number {
    if (this.#each === "fair") return Math.max(1, Math.floor(this.#most / 2));
    return Math.min(this.#each, this.#most);
  }

  /** The amount a principal holds; the total if one principal may hold all. */
  of(principal: string): number {
    if (!this.#others) return this.#taken;
    return principal === this.#latest ? this.#own : (this.#others.get(principal) ?? 0);
  }

  /** Whether a principal may take this amount. */
  allows(principal: string, amount: number): boolean {
    const left = this.#most - this.#taken - amount;
    if (left < 0) return false;
    if (!this.#others) return true;
    // A principal that holds none may take the last unit.
    return this.of(principal) + amount <= (this.#each === "fair" ? Math.max(1, left) : this.#each);
  }

  /** Takes an amount for a principal. Takes nothing and returns `false` if too little is left. */
  take(principal: string, amount: number): boolean {
    if (amount > 0 && !this.allows(principal, amount)) return false;
    this.add(principal, amount);
    return true;
  }

  /** Takes an amount even above the limit; a negative amount gives back. */
  add(principal: string, amount: number): void {
    this.#taken += amount;
    const others = this.#others;
    if (!others) return;
    if (principal !== this.#latest) {
      if (this.#own > 0) others.set(this.#latest, this.#own);
      this.#own = others.get(principal) ?? 0;
      others.delete(principal);
      this.#latest = principal;
    }
    this.#own = Math.max(0, this.#own + amount);
  }

  /** Gives back an amount. */
  give(principal: string, amount: number): void {
    this.add(principal, -amount);
  }
}

/** Limits on the concurrent work of an endpoint. */
export class ConcurrencyLimit {
  /** Running requests. Listening streams do not count; a cancelled request counts until its handler ends. */
  readonly running: Quota;
  /** Running requests of sessions whose client disconnected and may reconnect. */
  readonly lost: Quota;
  /** Bodies that are being read. */
  readonly bodies: Quota;
  /** Bytes of the bodies that are being read and of the bodies of running requests. */
  readonly held: Quota;

  /**
   * @param quota creates a quota that principals share
   * @param most limit of requests, and of bodies
   * @param mostHeld limit of body bytes
   */
  constructor(quota: (most: number) => Quota, most: number, mostHeld: number) {
    this.running = quota(most);
    this.lost = quota(most);
    this.bodies = quota(most);
    this.held = quota(mostHeld);
  }

  /** Counts running requests, and the bytes of their body, until `end` with the same amounts. */
  begin(principal: string, requests: number, bytes: number): void {
    this.running.add(principal, requests);
    this.held.add(principal, bytes);
  }

  end(principal: string, requests: number, bytes: number): void {
    this.running.give(principal, requests);
    this.held.give(principal, bytes);
  }
}

const none = new Uint8Array(0);

/** Initial size in bytes of the buffer for a body of several chunks. */
const firstSize = 1024;

/**
 * One body while it is read. Its chunks are collected in one buffer, where a chunk of one byte costs one byte, not an
 * object. Most bodies arrive in one chunk, which is not copied.
 */
export class BodyReading {
  /** Most bytes of the body. */
  readonly limit: number;
  readonly #concurrency: ConcurrencyLimit;
  readonly #principal: string;
  #buffer: Uint8Array = none;
  #length = 0;
  #over = false;
  /** Whether bytes were rejected because the limit of all bodies was reached. */
  limitReached = false;

  constructor(concurrency: ConcurrencyLimit, principal: string, limit: number) {
    this.limit = limit;
    this.#concurrency = concurrency;
    this.#principal = principal;
    concurrency.bodies.add(principal, 1);
  }

  /** Counts and keeps received bytes. Returns `false` if a limit is reached. */
  take(piece: Uint8Array): boolean {
    const length = this.#length + piece.length;
    if (length > this.limit) return false;
    if (!this.#concurrency.held.take(this.#principal, piece.length)) {
      this.limitReached = true;
      return false;
    }
    if (this.#length === 0) this.#buffer = piece;
    else {
      if (length > this.#buffer.length) {
        const grown = new Uint8Array(Math.max(length, 2 * this.#buffer.length, firstSize));
        grown.set(this.#buffer.subarray(0, this.#length));
        this.#buffer = grown;
      }
      this.#buffer.set(piece, this.#length);
    }
    this.#length = length;
    return true;
  }

  /** All bytes received so far. */
  get whole(): Uint8Array {
    return this.#length === this.#buffer.length ? this.#buffer : this.#buffer.subarray(0, this.#length);
  }

  /** Stops counting: the body is read, or the client disconnected. */
  end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#buffer = none;
    this.#concurrency.bodies.give(this.#principal, 1);
    this.#concurrency.held.give(this.#principal, this.#length);
  }
}

/** The client that reads a response, perhaps slowly or never. */
export interface Reader {
  readonly principal: string;
  /** Closes the connection. The reader then calls `wait(reader, 0)`. */
  cut(): void;
}

/** Bytes that wait for one reader. */
interface Waiting {
  bytes: number;
  /** When the reader last took bytes, by the clock. */
  readonly since: number;
}

/**
 * Counts response bytes that wait for their readers. Closes the connection of a reader that takes nothing for too
 * long. Above the total limit, closes the readers that have been stalled longest: those of the principal that
 * exceeded the limit, and those of principals with at least as many waiting bytes.
 */
export class Backlog {
  /** Ordered by `since`, oldest first. */
  readonly #readers = new Map<Reader, Waiting>();
  readonly #clock: Clock;
  readonly #quota: Quota;
  readonly #stalledMs: number;
  readonly counts: HttpCounts;
  #timer: unknown;

  /**
   * @param quota limit of waiting bytes; one response may exceed it
   * @param stalledMs milliseconds that a reader may take nothing; 0 for no limit
   */
  constructor(clock: Clock, quota: Quota, stalledMs: number, counts: HttpCounts) {
    this.counts = counts;
    this.#clock = clock;
    this.#quota = quota;
    this.#stalledMs = stalledMs;
  }

  /** Total of waiting bytes. */
  get size(): number {
    return this.#quota.size;
  }

  /**
   * Sets the number of bytes that wait for a reader; 0 removes the reader.
   *
   * @param took whether the reader took bytes since the last call
   */
  wait(reader: Reader, bytes: number, took = false): void {
    const known = this.#readers.get(reader);
    if (!known && bytes === 0) return;
    this.#quota.add(reader.principal, bytes - (known?.bytes ?? 0));
    if (bytes === 0) return this.#forget(reader);
    if (known && !took) {
      known.bytes = bytes;
    } else {
      this.#readers.delete(reader);
      this.#readers.set(reader, { bytes, since: this.#clock.now() });
    }
    if (this.#quota.isOver) this.#relieve(reader);
    this.#watch();
  }

  #forget(reader: Reader): void {
    this.#readers.delete(reader);
    if (this.#readers.size > 0) return;
    this.#clock.clear(this.#timer);
    this.#timer = undefined;
  }

  /** Closes other readers until the rest is within the limit. */
  #relieve(latest: Reader): void {
    const quota = this.#quota;
    const held = quota.of(latest.principal);
    for (const reader of this.#readers.keys()) {
      if (!quota.isOver) return;
      // Principals with fewer waiting bytes are spared.
      if (reader !== latest && (reader.principal === latest.principal || quota.of(reader.principal) >= held))
        this.#cut(reader, "waitingLimit");
    }
  }

  #cut(reader: Reader, limit: LimitName): void {
    this.counts.limitHit(limit, reader.principal);
    reader.cut();
  }

  /** Starts one unref'd timer for all readers. */
  #watch(): void {
    if (this.#timer !== undefined || this.#stalledMs === 0) return;
    this.#timer = unref(this.#clock.schedule(this.#check, Math.min(this.#stalledMs / 2, longestWait)));
  }

  readonly #check = (): void => {
    this.#timer = undefined;
    const now = this.#clock.now();
    for (const [reader, { since }] of this.#readers) {
      if (now - since < this.#stalledMs) break;
      this.#cut(reader, "stalledMs");
    }
    if (this.#readers.size > 0) this.#watch();
  };
}

/** Number of texts that are counted. */
const mostTexts = 100;

/** Texts are equal if their first characters, this many, are equal. */
const longest = 200;

/**
 * Limits warnings that any client can cause with each request: passes on the first warning of each text, then the
 * 10th, 100th, 1,000th and so on, with the count.
 */
export class CountedWarnings {
  readonly #counts = new BoundedMap<string, number>({ count: mostTexts, full: "evict" });
  readonly #warn: (text: string) => void;

  constructor(warn: (text: string) => void) {
    this.#warn = warn;
  }

  add(text: string): void {
    const key = text.slice(0, longest);
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    if (count === 1) this.#warn(text);
    else if (/^10+$/.test(String(count))) this.#warn(`${text} (${count} times)`);
  }
}

const quote = 0x22;
const backslash = 0x5c;

/** Whether a JSON text nests deeper than `most` levels. Skips strings, which make up most of a long text. */
export function nestsDeeper(text: string, most: number): boolean {
  // Each level has a bracket at either end.
  if (text.length <= 2 * most) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    // [ and { differ from ] and } in the same two bits, and are alike in the others.
    else if ((code | 0x20) === 0x7b) {
      if (++depth > most) return true;
    } else if ((code | 0x20) === 0x7d) depth--;
  }
  return false;
}

/** The index of the closing quote of the string at `start`, or the length of the text. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let first = at;
    while (text.charCodeAt(first - 1) === backslash) first--;
    if ((at - first) % 2 === 0) return at;
  }
  return text.length;
}
