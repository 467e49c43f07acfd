import type { Writable } from "node:stream";

/** What an outlet tells its owner. */
export interface OutletOwner {
  /** More waits than the backlog allows. */
  full(): void;
  /** After `full`: all that waited is out. */
  drained(): void;
  /** Nothing written from now on will arrive. Called once. */
  broken(error: Error): void;
}

/** 4 MiB: what may wait for a slow reader before `full` is called. */
export const defaultBacklog = 4 * 1024 * 1024;

/** 1 MiB: what may wait of answers alone before `full` is called, whatever the backlog. */
const mostReplies = 1024 * 1024;

/** As much as a pipe takes at once: gathering more in one write gains nothing. */
const writeSize = 64 * 1024;

/**
 * The writing side: texts are queued, those of one turn leave in one write, each followed by a line end.
 * A turn ends when the owner says so (`flush`), else when no microtask is left.
 */
export class Outlet {
  readonly #stream: Writable;
  readonly #write: Writable["write"];
  readonly #owner: OutletOwner;
  readonly #backlog: number;
  #queue = "";
  /** Characters of the answers since nothing waited. */
  #replies = 0;
  #scheduled = false;
  #held = false;
  #full = false;
  #gone = false;
  #closed: Promise<void> | undefined;

  /** `write` stands in for the stream's own, where that is not what it was (see guard.ts). */
  constructor(
    stream: Writable,
    owner: OutletOwner,
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

  /** Queues the answer to a request of the other side's: it causes these, and is not to cause more than it reads. */
  reply(text: string): void {
    this.#replies += text.length;
    this.send(text);
  }

  /** Until `release` nothing is written unless `flush` is called or much is queued: spares the scheduling. */
  hold(): void {
    this.#held = true;
  }

  /** The turn may end. */
  release(): void {
    this.#held = false;
    if (this.#queue !== "") this.#schedule();
  }

  /** Writes what is queued. */
  flush(): void {
    if (this.#queue === "" || this.#gone) return;
    const text = this.#queue;
    this.#queue = "";
    this.#write.call(this.#stream, text, "utf8");
    if (this.#full) return;
    // Without that need no `drain` would follow.
    if (!this.#stream.writableNeedDrain) {
      this.#replies = 0;
      return;
    }
    if (this.#stream.writableLength <= this.#backlog && this.#replies <= mostReplies) return;
    this.#full = true;
    this.#owner.full();
  }

  /**
   * Resolves when the system has all that was sent, or the stream is broken; `end` ends the stream, too.
   * Further calls give the same.
   */
  close(end: boolean): Promise<void> {
    this.flush();
    this.#closed ??= new Promise((resolve) => {
      if (this.#gone || this.#stream.destroyed || this.#stream.writableEnded) return resolve();
      // Also called when the stream breaks meanwhile.
      if (end) this.#stream.end(() => resolve());
      else this.#write.call(this.#stream, "", "utf8", () => resolve());
    });
    return this.#closed;
  }

  /** A tick that a microtask asks for runs after all microtasks, whatever was queued before them. */
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
