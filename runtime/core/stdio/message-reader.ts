import { Buffer, isAscii } from "node:buffer";
import type { Readable } from "node:stream";
import type { Receiver } from "@mcpgen/base";

/** Bytes of one message: 10 MiB. */
const defaultLimit = 10 * 1024 * 1024;

const newline = 10;
const carriageReturn = 13;
const byteOrderMark = 0xfeff;

const nothing = Buffer.alloc(0);

/** Bytes of the buffer for unfinished lines that stay allocated from one line to the next. */
const keptRoom = 256 * 1024;

/** From this many bytes on, the check for ASCII costs less than it saves. */
const asciiCheckSize = 2048;

function decode(bytes: Buffer, start: number, end: number): string {
  if (end - start < asciiCheckSize) return bytes.toString("utf8", start, end);
  return bytes.toString(isAscii(bytes.subarray(start, end)) ? "latin1" : "utf8", start, end);
}

/** Writes what is sent meanwhile at once. */
interface HeldWriter {
  hold(): void;
  release(): void;
}

/**
 * Reads messages from a stream of bytes and passes them to a receiver, until it is halted. Messages that the receiver
 * sends while it reads one chunk leave in one write.
 *
 * Each line is a message. Lines end in LF or CRLF; they are split in time linear to the bytes. Empty lines and a byte order
 * mark at the start are skipped. A line longer than the limit is dropped, reported once and not buffered. A chunk may end
 * inside a UTF-8 character. Bytes that are not UTF-8 become U+FFFD.
 *
 * The whole lines of a chunk are decoded together and split as text: one call into native code instead of one a line.
 * The decoder never sees half a character, because the byte LF is not part of any other character.
 */
export class MessageReader {
  readonly #stream: Readable;
  readonly #writer: HeldWriter;
  readonly #receiver: Receiver;
  readonly #ended: (error?: Error) => void;
  readonly #limit: number;
  /** The line that has not ended yet: the first `#used` bytes of `#held`. */
  #held: Buffer = nothing;
  #used = 0;
  /** Inside a line that is too long. */
  #dropping = false;
  /** Whole lines, each with its end, delivered up to `#next`. */
  #text = "";
  #next = 0;
  #first = true;
  #halted = false;
  /** Bytes that arrived while halted. */
  #later: Buffer = nothing;
  #done = false;
  /** The stream ended while halted: `ended` is called when all lines are delivered. */
  #end: { readonly error: Error | undefined } | undefined;

  /**
   * @param writer of the answers
   * @param ended called once, after the last message; with the error if the stream broke
   * @param limit bytes of one line without its end
   */
  constructor(
    stream: Readable,
    writer: HeldWriter,
    receiver: Receiver,
    ended: (error?: Error) => void,
    limit: number = defaultLimit,
  ) {
    this.#stream = stream;
    this.#writer = writer;
    this.#receiver = receiver;
    this.#ended = ended;
    this.#limit = limit;
    stream.on("data", this.#read);
    stream.on("end", () => this.#finish());
    stream.on("error", (error: Error) => this.#finish(error));
    stream.on("close", () => this.#finish());
  }

  /** Delivers no message until `resume`, not even one that has arrived. */
  halt(): void {
    this.#halted = true;
    this.#stream.pause();
  }

  /** Delivers the lines that arrived since `halt`, then reads on. */
  resume(): void {
    if (!this.#halted || this.#done) return;
    this.#halted = false;
    this.#turn(() => {
      this.#run();
      const bytes = this.#later;
      if (this.#halted || bytes.length === 0) return;
      this.#later = nothing;
      this.#push(bytes);
    });
    if (this.#halted) return;
    if (this.#end === undefined) this.#stream.resume();
    else this.#finish(this.#end.error);
  }

  /** Delivers no further message, and does not call `ended`. */
  stop(): void {
    this.#done = true;
    this.halt();
    this.#stream.off("data", this.#read);
  }

  readonly #read = (chunk: Buffer | string): void =>
    // A string, if the program has set an encoding on its standard input.
    this.#turn(() => this.#push(typeof chunk === "string" ? Buffer.from(chunk) : chunk));

  #turn(deliver: () => void): void {
    this.#writer.hold();
    try {
      deliver();
      this.#receiver.turn();
    } finally {
      this.#writer.release();
    }
  }

  #finish(error?: Error): void {
    if (this.#done) return;
    if (this.#halted) {
      this.#end ??= { error };
      return;
    }
    this.#done = true;
    if (error === undefined) {
      // The text after the last line end is a line, too.
      if (this.#used > 0) this.#push(Buffer.of(newline));
      this.#receiver.turn();
    }
    this.#ended(error);
  }

  /** Delivers the lines that end in `chunk`. The bytes are not kept beyond the call, unless it is halted. */
  #push(chunk: Buffer): void {
    if (this.#halted) {
      this.#later = Buffer.concat([this.#later, chunk]);
      return;
    }
    const step = Math.max(this.#limit, 1);
    if (chunk.length <= step) return this.#split(chunk);
    // In steps no longer than the limit, so that only a line begun in an earlier step can be too long.
    for (let start = 0; start < chunk.length; start += step) {
      this.#split(chunk.subarray(start, start + step));
      if (this.#halted) {
        this.#later = chunk.subarray(start + step);
        return;
      }
    }
  }

  #split(chunk: Buffer): void {
    const end = chunk.lastIndexOf(newline) + 1;
    if (end === 0) return this.#hold(chunk);
    let start = 0;
    let line = "";
    if (this.#used > 0 || this.#dropping) {
      start = chunk.indexOf(newline) + 1;
      line = this.#ending(chunk.subarray(0, start - 1));
    }
    this.#text = start === end ? "" : decode(chunk, start, end);
    this.#next = 0;
    if (end < chunk.length) this.#hold(chunk.subarray(end));
    this.#deliver(line);
    if (!this.#halted) this.#run();
  }

  /** Delivers lines of `#text` until it is empty or delivery is halted. */
  #run(): void {
    const text = this.#text;
    while (this.#next < text.length) {
      const start = this.#next;
      const end = text.indexOf("\n", start);
      this.#next = end + 1;
      this.#deliver(text.slice(start, text.charCodeAt(end - 1) === carriageReturn ? end - 1 : end));
      if (this.#halted) return;
    }
    this.#text = "";
    this.#next = 0;
  }

  #deliver(line: string): void {
    if (line === "") return;
    if (this.#first) {
      this.#first = false;
      if (line.charCodeAt(0) === byteOrderMark) return this.#deliver(line.slice(1));
    }
    this.#receiver.message(line);
  }

  /** Buffers the part of a line whose end has not arrived. */
  #hold(bytes: Buffer): void {
    if (this.#dropping) return;
    const used = this.#used + bytes.length;
    // One byte of grace: it may be the CR of the line's end.
    if (used > this.#limit + 1) {
      this.#dropping = true;
      this.#forget();
      this.#receiver.tooLong(this.#limit);
      return;
    }
    if (used > this.#held.length) {
      const room = Buffer.allocUnsafeSlow(Math.max(used, 2 * this.#held.length, 1024));
      this.#held.copy(room, 0, 0, this.#used);
      this.#held = room;
    }
    bytes.copy(this.#held, this.#used);
    this.#used = used;
  }

  /** The line that ends with `bytes`; empty if there is none to deliver. */
  #ending(bytes: Buffer): string {
    this.#hold(bytes);
    if (this.#dropping) {
      this.#dropping = false;
      return "";
    }
    const length = this.#held[this.#used - 1] === carriageReturn ? this.#used - 1 : this.#used;
    const line = length > this.#limit ? "" : decode(this.#held, 0, length);
    this.#forget();
    if (length > this.#limit) this.#receiver.tooLong(this.#limit);
    return line;
  }

  #forget(): void {
    this.#used = 0;
    if (this.#held.length > keptRoom) this.#held = nothing;
  }
}
