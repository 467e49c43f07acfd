import type { Clock } from "../../time/clock.js";

/** A stream with a maximum age. */
interface Aging {
  disconnect(retryMs: number): void;
}

/**
 * Disconnects listening streams at their maximum age; their clients reconnect. One timer serves all streams and runs
 * only while one is open.
 */
export class StreamExpiry {
  /** Opening times, oldest first. */
  readonly #opened = new Map<Aging, number>();
  readonly #clock: Clock;
  readonly #most: number;
  readonly #retryMs: number;
  #timer: unknown;

  /**
   * @param most maximum age in milliseconds; 0 for no limit
   * @param retryMs milliseconds that clients wait before they reconnect
   */
  constructor(clock: Clock, most: number, retryMs: number) {
    this.#clock = clock;
    this.#most = most;
    this.#retryMs = retryMs;
  }

  begin(stream: Aging): void {
    if (this.#most <= 0) return;
    this.#opened.set(stream, this.#clock.now());
    this.#timer ??= this.#clock.schedule(this.#check, this.#most);
  }

  end(stream: Aging): void {
    this.#opened.delete(stream);
    if (this.#opened.size > 0) return;
    this.#clock.clear(this.#timer);
    this.#timer = undefined;
  }

  readonly #check = (): void => {
    this.#timer = undefined;
    for (const [stream, at] of this.#opened) {
      const left = at + this.#most - this.#clock.now();
      if (left > 0) {
        this.#timer = this.#clock.schedule(this.#check, left);
        return;
      }
      this.#opened.delete(stream);
      stream.disconnect(this.#retryMs);
    }
  };
}
