import type { Writable } from "node:stream";

/** Callbacks of a writer. */
export interface WriterOwner {
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
 * Queues messages and writes those of one turn in one write, each followed by a line end. A turn ends with `flush`, or
 * when no microtask is left.
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

  /** Writes the queue. */
  flush(): void {
    if (this.#queue === "" || this.#gone) return;
    const text = this.#queue;
    this.#queue = "";
    this.#write.call(this.#stream, text, "utf8");
    if (this.#full) return;
    // Otherwise no `drain` follows.
    if (!this.#stream.writableNeedDrain) {
      this.#replies = 0;
      return;
    }
    if (this.#stream.writableLength <= this.#backlog && this.#replies <= mostReplies) return;
    this.#full = true;
    this.#owner.full();
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
