import type { Writable, Readable } from "node:stream";
import { type Channel, checkOptions, McpError, type Receiver, type Rules } from "@mcpgen/base";
import { MessageReader } from "./message-reader.js";

/** Callbacks of a writer. */
interface WriterOwner {
  /** The queue is longer than the backlog allows. */
  full(): void;
  /** After `full`: the queue is empty. */
  drained(): void;
  /** Nothing written from now on will arrive. Called once. */
  broken(error: Error): void;
}

/** UTF-16 units that may wait for a slow reader before `full` is called: 4 MiB. */
const defaultBacklog = 4 * 1024 * 1024;

/** UTF-16 units of answers that may wait before `full` is called, whatever the backlog: 1 MiB. */
const mostReplies = 1024 * 1024;

/** The size of a pipe buffer: larger writes gain nothing. */
const writeSize = 64 * 1024;

/**
 * Queues messages. The messages of one turn are written together, each followed by a line end. A turn ends with
 * `flush`, or when no microtask is left.
 */
export class MessageWriter {
  readonly #stream: Writable;
  readonly #write: Writable["write"];
  readonly #owner: WriterOwner;
  readonly #backlog: number;
  #queue = "";
  /** UTF-16 units of answers since the queue was empty. */
  #replies = 0;
  #scheduled = false;
  #held = false;
  #full = false;
  #gone = false;
  #closed: Promise<void> | undefined;

  /** @param options `write` replaces the method of the stream, which guard.ts may have changed */
  constructor(
    stream: Writable,
    owner: WriterOwner,
    options: { readonly backlog?: number | undefined; readonly write?: Writable["write"] | undefined } = {},
  ) {
    this.#stream = stream;
    this.#write = options.write ?? stream.write;
    this.#owner = owner;
    this.#backlog = options.backlog ?? defaultBacklog;
    stream.on("error", (error: Error) => this.#break(error));
    stream.on("close", () => this.#break(new Error("the stream was closed")));
    stream.on("drain", () => this.#drain());
  }

  /** Queues a text. */
  send(text: string): void {
    if (this.#gone || this.#closed !== undefined) return;
    this.#queue += text;
    this.#queue += "\n";
    if (this.#queue.length >= writeSize) this.flush();
    else if (!this.#held) this.#schedule();
  }

  /** Queues the answer to a request of the other side, which must not cause more answers than it reads. */
  reply(text: string): void {
    this.#replies += text.length;
    this.send(text);
  }

  /** Writes only on `flush` and when the queue is long, until `release`: saves the scheduling. */
  hold(): void {
    this.#held = true;
  }

  /** Ends `hold`. */
  release(): void {
    this.#held = false;
    if (this.#queue !== "") this.#schedule();
  }

  /** Writes the queue. @returns whether there was something to write */
  flush(): boolean {
    if (this.#queue === "" || this.#gone) return false;
    const text = this.#queue;
    this.#queue = "";
    this.#write.call(this.#stream, text, encodingOf(text));
    if (this.#full) return true;
    // Otherwise no `drain` follows.
    if (!this.#stream.writableNeedDrain) this.#replies = 0;
    else if (this.#stream.writableLength > this.#backlog || this.#replies > mostReplies) {
      this.#full = true;
      this.#owner.full();
    }
    return true;
  }

  /**
   * Resolves when everything is written, or the stream is broken. Further calls return the same promise.
   *
   * @param end whether the stream is ended, too
   */
  close(end: boolean): Promise<void> {
    this.flush();
    this.#closed ??= new Promise((resolve) => {
      if (this.#gone || this.#stream.destroyed || this.#stream.writableEnded) return resolve();
      // The callback also runs when the stream breaks.
      if (end) this.#stream.end(() => resolve());
      else this.#write.call(this.#stream, "", "utf8", () => resolve());
    });
    return this.#closed;
  }

  /** A tick scheduled by a microtask runs after all microtasks. */
  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => process.nextTick(this.#flushScheduled));
  }

  readonly #flushScheduled = (): void => {
    this.#scheduled = false;
    this.flush();
  };

  #drain(): void {
    this.#replies = 0;
    if (!this.#full || this.#gone) return;
    this.#full = false;
    this.#owner.drained();
  }

  #break(error: Error): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#queue = "";
    this.#owner.broken(error);
  }
}

/** From this many UTF-16 units on, the check for ASCII costs less than it saves. */
const asciiCheckSize = 4096;

/** Equal lengths mean pure ASCII: Node copies it as latin1 faster than it encodes it as UTF-8. */
function encodingOf(text: string): "latin1" | "utf8" {
  return text.length >= asciiCheckSize && Buffer.byteLength(text) === text.length ? "latin1" : "utf8";
}

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

export const streamRules: Rules<StreamChannelOptions> = { limit: "amount", backlog: "amount" };

/** Special treatment of the process's own streams. */
export interface StreamTreatment {
  /** Whether `close` ends the streams. */
  readonly end: boolean;
  /** Replaces `write` of the writable. */
  readonly write?: Writable["write"] | undefined;
}

/**
 * Milliseconds between the last progress of a request and its answer, at least. Clients of the official SDK forget a request when
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
  /** Functions that send the answers waiting for `sendApart`. */
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
    const now = performance.now();
    // The progress is written first: until now it may have waited for the end of a turn that took long.
    const wait = (this.#writer.flush() ? now : since) + apart - now;
    if (wait <= 0) return this.send(text);
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
  checkOptions(options, streamRules);
  return new StreamChannel(readable, writable, options);
}

function closedBy(what: string, cause: Error): McpError {
  return new McpError("connection-closed", `${what}: ${cause.message}`, { cause });
}
