import type { Backlog, Reader } from "./backlog.js";
import { type EventSink, mostWaiting } from "./exchange.js";

/** More bytes than ever wait; platforms take no larger number for it. */
const plenty = 2 ** 30;

/** Bytes that may wait and are not counted; platforms keep as many for a connection anyway. */
const least = 65_536;

/** Writes a response that is a web stream; what its reader leaves waiting is counted. */
export class WebWriter implements EventSink, Reader {
  readonly body: ReadableStream<Uint8Array>;
  private readonly backlog: Backlog;
  readonly principal: string;
  private readonly leave: () => void;
  private readonly encoder = new TextEncoder();
  private controller!: ReadableStreamDefaultController<Uint8Array>;
  private waiting = 0;
  private ending = false;
  private open = true;

  /** @param leave called when the client goes away, or is cut off */
  constructor(backlog: Backlog, principal: string, leave: () => void) {
    this.backlog = backlog;
    this.principal = principal;
    this.leave = leave;
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (given) => void (this.controller = given),
        pull: () => this.look(),
        cancel: () => this.stop(),
      },
      // The platform asks for more after each piece that is taken.
      { highWaterMark: plenty, size: ({ byteLength }) => byteLength },
    );
  }

  write(text: string): boolean {
    if (!this.open || this.ending) return false;
    if (this.waiting > mostWaiting) {
      this.cut();
      return false;
    }
    this.controller.enqueue(this.encoder.encode(text));
    this.look();
    return true;
  }

  end(): void {
    this.ending = true;
    if (this.waiting === 0) this.close();
  }

  /** Looks how much waits; after the end of the last piece it is closed. */
  private look(): void {
    if (!this.open) return;
    const waiting = plenty - this.controller.desiredSize!;
    const took = waiting < this.waiting;
    this.waiting = waiting;
    this.backlog.wait(this, waiting < least ? 0 : waiting, took);
    if (waiting === 0 && this.ending) this.close();
  }

  private close(): void {
    if (this.open) this.controller.close();
    this.open = false;
  }

  cut(): void {
    if (!this.open) return;
    this.controller.error(new Error("the reader is too slow"));
    this.stop();
  }

  private stop(): void {
    this.open = false;
    this.backlog.wait(this, 0);
    this.leave();
  }
}
