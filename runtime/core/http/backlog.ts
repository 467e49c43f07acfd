import { type Clock, longestWait } from "../peer/clock.js";

/** The client at the other end of a response, which may read it slowly, or never. */
export interface Reader {
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
 * waits in all, those that took nothing for longest.
 */
export class Backlog {
  /** Those that took nothing for longest first. */
  private readonly readers = new Map<Reader, Waiting>();
  private readonly clock: Clock;
  private readonly most: number;
  private readonly stalledMs: number;
  private total = 0;
  private timer: unknown;

  /**
   * @param most bytes in all; one response more may pass it
   * @param stalledMs milliseconds that a reader may take nothing; any number with 0
   */
  constructor(clock: Clock, most: number, stalledMs: number) {
    this.clock = clock;
    this.most = most;
    this.stalledMs = stalledMs;
  }

  /** Bytes that wait, in all. */
  get size(): number {
    return this.total;
  }

  /**
   * So many bytes wait for a reader now; none of it is kept here when there are none.
   *
   * @param took whether it took something since it was last heard of
   */
  wait(reader: Reader, bytes: number, took = false): void {
    const known = this.readers.get(reader);
    if (!known && bytes === 0) return;
    if (known) this.total -= known.bytes;
    this.total += bytes;
    if (bytes === 0) return this.forget(reader);
    if (known && !took) {
      known.bytes = bytes;
    } else {
      this.readers.delete(reader);
      this.readers.set(reader, { bytes, since: this.clock.now() });
    }
    if (this.total > this.most) this.relieve(reader);
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
    for (const reader of this.readers.keys()) {
      if (this.total <= this.most) return;
      if (reader !== latest) reader.cut();
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
