import type { ServerConnection } from "../../server/connection.js";
import type { Clock } from "../../time/clock.js";
import { keepAliveText } from "./events.js";
import type { EventSink } from "./exchange.js";
import type { Quota } from "./limits.js";

/** The event streams of an endpoint that are open, and the connections of POSTs in progress: streams are kept from looking idle by one timer. */
export class Streams {
  /** One for each POST that stands for itself and is not answered yet. */
  readonly connections = new Set<ServerConnection>();
  /** Each with its principal. */
  private readonly sinks = new Map<EventSink, string>();
  private readonly clock: Clock;
  private readonly every: number;
  private readonly quota: Quota;
  private timer: unknown;

  /**
   * @param every milliseconds between comments; none with 0
   * @param quota of streams; it refuses those alone that only listen
   */
  constructor(clock: Clock, every: number, quota: Quota) {
    this.clock = clock;
    this.every = every;
    this.quota = quota;
  }

  /** Whether a principal may open no more of them that only listen. */
  isFull(principal: string): boolean {
    return !this.quota.allows(principal, 1);
  }

  get size(): number {
    return this.sinks.size;
  }

  readonly opened = (sink: EventSink, principal: string): void => {
    this.sinks.set(sink, principal);
    this.quota.add(principal, 1);
    if (this.timer === undefined && this.every > 0) this.timer = this.clock.schedule(this.beat, this.every);
  };

  readonly ended = (sink: EventSink): void => {
    const principal = this.sinks.get(sink);
    if (this.sinks.delete(sink)) this.quota.give(principal!, 1);
  };

  close(): void {
    this.clock.clear(this.timer);
    this.timer = undefined;
    for (const sink of this.sinks.keys()) {
      this.ended(sink);
      sink.end();
    }
  }

  private readonly beat = (): void => {
    for (const sink of this.sinks.keys()) if (!sink.write(keepAliveText)) this.ended(sink);
    this.timer = this.sinks.size === 0 ? undefined : this.clock.schedule(this.beat, this.every);
  };
}

/** A stream that ends when it is old. */
interface Aging {
  disconnect(retryMs: number): void;
}

/**
 * How long streams that only listen have been open: those that are old end in order, and their clients come
 * back. One timer for all of them, and none where none is open.
 */
export class StreamAges {
  /** When each was opened, in that order. */
  private readonly opened = new Map<Aging, number>();
  private readonly clock: Clock;
  private readonly most: number;
  private readonly retryMs: number;
  private timer: unknown;

  /**
   * @param most milliseconds; any number with 0
   * @param retryMs milliseconds that clients are to wait before they come back
   */
  constructor(clock: Clock, most: number, retryMs: number) {
    this.clock = clock;
    this.most = most;
    this.retryMs = retryMs;
  }

  begin(stream: Aging): void {
    if (this.most <= 0) return;
    this.opened.set(stream, this.clock.now());
    this.timer ??= this.clock.schedule(this.check, this.most);
  }

  end(stream: Aging): void {
    this.opened.delete(stream);
    if (this.opened.size > 0) return;
    this.clock.clear(this.timer);
    this.timer = undefined;
  }

  private readonly check = (): void => {
    this.timer = undefined;
    for (const [stream, at] of this.opened) {
      const left = at + this.most - this.clock.now();
      if (left > 0) {
        this.timer = this.clock.schedule(this.check, left);
        return;
      }
      this.opened.delete(stream);
      stream.disconnect(this.retryMs);
    }
  };
}
