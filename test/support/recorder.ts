import { once, EventEmitter } from "node:events";
import type { Channel, Receiver } from "../../runtime/core/jsonrpc/channel.js";

/** A receiver that keeps what it is told. */
export class Recorder implements Receiver {
  readonly texts: string[] = [];
  readonly limits: number[] = [];
  turns = 0;
  /** Calls of `closed`, with their reasons. */
  readonly closings: (Error | undefined)[] = [];
  readonly #told = new EventEmitter();

  constructor(channel?: Channel) {
    channel?.open(this);
  }

  message(text: string): void {
    this.texts.push(text);
    this.#told.emit("told");
  }

  turn(): void {
    this.turns++;
  }

  tooLong(limit: number): void {
    this.limits.push(limit);
    this.#told.emit("told");
  }

  closed(reason?: Error): void {
    this.closings.push(reason);
    this.#told.emit("told");
  }

  /** Resolves when `holds`; rejects when the channel closes before. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      if (this.closings.length > 0) throw new Error("closed before", { cause: this.closings[0] });
      await once(this.#told, "told");
    }
  }

  /** The reason of the only call of `closed`. */
  async reason(): Promise<Error | undefined> {
    while (this.closings.length === 0) await once(this.#told, "told");
    return this.closings[0];
  }
}
