import { randomText } from "../../http/server/event-streams.js";
import { withoutCalls } from "./stream-rights.js";

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
   * Stores a message that was sent on a stream. Returns its event id, which must be unique across all sessions. The
   * endpoint does not wait for the promise before it stores the next message: the events of a stream must keep the
   * order of the calls. If it fails, the message is sent without an id.
   *
   * @param data empty if the event is never sent again, but a client can continue after it
   */
  append(session: string, stream: string, data: string): string | Promise<string>;
  /**
   * Returns the stream of an event and the later events of that stream. Returns `undefined` if the event belongs to
   * another session or is no longer stored. If it fails, the client gets 503. A store that returns promises is asked
   * twice about an open stream.
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

/** A stored event. Its id is made on demand: most events are never requested. */
interface Kept {
  readonly number: number;
  readonly stream: string;
  readonly data: string;
}

interface History {
  /** Part of every event id of the session, which keeps ids of different sessions apart. */
  readonly mark: string;
  last: number;
  characters: number;
  events: Kept[];
}

/**
 * Stores the last events of each session in memory. Above the total limit, it drops the events of the sessions that
 * wrote least recently.
 */
export class MemoryEventStore implements EventStore {
  readonly #histories = new Map<string, History>();
  readonly #most: number;
  #characters = 0;

  /** @param most maximum number of characters in all */
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
   * Drops the histories of other sessions, least recently written first. This also bounds the number of ended sessions.
   * A later event of a dropped session begins a new history with other ids.
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
