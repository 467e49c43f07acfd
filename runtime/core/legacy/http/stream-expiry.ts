import type { Clock } from "@mcpgen/base";

/** The age of a listening stream at which its client reconnects. */
const mostAgeMs = 3_600_000;

/** A stream with a maximum age. */
interface Aging {
  disconnect(): void;
}

/**
 * Disconnects listening streams at their maximum age; their clients reconnect. One timer serves all streams and runs
 * only while one is open.
 */
export class StreamExpiry {
  /** Opening times, oldest first. */
  readonly #opened = new Map<Aging, number>();
  readonly #clock: Clock;
  #timer: unknown;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  begin(stream: Aging): void {
    this.#opened.set(stream, this.#clock.now());
    this.#timer ??= this.#clock.schedule(this.#check, mostAgeMs);
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
      const left = at + mostAgeMs - this.#clock.now();
      if (left > 0) {
        this.#timer = this.#clock.schedule(this.#check, left);
        return;
      }
      this.#opened.delete(stream);
      stream.disconnect();
    }
  };
}
