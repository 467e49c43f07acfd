import { type Clock, longestWait } from "../../time/clock.js";
import type { Quota } from "./quota.js";

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
