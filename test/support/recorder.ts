import { once, EventEmitter } from "node:events";
import type { Channel, Receiver } from "../../runtime/base/jsonrpc/channel.js";

/** A receiver that records what it receives. */
export class Recorder implements Receiver {
  readonly texts: string[] = [];
  readonly limits: number[] = [];
  turns = 0;
  /** Calls of `closed`, with their reasons. */
  readonly closings: (Error | undefined)[] = [];
  readonly #events = new EventEmitter();

  constructor(channel?: Channel) {
    channel?.open(this);
  }

  message(text: string): void {
    this.texts.push(text);
    this.#events.emit("recorded");
  }

  turn(): void {
    this.turns++;
  }

  tooLong(limit: number): void {
    this.limits.push(limit);
    this.#events.emit("recorded");
  }

  closed(reason?: Error): void {
    this.closings.push(reason);
    this.#events.emit("recorded");
  }

  /** Resolves when `holds` returns true. Rejects if the channel closes earlier. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      if (this.closings.length > 0) throw new Error("closed before", { cause: this.closings[0] });
      await once(this.#events, "recorded");
    }
  }

  /** The reason of the only call of `closed`. */
  async reason(): Promise<Error | undefined> {
    while (this.closings.length === 0) await once(this.#events, "recorded");
    return this.closings[0];
  }
}
