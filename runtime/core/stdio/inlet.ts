import { Buffer } from "node:buffer";
import type { Readable } from "node:stream";
import type { Receiver } from "../jsonrpc/channel.js";
import { LineSplitter } from "./framing.js";
import type { Outlet } from "./outlet.js";

/**
 * Reads messages from a stream of bytes and hands them to a receiver, as fast as its owner allows. What the
 * receiver sends while it is handed the messages of a chunk counts as one turn of the outlet.
 */
export class Inlet {
  readonly #stream: Readable;
  readonly #outlet: Outlet;
  readonly #receiver: Receiver;
  readonly #lines: LineSplitter;
  readonly #ended: (error?: Error) => void;
  #halted = false;
  #done = false;
  /** The stream ended while halted: said when all that has arrived is delivered. */
  #end: { readonly error: Error | undefined } | undefined;

  /** `outlet`: where the answers go. `ended` is called once, after the last message: at the end of the stream, or with why it broke off. */
  constructor(
    stream: Readable,
    outlet: Outlet,
    receiver: Receiver,
    ended: (error?: Error) => void,
    limit: number | undefined,
  ) {
    this.#stream = stream;
    this.#outlet = outlet;
    this.#receiver = receiver;
    this.#lines = new LineSplitter(receiver, limit);
    this.#ended = ended;
    stream.on("data", this.#read);
    stream.on("end", () => this.#finish());
    stream.on("error", (error: Error) => this.#finish(error));
    stream.on("close", () => this.#finish());
  }

  /** No further message until `resume`, also of those that have arrived. */
  halt(): void {
    this.#halted = true;
    this.#lines.halt();
    this.#stream.pause();
  }

  resume(): void {
    if (!this.#halted || this.#done) return;
    this.#halted = false;
    this.#outlet.hold();
    try {
      this.#lines.resume();
      this.#receiver.turn();
    } finally {
      this.#outlet.release();
    }
    if (this.#halted) return;
    if (this.#end === undefined) this.#stream.resume();
    else this.#finish(this.#end.error);
  }

  /** No further message, and `ended` is not called. */
  stop(): void {
    this.#done = true;
    this.halt();
    this.#stream.off("data", this.#read);
  }

  readonly #read = (chunk: Buffer | string): void => {
    // A string where somebody has given the stream an encoding, as programs do with their standard input.
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    this.#outlet.hold();
    try {
      this.#lines.push(bytes);
      this.#receiver.turn();
    } finally {
      this.#outlet.release();
    }
  };

  #finish(error?: Error): void {
    if (this.#done) return;
    if (this.#halted) {
      this.#end ??= { error };
      return;
    }
    this.#done = true;
    if (error === undefined) {
      this.#lines.end();
      this.#receiver.turn();
    }
    this.#ended(error);
  }
}
