/** Bytes of the first buffer, where a body comes in pieces. */
const first = 1024;

/** A body that comes in pieces, in one buffer: a piece of one byte costs one byte, and not an object. */
export class BodyBytes {
  private buffer: Uint8Array = none;
  private length = 0;

  push(piece: Uint8Array): void {
    const length = this.length + piece.length;
    if (length > this.buffer.length) {
      const grown = new Uint8Array(Math.max(length, 2 * this.buffer.length, first));
      grown.set(this.buffer.subarray(0, this.length));
      this.buffer = grown;
    }
    this.buffer.set(piece, this.length);
    this.length = length;
  }

  /** All that has come. */
  get whole(): Uint8Array {
    return this.buffer.subarray(0, this.length);
  }
}

const none = new Uint8Array(0);
