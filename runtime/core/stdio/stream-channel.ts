import type { Readable, Writable } from "node:stream";
import { McpError } from "../jsonrpc/errors.js";
import type { Channel, Receiver } from "../jsonrpc/channel.js";
import { MessageReader } from "./message-reader.js";
import { checkStreamOptions } from "./option-check.js";
import { MessageWriter } from "./message-writer.js";

export interface StreamChannelOptions {
  /** Bytes that one incoming message may have; a longer one is dropped. 10 MiB unless said otherwise. */
  readonly limit?: number | undefined;
  /**
   * How much may wait to be read by the other side (UTF-16 units, about bytes) before this side stops
   * reading. 4 MiB unless said otherwise. A client should say `Infinity`: two sides that both stop reading
   * wait for each other for ever. It then stops for 1 MiB of answers to the server's own requests alone.
   */
  readonly backlog?: number | undefined;
}

/** What a channel over the process's own streams needs to know beyond that. */
export interface StreamTreatment {
  /** Whether `close` ends the streams; those of the process stay. */
  readonly end: boolean;
  /** Stands in for the writable's own `write`. */
  readonly write?: Writable["write"] | undefined;
}

/**
 * Milliseconds between the last progress of a request and its answer. The official SDK's clients forget a request when
 * its answer comes, before they hear the progress that was read together with it.
 */
const apart = 10;

/**
 * The wire format of stdio over any pair of byte streams, a socket for one (2026-07-28,
 * basic/transports/stdio): a message a line.
 */
export class StreamChannel implements Channel {
  /** Resolves when nothing more will arrive, with the reason if that was not in order. */
  readonly closed: Promise<Error | undefined>;
  readonly #readable: Readable;
  readonly #writer: MessageWriter;
  readonly #options: StreamChannelOptions;
  readonly #end: boolean;
  readonly #announce: (reason: Error | undefined) => void;
  #receiver: Receiver | undefined;
  #reader: MessageReader | undefined;
  /** Answers that wait to be sent apart. */
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
    // What it is to follow leaves first.
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

  /** The end of the input is in order; what is still sent may be read. */
  #ended(error: Error | undefined): void {
    if (error !== undefined) return this.#finish(closedBy("cannot read from the other side", error));
    if (!this.#receiver?.ended) return this.#finish(undefined);
    this.#receiver.ended();
    this.#announce(undefined);
  }

  #finish(found: Error | undefined): void {
    if (this.#over !== undefined) return;
    // Whatever happens to the streams once we close them is in order.
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
