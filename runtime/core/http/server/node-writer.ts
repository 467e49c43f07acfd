import type { IncomingMessage, ServerResponse } from "node:http";
import type { Backlog, Reader } from "./backlog.js";
import { type EventSink, mostWaiting } from "./exchange.js";

/** Bytes of a long body that are written at a time: how far its reader is, shows between them. */
const piece = 262_144;

/** A body from which on it is written in pieces. */
export const longBody = piece;

/**
 * Writes the body of a response as fast as its reader takes it: what it leaves waiting is counted, and stays here,
 * rather than in the platform.
 */
export class NodeWriter implements EventSink, Reader {
  private readonly request: IncomingMessage;
  private readonly response: ServerResponse;
  private readonly backlog: Backlog;
  readonly principal: string;
  private queue: (string | Uint8Array)[] = [];
  /** Bytes in it. */
  private queued = 0;
  private ending = false;
  private watching = false;

  constructor(request: IncomingMessage, response: ServerResponse, backlog: Backlog, principal: string) {
    this.request = request;
    this.response = response;
    this.backlog = backlog;
    this.principal = principal;
  }

  write(text: string): boolean {
    const { response } = this;
    if (response.destroyed || response.writableEnded || this.ending) return false;
    if (this.queue.length === 0 && !response.writableNeedDrain) {
      if (!response.write(text)) this.wait(false);
      return true;
    }
    if (this.waiting > mostWaiting) {
      this.cut();
      return false;
    }
    this.enqueue(text, Buffer.byteLength(text));
    this.wait(false);
    return true;
  }

  /** Writes a whole body, and ends it. */
  writeAll(body: Buffer): void {
    for (let at = 0; at < body.length; at += piece) {
      const part = body.subarray(at, at + piece);
      this.enqueue(part, part.length);
    }
    this.flush();
    this.end();
  }

  end(): void {
    if (this.response.destroyed || this.ending) return;
    this.ending = true;
    if (this.queue.length === 0) this.response.end();
  }

  cut(): void {
    this.drop();
    this.response.destroy();
    // A response that waits for others on its connection has no hold on it yet.
    if (!this.response.socket) this.request.socket.destroy();
  }

  private drop(): void {
    this.queue = [];
    this.queued = 0;
    this.backlog.wait(this, 0);
  }

  private get waiting(): number {
    return this.queued + this.response.writableLength;
  }

  private enqueue(part: string | Uint8Array, bytes: number): void {
    this.queue.push(part);
    this.queued += bytes;
  }

  /** @param took whether the reader took something */
  private wait(took: boolean): void {
    this.backlog.wait(this, this.waiting, took);
    if (this.watching) return;
    this.watching = true;
    const { response } = this;
    response.on("drain", () => this.flush());
    const done = (): void => this.drop();
    response.once("finish", done);
    response.once("close", done);
  }

  /** The reader took what was written: more of what waits is. */
  private flush(): void {
    const { response, queue } = this;
    if (response.destroyed) return;
    let written = 0;
    while (written < queue.length && !response.writableNeedDrain) {
      const part = queue[written++]!;
      this.queued -= typeof part === "string" ? Buffer.byteLength(part) : part.length;
      response.write(part);
    }
    queue.splice(0, written);
    if (queue.length === 0 && this.ending && !response.writableEnded) response.end();
    this.wait(true);
  }
}
