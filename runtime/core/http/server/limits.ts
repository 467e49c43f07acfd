import { type Clock, longestWait } from "../../time/clock.js";

/** An amount that principals share, so that none of them takes all of it. */
export class Quota {
  private readonly most: number;
  private readonly each: number | "fair";
  private taken = 0;
  /** What each principal holds. Nothing is counted where one may hold all. */
  private readonly byPrincipal: Map<string, number> | undefined;

  /**
   * @param most in all
   * @param each for one principal; `fair`: as much as stays free after it, so that the next principal finds room: half
   *   for one alone, half of the rest for the next
   */
  constructor(most: number, each: number | "fair" = most) {
    this.most = most;
    this.each = each;
    this.byPrincipal = each === "fair" || each < most ? new Map() : undefined;
  }

  /** What is taken, in all. */
  get size(): number {
    return this.taken;
  }

  /** Whether more is taken than there is. */
  get isOver(): boolean {
    return this.taken > this.most;
  }

  /** What a principal may take where nothing else is taken. */
  get whole(): number {
    if (this.each === "fair") return Math.max(1, Math.floor(this.most / 2));
    return Math.min(this.each, this.most);
  }

  /** What a principal holds; all that is taken where one may hold all. */
  of(principal: string): number {
    return this.byPrincipal ? (this.byPrincipal.get(principal) ?? 0) : this.taken;
  }

  /** Whether a principal may take so much more. */
  allows(principal: string, amount: number): boolean {
    const left = this.most - this.taken - amount;
    if (left < 0) return false;
    if (!this.byPrincipal) return true;
    // The last one is for any principal that has none.
    return this.of(principal) + amount <= (this.each === "fair" ? Math.max(1, left) : this.each);
  }

  /** Takes so much for a principal; nothing is taken where too little is left. */
  take(principal: string, amount: number): boolean {
    if (amount > 0 && !this.allows(principal, amount)) return false;
    this.add(principal, amount);
    return true;
  }

  /** Counts what is there already, room or none; an amount below 0 gives back. */
  add(principal: string, amount: number): void {
    this.taken += amount;
    if (!this.byPrincipal) return;
    const own = this.of(principal) + amount;
    if (own > 0) this.byPrincipal.set(principal, own);
    else this.byPrincipal.delete(principal);
  }

  /** Gives back what was taken. */
  give(principal: string, amount: number): void {
    this.add(principal, -amount);
  }
}

/** What an endpoint is at work on. */
export class Load {
  /** Requests that are being answered. Streams that only listen do not count; cancelled ones do till their handlers end. */
  readonly running: Quota;
  /** Requests of sessions whose client lost its connection, and may come back. */
  readonly lost: Quota;
  /** Bodies that are being read: no request is known yet to wait for them. */
  readonly bodies: Quota;
  /** Bytes of bodies: of those on their way, and of those whose requests are being answered. */
  readonly held: Quota;

  /**
   * @param quota makes what principals share
   * @param most of requests and of bodies, from which on no more are taken up
   * @param mostHeld bytes of bodies
   */
  constructor(quota: (most: number) => Quota, most: number, mostHeld: number) {
    this.running = quota(most);
    this.lost = quota(most);
    this.bodies = quota(most);
    this.held = quota(mostHeld);
  }
}

/** A body that is being read. */
export class Reading {
  private readonly load: Load;
  private readonly principal: string;
  private bytes = 0;
  private over = false;
  /** Whether bytes of it were not taken, for too many are held. */
  isCrowded = false;

  constructor(load: Load, principal: string) {
    this.load = load;
    this.principal = principal;
    load.bodies.add(principal, 1);
  }

  /** Bytes of it have come. Says whether they are taken. */
  take(more: number): boolean {
    if (!this.load.held.take(this.principal, more)) this.isCrowded = true;
    else this.bytes += more;
    return !this.isCrowded;
  }

  /** It is read, or never will be. */
  end(): void {
    if (this.over) return;
    this.over = true;
    this.load.bodies.give(this.principal, 1);
    this.load.held.give(this.principal, this.bytes);
  }
}

/** The client at the other end of a response, which may read it slowly, or never. */
export interface Reader {
  readonly principal: string;
  /** Ends its connection. It calls `wait(reader, 0)`. */
  cut(): void;
}

/** What waits for one reader. */
interface Waiting {
  bytes: number;
  /** When it took something last; by the clock. */
  readonly since: number;
}

/**
 * Bytes of responses that wait for their readers. Readers are cut off that take nothing for long, and, where too much
 * waits in all, those that took nothing for longest: of the principal whose bytes came last, and of those for which as
 * much waits.
 */
export class Backlog {
  /** Those that took nothing for longest first. */
  private readonly readers = new Map<Reader, Waiting>();
  private readonly clock: Clock;
  private readonly quota: Quota;
  private readonly stalledMs: number;
  private timer: unknown;

  /**
   * @param quota of bytes; one response more may pass it
   * @param stalledMs milliseconds that a reader may take nothing; any number with 0
   */
  constructor(clock: Clock, quota: Quota, stalledMs: number) {
    this.clock = clock;
    this.quota = quota;
    this.stalledMs = stalledMs;
  }

  /** Bytes that wait, in all. */
  get size(): number {
    return this.quota.size;
  }

  /**
   * So many bytes wait for a reader now; none of it is kept here when there are none.
   *
   * @param took whether it took something since it was last heard of
   */
  wait(reader: Reader, bytes: number, took = false): void {
    const known = this.readers.get(reader);
    if (!known && bytes === 0) return;
    this.quota.add(reader.principal, bytes - (known?.bytes ?? 0));
    if (bytes === 0) return this.forget(reader);
    if (known && !took) {
      known.bytes = bytes;
    } else {
      this.readers.delete(reader);
      this.readers.set(reader, { bytes, since: this.clock.now() });
    }
    if (this.quota.isOver) this.relieve(reader);
    this.watch();
  }

  private forget(reader: Reader): void {
    this.readers.delete(reader);
    if (this.readers.size > 0) return;
    this.clock.clear(this.timer);
    this.timer = undefined;
  }

  /** Cuts others off till what is left may wait. */
  private relieve(latest: Reader): void {
    const { quota } = this;
    const held = quota.of(latest.principal);
    for (const reader of this.readers.keys()) {
      if (!quota.isOver) return;
      // A principal for which less waits does not pay for this one.
      if (reader !== latest && (reader.principal === latest.principal || quota.of(reader.principal) >= held))
        reader.cut();
    }
  }

  /** One timer for all readers; it keeps no process alive. */
  private watch(): void {
    if (this.timer !== undefined || this.stalledMs === 0) return;
    this.timer = this.clock.schedule(this.check, Math.min(this.stalledMs / 2, longestWait));
    (this.timer as { unref?: () => void }).unref?.();
  }

  private readonly check = (): void => {
    this.timer = undefined;
    const now = this.clock.now();
    for (const [reader, { since }] of this.readers) {
      if (now - since < this.stalledMs) break;
      reader.cut();
    }
    if (this.readers.size > 0) this.watch();
  };
}

/** Texts that are counted at a time. */
const mostTexts = 100;

/** Characters by which texts are told apart. */
const longest = 200;

/**
 * Warnings that any client can cause as often as it sends a request: each text is passed on when it comes first, and then
 * with its count at 10, 100, 1,000 times and so on.
 */
export class CountedWarnings {
  private readonly counts = new Map<string, number>();
  private readonly warn: (text: string) => void;

  constructor(warn: (text: string) => void) {
    this.warn = warn;
  }

  add(text: string): void {
    const key = text.slice(0, longest);
    const count = (this.counts.get(key) ?? 0) + 1;
    if (count === 1 && this.counts.size >= mostTexts) this.counts.clear();
    this.counts.set(key, count);
    if (count === 1) this.warn(text);
    else if (/^10+$/.test(String(count))) this.warn(`${text} (${count} times)`);
  }
}
