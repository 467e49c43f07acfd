import type { Readable, Writable } from "node:stream";
import { McpError } from "../jsonrpc/errors.js";
import type { Channel, Receiver } from "../jsonrpc/channel.js";
import { MessageReader } from "./message-reader.js";
import { checkStreamOptions } from "./option-check.js";
import { MessageWriter } from "./message-writer.js";

export interface StreamChannelOptions {
  /** Bytes of one incoming message; a longer one is dropped. Default: 10 MiB. */
  readonly limit?: number | undefined;
  /**
   * UTF-16 units that may wait to be read by the other side before this side stops reading. Default: 4 MiB. A client
   * should set `Infinity`: two sides that both stop reading wait for each other forever. It then stops only for 1 MiB of
   * answers to requests of the server.
   */
  readonly backlog?: number | undefined;
}

/** How the streams of the process differ from others. */
export interface StreamTreatment {
  /** Whether `close` ends the streams. */
  readonly end: boolean;
  /** Replaces `write` of the writable. */
  readonly write?: Writable["write"] | undefined;
}

/**
 * Milliseconds between the last progress of a request and its answer. Clients of the official SDK forget a request when
 * its answer arrives, before they handle progress of the same chunk.
 */
const apart = 10;

/**
 * The wire format of stdio over any pair of byte streams, a socket for example: one message a line (2026-07-28,
 * basic/transports/stdio).
 */
export class StreamChannel implements Channel {
  /** Resolves when no more messages arrive, with the reason if the end was not in order. */
  readonly closed: Promise<Error | undefined>;
  readonly #readable: Readable;
  readonly #writer: MessageWriter;
  readonly #options: StreamChannelOptions;
  readonly #end: boolean;
  readonly #announce: (reason: Error | undefined) => void;
  #receiver: Receiver | undefined;
  #reader: MessageReader | undefined;
  /** Send the answers that wait for `sendApart`. */
  readonly #apart = new Set<() => void>();
  #closing = false;
  #over: { readonly reason: Error | undefined } | undefined;

  constructor(
    readable: Readable,
    writable: Writable,
    options: StreamChannelOptions = {},
    treatment: StreamTreatment = { end: true },
  ) {
    let announce!: (reason: Error | undefined) => void;
    this.closed = new Promise((resolve) => (announce = resolve));
    this.#announce = announce;
    this.#readable = readable;
    this.#options = options;
    this.#end = treatment.end;
    this.#writer = new MessageWriter(
      writable,
      {
        full: () => this.#reader?.halt(),
        drained: () => this.#reader?.resume(),
        broken: (error) => this.#finish(closedBy("cannot write to the other side", error)),
      },
      { backlog: options.backlog, write: treatment.write },
    );
    // Before `open`, an error of the input has no other listener.
    readable.on("error", () => {});
  }

  open(receiver: Receiver): void {
    this.#receiver = receiver;
    if (this.#over !== undefined) {
      const { reason } = this.#over;
      return queueMicrotask(() => receiver.closed(reason));
    }
    const ended = (error?: Error): void => this.#ended(error);
    this.#reader = new MessageReader(this.#readable, this.#writer, receiver, ended, this.#options.limit);
  }

  send(text: string): void {
    this.#writer.send(text);
  }

  sendApart(text: string, since: number): void {
    const wait = since + apart - performance.now();
    if (wait <= 0) return this.send(text);
    // The progress is written first.
    this.#writer.flush();
    const send = (): void => {
      clearTimeout(timer);
      this.#apart.delete(send);
      this.send(text);
    };
    const timer = setTimeout(send, wait);
    this.#apart.add(send);
  }

  reply(text: string): void {
    this.#writer.reply(text);
  }

  flush(): void {
    this.#writer.flush();
  }

  async close(): Promise<void> {
    for (const send of this.#apart) send();
    this.#closing = true;
    this.#reader?.stop();
    await this.#writer.close(this.#end);
    if (this.#end) this.#readable.destroy();
    this.#finish(undefined);
  }

  /** The end of the input is in order: later messages may still be read by the other side. */
  #ended(error: Error | undefined): void {
    if (error !== undefined) return this.#finish(closedBy("cannot read from the other side", error));
    if (!this.#receiver?.ended) return this.#finish(undefined);
    this.#receiver.ended();
    this.#announce(undefined);
  }

  #finish(found: Error | undefined): void {
    if (this.#over !== undefined) return;
    // Errors of streams that are being closed are expected.
    const reason = this.#closing ? undefined : found;
    this.#over = { reason };
    this.#reader?.stop();
    this.#receiver?.closed(reason);
    this.#announce(reason);
  }
}

/**
 * A channel over two byte streams, or one that is both: `streamChannel(socket, socket)`.
 *
 * @throws {McpError} `invalid-definition`: an option is wrong
 */
export function streamChannel(
  readable: Readable,
  writable: Writable,
  options: StreamChannelOptions = {},
): StreamChannel {
  checkStreamOptions(options);
  return new StreamChannel(readable, writable, options);
}

function closedBy(what: string, cause: Error): McpError {
  return new McpError("connection-closed", `${what}: ${cause.message}`, { cause });
}
