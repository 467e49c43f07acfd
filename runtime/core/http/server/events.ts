import { toBase64Url } from "../../server/base64url.js";

/** Text of one server-sent event. Messages are one line of JSON each: nothing in them can end a line. */
export function eventText(data: string, id?: string): string {
  return id === undefined ? `data: ${data}\n\n` : `id: ${id}\ndata: ${data}\n\n`;
}

/** An event without data that gives the client an id to resume from, and says how long to wait first. */
export function primingText(id: string, retryMs: number): string {
  return `id: ${id}\nretry: ${retryMs}\ndata: \n\n`;
}

/** A comment: keeps the connection from looking idle. */
export const keepAliveText = ": \n\n";

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

/** Keeps what was sent to sessions, for clients that lost a stream (2025-11-25, resumability and redelivery). */
export interface EventStore {
  /**
   * Keeps a message that was sent on a stream, and names it: as nothing else in the session is named, nor in another,
   * where the name would resume something else.
   */
  append(session: string, stream: string, data: string): string;
  /** The stream of an event and what followed on it; nothing if the event is not of that session, or too old. */
  after(
    session: string,
    event: string,
  ): { readonly stream: string; readonly events: readonly StoredEvent[] } | undefined;
  /** Forgets a session. */
  drop(session: string): void;
}

/** Events kept for one session, and characters in them. */
const mostEvents = 256;
const mostCharacters = 1_048_576;
/** Characters that an event counts for beside its text: names and lists take memory, too. */
const overhead = 128;
/** Characters kept for all sessions together. */
const mostInAll = 64 * 1_048_576;

interface Kept extends StoredEvent {
  readonly stream: string;
}

interface History {
  /** In all its ids: those of another session name nothing here. */
  readonly mark: string;
  last: number;
  characters: number;
  events: Kept[];
}

/** Keeps the last events of each session in memory, and where that is too much, of those that wrote last. */
export class MemoryEventStore implements EventStore {
  private readonly histories = new Map<string, History>();
  private readonly most: number;
  private characters = 0;

  /** @param most characters in all */
  constructor(most = mostInAll) {
    this.most = most;
  }

  append(session: string, stream: string, data: string): string {
    let history = this.histories.get(session);
    if (!history) {
      history = { mark: randomText(6), last: 0, characters: 0, events: [] };
      this.histories.set(session, history);
    }
    const id = `${stream}-${++history.last}-${history.mark}`;
    history.events.push({ id, stream, data });
    history.characters += data.length + overhead;
    this.characters += data.length + overhead;
    while (
      history.events.length > mostEvents ||
      (history.characters > mostCharacters && history.events.length > 1)
    )
      this.forget(history);
    if (this.characters > this.most) this.shrink(session, history);
    return id;
  }

  private forget(history: History): void {
    const count = history.events.shift()!.data.length + overhead;
    history.characters -= count;
    this.characters -= count;
  }

  /** Empties the histories of others, those first that were looked at longest ago; their numbers go on. */
  private shrink(session: string, history: History): void {
    this.histories.delete(session);
    this.histories.set(session, history);
    for (const [name, other] of this.histories) {
      if (this.characters <= this.most || other === history) return;
      while (other.events.length > 0) this.forget(other);
      this.histories.delete(name);
      this.histories.set(name, other);
    }
  }

  after(session: string, event: string): { stream: string; events: readonly StoredEvent[] } | undefined {
    const events = this.histories.get(session)?.events ?? [];
    const at = events.findIndex(({ id }) => id === event);
    if (at < 0) return undefined;
    const { stream } = events[at]!;
    // An event without data primes the client, and is nothing to send again.
    return {
      stream,
      events: events.slice(at + 1).filter((each) => each.stream === stream && each.data !== ""),
    };
  }

  drop(session: string): void {
    this.characters -= this.histories.get(session)?.characters ?? 0;
    this.histories.delete(session);
  }
}

/** Random bytes as text; in one piece, where the platform's own texts hang together from many. */
export function randomText(bytes: number): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(bytes)));
}
