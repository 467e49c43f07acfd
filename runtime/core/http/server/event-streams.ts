import { type Admission, type Clock, Ticker } from "@mcpgen/base";
import { toBase64Url } from "../../protocol/binary-content.js";
import type { ServerConnection } from "../../server/connection.js";
import type { EventSink } from "./exchange.js";

/** Text of one server-sent event. `data` is one line of JSON, so it needs no escaping. */
export function eventText(data: string, id?: string): string {
  return id === undefined ? `data: ${data}\n\n` : `id: ${id}\ndata: ${data}\n\n`;
}

/** A comment that keeps proxies and clients from closing an idle connection. */
const keepAliveText = ": \n\n";

/** Headers of an event stream. */
export const eventHeaders: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

/** Random bytes as base64url text. */
export function randomText(bytes: number): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(bytes)));
}

/**
 * Milliseconds after which a pending response begins as a stream, because clients and proxies abort requests without a
 * byte.
 */
const mostQuietMs = 2000;

/** A pending response. */
export interface Awaited {
  /** Begins an event stream. Returns `undefined` if its client is gone. */
  begin(): EventSink | undefined;
}

/**
 * The open event streams of an endpoint, its pending responses, and the connections of running POSTs. Streams get
 * keep-alive comments; a response that takes too long begins as a stream.
 */
export class Streams {
  /** One connection for each running POST without a session. */
  readonly connections = new Set<ServerConnection>();
  /** The principal of each stream. */
  readonly #sinks = new Map<EventSink, string>();
  readonly #every: number;
  readonly #quota: Admission;
  readonly #beats: Ticker<EventSink>;
  readonly #looks: Ticker<Awaited>;
  /** The responses that were already pending at the last check. */
  readonly #quiet = new Set<Awaited>();

  /**
   * @param every milliseconds between comments; 0 for none
   * @param quota limit of streams; only listening streams are rejected
   * @param ownTimers see `Ticker`
   */
  constructor(clock: Clock, every: number, quota: Admission, ownTimers?: boolean) {
    this.#every = every;
    this.#quota = quota;
    this.#beats = new Ticker(clock, every, this.#beat, ownTimers);
    const quietMs = every > 0 ? Math.min(every, mostQuietMs) : mostQuietMs;
    this.#looks = new Ticker(clock, quietMs / 2, this.#look, ownTimers);
  }

  /** Whether a principal may open no more listening streams. */
  isFull(principal: string): boolean {
    return this.#quota.refusal(principal, 0) !== undefined;
  }

  get size(): number {
    return this.#sinks.size;
  }

  readonly opened = (sink: EventSink, principal: string): void => {
    this.#sinks.set(sink, principal);
    this.#quota.take(principal, 0);
    this.#beats.add(sink);
  };

  readonly ended = (sink: EventSink): void => {
    const principal = this.#sinks.get(sink);
    this.#beats.delete(sink);
    if (this.#sinks.delete(sink)) this.#quota.release(principal!, 0);
  };

  /** Begins the response in time, unless it is `answered` before. */
  awaits(response: Awaited): void {
    this.#looks.add(response);
  }

  /** Forgets a response that is complete or has begun, or whose client has disconnected. */
  answered(response: Awaited): void {
    this.#looks.delete(response);
    this.#quiet.delete(response);
  }

  close(): void {
    this.#looks.clear();
    this.#quiet.clear();
    this.#beats.clear();
    for (const sink of this.#sinks.keys()) {
      this.ended(sink);
      sink.end();
    }
  }

  readonly #beat = (sink: EventSink): void => {
    if (!sink.write(keepAliveText)) this.ended(sink);
  };

  /** The second check begins the response, so that the clock need not be read for each request. */
  readonly #look = (response: Awaited): void => {
    if (!this.#quiet.has(response)) return void this.#quiet.add(response);
    this.answered(response);
    const sink = response.begin();
    if (sink && this.#every > 0) this.#beat(sink);
  };
}
