import type { ServerConnection } from "../../server/connection.js";
import type { Clock } from "../../time/clock.js";
import { keepAliveText } from "./events.js";
import type { EventSink } from "./exchange.js";
import type { Quota } from "./limits.js";

/**
 * The open event streams of an endpoint, and the connections of running POSTs. One timer sends keep-alive comments to
 * all streams.
 */
export class Streams {
  /** One connection for each running POST without a session. */
  readonly connections = new Set<ServerConnection>();
  /** The principal of each stream. */
  private readonly sinks = new Map<EventSink, string>();
  private readonly clock: Clock;
  private readonly every: number;
  private readonly quota: Quota;
  private timer: unknown;

  /**
   * @param every milliseconds between comments; 0 for none
   * @param quota limit of streams; only listening streams are rejected
   */
  constructor(clock: Clock, every: number, quota: Quota) {
    this.clock = clock;
    this.every = every;
    this.quota = quota;
  }

  /** Whether a principal may open no more listening streams. */
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

/** A stream with a maximum age. */
interface Aging {
  disconnect(retryMs: number): void;
}

/**
 * Disconnects listening streams at their maximum age; their clients reconnect. One timer serves all streams and runs
 * only while one is open.
 */
export class StreamExpiry {
  /** Opening times, oldest first. */
  private readonly opened = new Map<Aging, number>();
  private readonly clock: Clock;
  private readonly most: number;
  private readonly retryMs: number;
  private timer: unknown;

  /**
   * @param most maximum age in milliseconds; 0 for no limit
   * @param retryMs milliseconds that clients wait before they reconnect
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
