import { Buffer, isAscii } from "node:buffer";

/** 10 MiB: what one message may weigh unless told otherwise. */
export const defaultLimit = 10 * 1024 * 1024;

/** Whoever is told of the lines; a `Receiver` is one. */
export interface LineReader {
  /** One line, without its end. */
  message(text: string): void;
  /** A line was longer than the limit (bytes) and has been dropped. */
  tooLong(limit: number): void;
}

const newline = 10;
const carriageReturn = 13;
const byteOrderMark = 0xfeff;

const nothing = Buffer.alloc(0);

/** Room for unfinished lines that is kept from one line to the next. */
const keptRoom = 256 * 1024;

/**
 * Splits a stream of bytes into lines, in time linear to the bytes. Lines end in LF or CRLF; empty ones and a
 * byte order mark at the start are passed over; one longer than the limit is dropped and reported once, and
 * takes no memory. UTF-8 may be cut anywhere; bytes that are none become U+FFFD.
 *
 * The lines that a chunk holds whole are decoded together and cut as text, which spares a call into native
 * code for each. The decoder never sees half a character: the byte LF is no part of any other character.
 */
export class LineSplitter {
  readonly #reader: LineReader;
  readonly #limit: number;
  /** The line that has not ended yet: the first `#used` bytes of `#held`. */
  #held: Buffer = nothing;
  #used = 0;
  /** Inside a line that has been found too long. */
  #dropping = false;
  /** Whole lines, each with its end, delivered up to `#next`. */
  #text = "";
  #next = 0;
  #first = true;
  #halted = false;
  /** Bytes not looked at yet, since delivery was halted. */
  #later: Buffer = nothing;

  /** `limit`: bytes of one line, its end not counted. */
  constructor(reader: LineReader, limit: number = defaultLimit) {
    this.#reader = reader;
    this.#limit = limit;
  }

  /** Delivers the lines that end in `chunk`. The bytes are not kept beyond the call, unless it is halted. */
  push(chunk: Buffer): void {
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

  /** Nothing follows: what stands after the last line end is a line as well. Not to be called while halted. */
  end(): void {
    if (this.#used > 0) this.push(Buffer.of(newline));
  }

  /** Called while a line is being delivered, makes it the last one until `resume`. */
  halt(): void {
    this.#halted = true;
  }

  /** Delivers what has waited since `halt`. */
  resume(): void {
    this.#halted = false;
    this.#run();
    if (this.#halted || this.#later.length === 0) return;
    const bytes = this.#later;
    this.#later = nothing;
    this.push(bytes);
  }

  #split(chunk: Buffer): void {
    const end = chunk.lastIndexOf(newline) + 1;
    if (end === 0) return this.#hold(chunk);
    let start = 0;
    let line = "";
    if (this.#used > 0 || this.#dropping) {
      start = chunk.indexOf(newline) + 1;
      line = this.#finish(chunk.subarray(0, start - 1));
    }
    this.#text = start === end ? "" : decode(chunk, start, end);
    this.#next = 0;
    if (end < chunk.length) this.#hold(chunk.subarray(end));
    this.#deliver(line);
    if (!this.#halted) this.#run();
  }

  /** Delivers lines of `#text` until there is none, or the reader wants no more. */
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
    this.#reader.message(line);
  }

  /** Keeps the part of a line whose end has not come. */
  #hold(bytes: Buffer): void {
    if (this.#dropping) return;
    const used = this.#used + bytes.length;
    // One byte of grace: it may be the CR of the line's end.
    if (used > this.#limit + 1) {
      this.#dropping = true;
      this.#forget();
      this.#reader.tooLong(this.#limit);
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
  #finish(bytes: Buffer): string {
    this.#hold(bytes);
    if (this.#dropping) {
      this.#dropping = false;
      return "";
    }
    const length = this.#held[this.#used - 1] === carriageReturn ? this.#used - 1 : this.#used;
    const line = length > this.#limit ? "" : decode(this.#held, 0, length);
    this.#forget();
    if (length > this.#limit) this.#reader.tooLong(this.#limit);
    return line;
  }

  #forget(): void {
    this.#used = 0;
    if (this.#held.length > keptRoom) this.#held = nothing;
  }
}

/** From this many bytes on, asking first whether all are ASCII costs less than it saves. */
const worthAsking = 2048;

function decode(bytes: Buffer, start: number, end: number): string {
  if (end - start < worthAsking) return bytes.toString("utf8", start, end);
  return bytes.toString(isAscii(bytes.subarray(start, end)) ? "latin1" : "utf8", start, end);
}
