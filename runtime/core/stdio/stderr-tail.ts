import { Buffer } from "node:buffer";

/** Bytes of standard error of a child that are kept. */
const kept = 8 * 1024;

/** The end of a text stream, for errors. */
export class StderrTail {
  #bytes: Buffer = Buffer.alloc(0);

  push(chunk: Buffer): void {
    const recent = chunk.length >= kept ? chunk : Buffer.concat([this.#bytes, chunk]);
    // A copy: a part would keep the whole chunk in memory.
    this.#bytes = recent.length > kept ? Buffer.from(recent.subarray(-kept)) : recent;
  }

  /** The text, from the first whole character on. */
  text(): string {
    let start = 0;
    // Bytes 10xxxxxx belong to a character that began before.
    while (start < 4 && (this.#bytes[start]! & 0xc0) === 0x80) start++;
    return this.#bytes.toString("utf8", start);
  }
}
