import { Admission, type Amounts, BoundedMap, type Clock, unref } from "@mcpgen/base";
import type { HttpCounts, LimitName } from "./http-stats.js";

/** Limits of an endpoint for concurrent work and memory. With `authenticate`, each principal gets a share of each. */
export interface HttpLimits {
  /**
   * Running requests, and bodies that are being read. Default: 1,000 of each. More get 503. Listening streams do not
   * count. A cancelled request counts until its handler ends. One principal may use as many as stay free for the
   * others: half of all, if it is the only one. One session runs at most 256.
   */
  readonly work?: number;
  /**
   * Bytes. Default: 256 MiB. A quarter of it is for the bodies that are being read or whose requests run: a body beyond it gets
   * 503. A quarter is for descriptions and subscriptions of clients: one client may use 256 KiB. Half of it is for
   * responses that wait for their readers: above it, the connections that have been stalled longest are closed; with
   * `authenticate`, only connections of the same principal and of principals with at least as many waiting bytes.
   */
  readonly memory?: number;
  /**
   * Sessions, and event streams. Default: 10,000 of each; more get 503. One principal may have a tenth of the sessions, at
   * least 8: at that limit, a new session replaces the principal's longest idle one, never one of another principal.
   */
  readonly sessions?: number;
}

/** The quotas of an endpoint, which principals share. */
export interface EndpointQuotas {
  /** Running requests. Listening streams do not count; a cancelled request counts until its handler ends. */
  readonly work: Admission;
  /** Running requests of sessions whose client disconnected and may reconnect. */
  readonly lost: Admission;
  /** Bodies that are being read, and the bytes of these and of the bodies of running requests. */
  readonly bodies: Admission;
  /** Sessions, and the bytes of clients' descriptions and subscriptions. */
  readonly sessions: Admission;
  /** Open event streams, and the bytes that wait for their readers. */
  readonly readers: Admission;
}

/** The minimum share of a principal in the sessions. */
const fewestSessions = 8;

/** @param isShared whether principals share the quotas; otherwise each quota is for all clients together */
export function quotasOf(
  { work = 1000, memory = 256 * 1_048_576, sessions = 10_000 }: HttpLimits,
  isShared: boolean,
): EndpointQuotas {
  const [quarter, half] = [Math.ceil(memory / 4), Math.ceil(memory / 2)];
  const tenth = Math.max(fewestSessions, Math.floor(sessions / 10));
  const ofSessions = { count: tenth, bytes: Math.ceil((quarter * tenth) / sessions) };
  // If all clients are one principal, it may use the whole quota.
  const quota = (whole: Amounts, share?: Amounts): Admission => {
    const own = isShared ? share : whole;
    return new Admission(own ? { ...whole, share: own } : whole);
  };
  return {
    work: quota({ count: work }),
    lost: quota({ count: work }),
    bodies: quota({ count: work, bytes: quarter }),
    sessions: quota({ count: sessions, bytes: quarter }, ofSessions),
    readers: quota({ count: sessions, bytes: half }),
  };
}

/** Maximum number of concurrent requests of one session, and of requests in one body. */
export const maxSessionRequests = 256;

/** Counts running requests and the bytes of their bodies; negative numbers end the counting. */
export function countWork(
  { work, bodies }: EndpointQuotas,
  principal: string,
  requests: number,
  bytes: number,
): void {
  work.take(principal, 0, requests);
  bodies.take(principal, bytes, 0);
}

/** The client that reads a response, perhaps slowly or never. */
export interface Reader {
  readonly principal: string;
  /** Closes the connection. The reader then calls `wait(reader, 0)`. */
  cut(): void;
}

/** Milliseconds without progress after which a reader's connection is closed. */
const stalledMs = 60_000;

/** Bytes that wait for one reader. */
interface Waiting {
  bytes: number;
  /** Time of the reader's last progress, by the clock. */
  readonly since: number;
}

/**
 * Counts response bytes that wait for their readers. Closes the connection of a reader without progress for too long.
 * Above the total limit, closes the readers that have been stalled longest, among the readers of the principal that
 * exceeded the limit and of principals with at least as many waiting bytes.
 */
export class Backlog {
  /** Ordered by `since`, oldest first. */
  readonly #readers = new Map<Reader, Waiting>();
  readonly #clock: Clock;
  readonly #quota: Admission;
  readonly counts: HttpCounts;
  #timer: unknown;

  /** @param quota limit of waiting bytes; one response may exceed it */
  constructor(clock: Clock, quota: Admission, counts: HttpCounts) {
    this.counts = counts;
    this.#clock = clock;
    this.#quota = quota;
  }

  get #isOver(): boolean {
    return this.#quota.used.bytes > this.#quota.whole.bytes;
  }

  /** Total of waiting bytes. */
  get size(): number {
    return this.#quota.used.bytes;
  }

  /**
   * Sets the number of bytes that wait for a reader; 0 removes the reader.
   *
   * @param took whether the reader took bytes since the last call
   */
  wait(reader: Reader, bytes: number, took = false): void {
    const known = this.#readers.get(reader);
    if (!known && bytes === 0) return;
    this.#quota.take(reader.principal, bytes - (known?.bytes ?? 0), 0);
    if (bytes === 0) return this.#forget(reader);
    if (known && !took) {
      known.bytes = bytes;
    } else {
      this.#readers.delete(reader);
      this.#readers.set(reader, { bytes, since: this.#clock.now() });
    }
    if (this.#isOver) this.#relieve(reader);
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
    const held = quota.usedBy(latest.principal).bytes;
    for (const reader of this.#readers.keys()) {
      if (!this.#isOver) return;
      // Principals with fewer waiting bytes are spared.
      const isSpared = reader.principal !== latest.principal && quota.usedBy(reader.principal).bytes < held;
      if (reader !== latest && !isSpared) this.#cut(reader, "limits.memory");
    }
  }

  #cut(reader: Reader, limit: LimitName): void {
    this.counts.limitHit(limit, reader.principal);
    reader.cut();
  }

  /** Starts one unref'd timer for all readers. */
  #watch(): void {
    if (this.#timer !== undefined) return;
    this.#timer = unref(this.#clock.schedule(this.#check, stalledMs / 2));
  }

  readonly #check = (): void => {
    this.#timer = undefined;
    const now = this.#clock.now();
    for (const [reader, { since }] of this.#readers) {
      if (now - since < stalledMs) break;
      this.#cut(reader, "stalled");
    }
    if (this.#readers.size > 0) this.#watch();
  };
}

/** Number of texts that are counted. */
const mostTexts = 100;

/** Number of first characters by which texts are compared. */
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
