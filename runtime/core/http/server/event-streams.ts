import { toBase64Url } from "../../protocol/base64.js";
import type { ServerConnection } from "../../server/connection.js";
import type { Clock } from "../../time/clock.js";
import { Ticker } from "../../time/ticker.js";
import type { EventSink } from "./exchange.js";
import type { Quota } from "./limits.js";
import { withoutCalls } from "./stream-rights.js";

/** Text of one server-sent event. `data` is one line of JSON, so it needs no escaping. */
export function eventText(data: string, id?: string): string {
  return id === undefined ? `data: ${data}\n\n` : `id: ${id}\ndata: ${data}\n\n`;
}

/** An event without data: it gives the client an id to resume from and the time to wait before it reconnects. */
export function primingText(id: string, retryMs: number): string {
  return `id: ${id}\nretry: ${retryMs}\ndata: \n\n`;
}

/** A comment that keeps proxies and clients from closing an idle connection. */
const keepAliveText = ": \n\n";

/** Headers of an event stream. */
export const eventHeaders: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

export interface StoredEvent {
  readonly id: string;
  readonly data: string;
}

/** The later events of a stream. */
export interface MissedEvents {
  readonly stream: string;
  readonly events: readonly StoredEvent[];
}

/**
 * Stores the messages sent to sessions, so that a client can resume a lost stream (2025-11-25, resumability and
 * redelivery). Each function may return a promise. The endpoint waits for it without limit: give the connection to the
 * store a timeout.
 */
export interface EventStore {
  /**
   * Stores a message that was sent on a stream. Returns its event id, which must be unique across all sessions. The endpoint
   * calls it for the next message before the promise for the last one is settled: the events of a stream keep the order of
   * the calls. If it fails, the message is sent without an id.
   *
   * @param data empty if the event is never sent again: a client can continue after it
   */
  append(session: string, stream: string, data: string): string | Promise<string>;
  /**
   * Returns the stream of an event and the later events of that stream. Returns `undefined` if the event belongs to
   * another session or is no longer stored. If it fails, the client gets 503. A store that returns promises is asked twice
   * about a stream that is open.
   */
  after(session: string, event: string): MissedEvents | undefined | Promise<MissedEvents | undefined>;
  /** Deletes all events of a session. */
  drop(session: string): void | Promise<void>;
}

/** Limits for one session: events, and characters in them. */
const mostEvents = 256;
const mostCharacters = 1_048_576;
/** Characters counted for each event in addition to its text: ids and list entries use memory, too. */
const overhead = 128;
/** Limit for all sessions together. */
const mostInAll = 64 * 1_048_576;

/** A stored event. Its id is made when it is needed: most events are never asked for. */
interface Kept {
  readonly number: number;
  readonly stream: string;
  readonly data: string;
}

interface History {
  /** Part of every event id of the session, so that ids of another session never match. */
  readonly mark: string;
  last: number;
  characters: number;
  events: Kept[];
}

/**
 * Stores the last events of each session in memory. Above the total limit, it drops those of the sessions that wrote least
 * recently.
 */
export class MemoryEventStore implements EventStore {
  readonly #histories = new Map<string, History>();
  readonly #most: number;
  #characters = 0;

  /** @param most characters in all */
  constructor(most = mostInAll) {
    this.#most = most;
  }

  /** @internal Characters counted for all sessions. */
  get characters(): number {
    return this.#characters;
  }

  append(session: string, stream: string, data: string): string {
    let history = this.#histories.get(session);
    if (!history) {
      history = { mark: randomText(6), last: 0, characters: 0, events: [] };
      this.#histories.set(session, history);
    }
    const number = ++history.last;
    history.events.push({ number, stream, data });
    history.characters += data.length + overhead;
    this.#characters += data.length + overhead;
    while (
      history.events.length > mostEvents ||
      (history.characters > mostCharacters && history.events.length > 1)
    )
      this.#forget(history);
    if (this.#characters > this.#most) this.#shrink(session, history);
    return idOf(history, stream, number);
  }

  #forget(history: History): void {
    const count = history.events.shift()!.data.length + overhead;
    history.characters -= count;
    this.#characters -= count;
  }

  /**
   * Drops the histories of other sessions, least recently written first: of sessions that are gone, too, so that their number is
   * bounded. A later event of such a session begins another history, whose ids match none of this one.
   */
  #shrink(session: string, history: History): void {
    this.#histories.delete(session);
    this.#histories.set(session, history);
    for (const [name, other] of this.#histories) {
      if (this.#characters <= this.#most || other === history) return;
      this.drop(name);
    }
  }

  after(session: string, event: string): MissedEvents | undefined {
    const history = this.#histories.get(session);
    const events = history?.events ?? [];
    const id = ({ stream, number }: Kept): string => idOf(history!, stream, number);
    const at = events.findIndex((each) => id(each) === event);
    if (at < 0) return undefined;
    const { stream } = events[at]!;
    // An event without data is not sent again.
    const later = events.slice(at + 1).filter((each) => each.stream === stream && each.data !== "");
    return { stream, events: later.map((each) => ({ id: id(each), data: each.data })) };
  }

  drop(session: string): void {
    this.#characters -= this.#histories.get(session)?.characters ?? 0;
    this.#histories.delete(session);
  }
}

function idOf({ mark }: History, stream: string, number: number): string {
  return `${withoutCalls(stream)}-${number}-${mark}`;
}

/** Random bytes as base64url text. */
export function randomText(bytes: number): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(bytes)));
}

/** The milliseconds after which a response that is awaited begins: clients and proxies give up without a byte. */
const mostQuietMs = 2000;

/** A response that is awaited. */
export interface Awaited {
  /** Begins an event stream. Returns `undefined` if its client is gone. */
  begin(): EventSink | undefined;
}

/**
 * The open event streams of an endpoint, the responses that are awaited, and the connections of running POSTs. Streams get
 * keep-alive comments; a response that is not there in time begins as a stream.
 */
export class Streams {
  /** One connection for each running POST without a session. */
  readonly connections = new Set<ServerConnection>();
  /** The principal of each stream. */
  readonly #sinks = new Map<EventSink, string>();
  readonly #every: number;
  readonly #quota: Quota;
  readonly #beats: Ticker<EventSink>;
  readonly #looks: Ticker<Awaited>;
  /** The responses that were awaited at the last look. */
  readonly #quiet = new Set<Awaited>();

  /**
   * @param every milliseconds between comments; 0 for none
   * @param quota limit of streams; only listening streams are rejected
   * @param ownTimers as for `Ticker`
   */
  constructor(clock: Clock, every: number, quota: Quota, ownTimers?: boolean) {
    this.#every = every;
    this.#quota = quota;
    this.#beats = new Ticker(clock, every, this.#beat, ownTimers);
    const quietMs = every > 0 ? Math.min(every, mostQuietMs) : mostQuietMs;
    this.#looks = new Ticker(clock, quietMs / 2, this.#look, ownTimers);
  }

  /** Whether a principal may open no more listening streams. */
  isFull(principal: string): boolean {
    return !this.#quota.allows(principal, 1);
  }

  get size(): number {
    return this.#sinks.size;
  }

  readonly opened = (sink: EventSink, principal: string): void => {
    this.#sinks.set(sink, principal);
    this.#quota.add(principal, 1);
    this.#beats.add(sink);
  };

  readonly ended = (sink: EventSink): void => {
    const principal = this.#sinks.get(sink);
    this.#beats.delete(sink);
    if (this.#sinks.delete(sink)) this.#quota.give(principal!, 1);
  };

  /** Begins the response in time, unless it is `answered` before. */
  awaits(response: Awaited): void {
    this.#looks.add(response);
  }

  /** The response is there or has begun, or its client is gone. */
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

  /** The second look begins the response: the time since its request is then known without a clock. */
  readonly #look = (response: Awaited): void => {
    if (!this.#quiet.has(response)) return void this.#quiet.add(response);
    this.answered(response);
    const sink = response.begin();
    if (sink && this.#every > 0) this.#beat(sink);
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
  readonly #opened = new Map<Aging, number>();
  readonly #clock: Clock;
  readonly #most: number;
  readonly #retryMs: number;
  #timer: unknown;

  /**
   * @param most maximum age in milliseconds; 0 for no limit
   * @param retryMs milliseconds that clients wait before they reconnect
   */
  constructor(clock: Clock, most: number, retryMs: number) {
    this.#clock = clock;
    this.#most = most;
    this.#retryMs = retryMs;
  }

  begin(stream: Aging): void {
    if (this.#most <= 0) return;
    this.#opened.set(stream, this.#clock.now());
    this.#timer ??= this.#clock.schedule(this.#check, this.#most);
  }

  end(stream: Aging): void {
    this.#opened.delete(stream);
    if (this.#opened.size > 0) return;
    this.#clock.clear(this.#timer);
    this.#timer = undefined;
  }

  readonly #check = (): void => {
    this.#timer = undefined;
    for (const [stream, at] of this.#opened) {
      const left = at + this.#most - this.#clock.now();
      if (left > 0) {
        this.#timer = this.#clock.schedule(this.#check, left);
        return;
      }
      this.#opened.delete(stream);
      stream.disconnect(this.#retryMs);
    }
  };
}
