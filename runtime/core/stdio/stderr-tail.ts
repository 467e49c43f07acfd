import { Buffer } from "node:buffer";

/** Bytes that are kept of what a child prints on standard error. */
const kept = 8 * 1024;

/** The end of a stream of text, for the error that says why the stream ended. */
export class StderrTail {
  #bytes: Buffer = Buffer.alloc(0);

  push(chunk: Buffer): void {
    const recent = chunk.length >= kept ? chunk : Buffer.concat([this.#bytes, chunk]);
    // A copy, so that a part does not keep the whole chunk.
    this.#bytes = recent.length > kept ? Buffer.from(recent.subarray(-kept)) : recent;
  }

  /** The text, from the first whole character on. */
  text(): string {
    let start = 0;
    // Bytes 10xxxxxx continue a character that began before what is kept.
    while (start < 4 && (this.#bytes[start]! & 0xc0) === 0x80) start++;
    return this.#bytes.toString("utf8", start);
  }
}
