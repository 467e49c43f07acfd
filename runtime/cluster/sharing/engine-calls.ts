import { McpError } from "@mcpgen/runtime";
import { Breaker, messageOf } from "@mcpgen/base";
import { closedError } from "./memory-store.js";
import { logLimits } from "./store.js";

/** Makes the calls of a store to its engine, with a timeout. All calls fail after `close`. */
export class EngineCalls {
  readonly #breaker: Breaker;
  #isClosed = false;

  /** @param name of the engine, for errors */
  constructor(name: string) {
    this.#breaker = new Breaker(name);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  close(): void {
    this.#isClosed = true;
  }

  /** @throws {McpError} `store-failed`: the store was closed */
  assertOpen(): void {
    if (this.#isClosed) throw closedError();
  }

  /**
   * Makes a call, before this function returns. Resolves with its answer.
   *
   * @throws {McpError} `store-failed`: the engine does not answer, the call fails, or the store was closed
   */
  async run<T>(call: () => Promise<T>): Promise<T> {
    this.assertOpen();
    return await this.#breaker.run(call).catch(failed);
  }

  /**
   * Makes a call that subscribes. Resolves with the function that ends the subscription. A subscription that the engine makes
   * after the call has failed here is ended at once.
   */
  async open(call: () => Promise<() => Promise<void>>): Promise<() => Promise<void>> {
    let work: Promise<() => Promise<void>> | undefined;
    try {
      const end = await this.run(() => (work = call()));
      return () => end().catch(failed);
    } catch (error) {
      void work?.then((end) => end()).catch(() => {});
      throw error;
    }
  }
}

function failed(error: unknown): never {
  throw new McpError("store-failed", messageOf(error), { cause: error });
}

/** Maximum number of events in a batch. */
const mostEvents = 64;

export interface BatchedEvent {
  readonly stream: string;
  readonly data: string;
}

/** Events for the log of one session, which one command appends in order. */
export interface EventBatch {
  readonly session: string;
  readonly ttlMs: number;
  readonly follow: string | undefined;
  readonly events: readonly BatchedEvent[];
}

interface OpenBatch extends EventBatch {
  readonly events: BatchedEvent[];
  characters: number;
  readonly ids: Promise<readonly string[]>;
  readonly send: (ids: Promise<readonly string[]>) => void;
}

/**
 * Batches the events that a process appends to a session without waiting. For example, a stream begins with two events, and
 * one command appends both.
 */
export class EventBatches {
  readonly #write: (batch: EventBatch) => Promise<readonly string[]>;
  /** Open batches by session. */
  readonly #open = new Map<string, OpenBatch>();

  /** @param write appends the events of a batch, all or none; resolves with their ids */
  constructor(write: (batch: EventBatch) => Promise<readonly string[]>) {
    this.#write = write;
  }

  /** As `append` of a log. */
  async append(
    session: string,
    stream: string,
    data: string,
    ttlMs: number,
    follow: string | undefined,
  ): Promise<string> {
    const batch = this.#batchFor(session, data.length + logLimits.overhead, ttlMs, follow);
    const place = batch.events.push({ stream, data }) - 1;
    return (await batch.ids)[place]!;
  }

  /** Sends all open batches. Call it before any other command, so that commands keep their order. */
  flush(): void {
    for (const batch of this.#open.values()) this.#send(batch);
  }

  #batchFor(session: string, size: number, ttlMs: number, follow: string | undefined): OpenBatch {
    const open = this.#open.get(session);
    const hasRoom =
      open &&
      open.events.length < mostEvents &&
      open.characters + size <= logLimits.characters &&
      open.ttlMs === ttlMs &&
      open.follow === follow;
    if (open && !hasRoom) this.#send(open);
    const batch = hasRoom ? open : this.#begin(session, ttlMs, follow);
    batch.characters += size;
    return batch;
  }

  #begin(session: string, ttlMs: number, follow: string | undefined): OpenBatch {
    let send!: OpenBatch["send"];
    const ids = new Promise<readonly string[]>((resolve) => (send = resolve));
    const batch: OpenBatch = { session, ttlMs, follow, events: [], characters: 0, ids, send };
    this.#open.set(session, batch);
    queueMicrotask(() => this.#send(batch));
    return batch;
  }

  #send(batch: OpenBatch): void {
    if (this.#open.get(batch.session) !== batch) return;
    this.#open.delete(batch.session);
    batch.send((async () => this.#write(batch))());
  }
}
