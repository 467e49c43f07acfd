import type { Clock } from "../../time/clock.js";

/** A stream that ends when it is old. */
interface Aging {
  disconnect(retryMs: number): void;
}

/**
 * How long streams that only listen have been open: those that are old end in order, and their clients come
 * back. One timer for all of them, and none where none is open.
 */
export class StreamAges {
  /** When each was opened, in that order. */
  private readonly opened = new Map<Aging, number>();
  private readonly clock: Clock;
  private readonly most: number;
  private readonly retryMs: number;
  private timer: unknown;

  /**
   * @param most milliseconds; any number with 0
   * @param retryMs milliseconds that clients are to wait before they come back
   */
  constructor(clock: Clock, most: number, retryMs: number) {
    this.clock = clock;
    this.most = most;
    this.retryMs = retryMs;
  }

  begin(stream: Aging): void {
    if (this.most <= 0) return;
    this.opened.set(stream, this.clock.now());
    this.timer ??= this.clock.schedule(this.check, this.most);
  }

  end(stream: Aging): void {
    this.opened.delete(stream);
    if (this.opened.size > 0) return;
    this.clock.clear(this.timer);
    this.timer = undefined;
  }

  private readonly check = (): void => {
    this.timer = undefined;
    for (const [stream, at] of this.opened) {
      const left = at + this.most - this.clock.now();
      if (left > 0) {
        this.timer = this.clock.schedule(this.check, left);
        return;
      }
      this.opened.delete(stream);
      stream.disconnect(this.retryMs);
    }
  };
}
