import { McpError, interrupted } from "../../jsonrpc/errors.js";
import type { RequestId } from "../../jsonrpc/message.js";
import { type Pace, attempts } from "../../time/retry.js";
import { connectionClosed, defaultLimit, strayAnswerIn } from "./answer-body.js";
import { type HttpResponse, mediaType, pump } from "./http-response.js";
import type { HttpClientOptions } from "./http-client-options.js";
import { SseReader } from "./sse-reader.js";

/** Statuses, apart from 5xx, that may change with the next attempt. */
const transientStatuses: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/** Statuses by which a server refuses an event that it does not know. */
const unknownEvent: ReadonlySet<number> = new Set([400, 404]);

/** Milliseconds that a server has to end a stream after its answer. */
const endGrace = 250;

/** Milliseconds after which a stream without events counts as opened. */
const steady = 5000;

/** What the streams of one connection need from it. */
interface StreamUser {
  /** Requests a stream, from the event after `lastId` on. */
  readonly get: (lastId: string | undefined, signal: AbortSignal) => Promise<HttpResponse>;
  readonly message: (text: string) => void;
  /** Takes a response that answers the request of the stream, though it names another request or none. */
  readonly stray: (answer: unknown, id: RequestId) => void;
  /** All messages that arrived together were delivered. */
  readonly turn: () => void;
  /** Resolves when more may be read; `undefined` if it may be read now. */
  readonly room: () => Promise<void> | undefined;
  /** The server has forgotten the session. */
  readonly forgotten: () => void;
}

/** A request whose answer is read from a stream. */
interface Asked {
  readonly id: RequestId;
  readonly signal: AbortSignal;
  /** Whether the stream can be resumed. */
  readonly resumable: boolean;
  /** Whether the request was answered or given up. */
  readonly isDone: () => boolean;
  /** Ends the exchange. */
  readonly end: () => void;
}

/** Why a stream ended and is not requested again. */
interface Lost {
  readonly why: McpError;
  /** Whether the server may offer the stream again later. */
  readonly isTransient: boolean;
  /** The last event that was read. */
  readonly lastId: string | undefined;
}

/** How a stream ended. */
interface StreamEnd {
  readonly lastId: string | undefined;
  /** The last message. */
  readonly last: string | undefined;
  /** The error of the connection, unless the server ended the stream. */
  readonly broken: { readonly cause: unknown } | undefined;
}

/** Reads the event streams of one server, and resumes those that break. */
export class EventStreams {
  readonly #options: HttpClientOptions;
  readonly #user: StreamUser;

  constructor(options: HttpClientOptions, user: StreamUser) {
    this.#options = options;
    this.#user = user;
  }

  /**
   * Reads the stream that answers a request.
   *
   * @throws {McpError} `connection-closed`: the stream ended without the answer and cannot be resumed
   */
  async answer(response: HttpResponse, asked: Asked): Promise<void> {
    const { id, signal, resumable, isDone } = asked;
    const backoff = this.#backoff();
    let lastId: string | undefined;
    for await (const attempt of attempts(backoff.pace(signal))) {
      const current = attempt === 0 ? response : await this.#again(lastId, signal, backoff);
      const end = current && (await this.#read(current, backoff, asked));
      if (signal.aborted || isDone()) return;
      lastId = end?.lastId ?? lastId;
      const stray = end?.last !== undefined && !end.broken ? strayAnswerIn(end.last) : undefined;
      if (stray) return this.#user.stray(stray, id);
      if (lastId === undefined || !resumable)
        throw interrupted(
          "the stream ended without the answer",
          end?.broken?.cause,
          end && !end.broken ? response.status : undefined,
        );
    }
  }

  /**
   * Reads the GET stream (2025-11-25, listening for messages from the server) until the signal aborts. Resolves with the
   * reason for which the stream was lost; `undefined` if the server does not offer it.
   *
   * @param from the last event that was read, if the stream was open before
   * @param decided called when the server has answered
   * @param missed called when the server does not know the last event: messages after it may be lost
   */
  async listen(
    from: string | undefined,
    signal: AbortSignal,
    decided: () => void,
    missed: () => void = () => undefined,
  ): Promise<Lost | undefined> {
    const backoff = this.#backoff();
    let lastId = from;
    const fresh = (): void => {
      lastId = undefined;
      missed();
    };
    try {
      let current =
        from === undefined
          ? await this.#user.get(undefined, signal).catch((error: unknown) => backoff.failedWith(error))
          : await this.#again(from, signal, backoff, fresh);
      decided();
      if (current && !isStream(current)) {
        await current.body?.cancel();
        // The stream is optional.
        if (!isBusy(current.status)) return undefined;
        backoff.failedOnce();
        current = undefined;
      }
      for await (const attempt of attempts(backoff.pace(signal))) {
        if (attempt > 0) current = await this.#again(lastId, signal, backoff, fresh);
        if (current) lastId = (await this.#read(current, backoff)).lastId ?? lastId;
      }
      return undefined;
    } catch (error) {
      const why = error as McpError;
      return { why, isTransient: backoff.isExhausted && why.code === "connection-closed", lastId };
    }
  }

  #backoff(): Backoff {
    return new Backoff(this.#options.reconnects, this.#options.retryMs);
  }

  /**
   * Reads a stream to its end. The stream of one request also ends soon after the answer.
   *
   * @throws {McpError} `message-too-long`
   */
  async #read(response: HttpResponse, backoff: Backoff, asked?: Asked): Promise<StreamEnd> {
    const began = performance.now();
    let last: string | undefined;
    let events = 0;
    let broken: StreamEnd["broken"];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const reader = new SseReader(({ event, data }) => {
      events++;
      if (event === "message") this.#user.message((last = data));
    }, this.#options.limit ?? defaultLimit);
    await pump(response, (chunk) => {
      reader.push(chunk);
      // Some servers leave the stream and its socket open. Others end it now, and the connection is used again.
      if (timer === undefined && asked?.isDone()) timer = setTimeout(asked.end, endGrace);
      return this.#user.room();
    }).catch((error: unknown) => {
      // A broken stream is resumed. A message that is too long would be too long again.
      if (error instanceof McpError && error.code === "message-too-long") throw error;
      broken = { cause: error };
    });
    clearTimeout(timer);
    this.#user.turn();
    backoff.retryAfter(reader.retryMs);
    // A server that ends the stream before the answer sends `retry` (2025-11-25, polling).
    const polls = asked !== undefined && (reader.retryMs ?? 0) > 0;
    const lasted = performance.now() - began >= steady;
    if (polls || events > 0 || reader.lastId !== undefined || lasted) backoff.connected(lasted);
    else if (broken) backoff.brokeOff(broken.cause);
    // A stream that ends at once means the proxy is up but the server is not.
    else backoff.failedOnce();
    return { lastId: reader.lastId, last, broken };
  }

  /**
   * Requests a stream again; `undefined` if this attempt failed.
   *
   * @param fresh given if the stream may begin again, without an event that the server does not know; called before that
   * @throws {McpError} `connection-closed`: the server refused the stream
   */
  async #again(
    lastId: string | undefined,
    signal: AbortSignal,
    backoff: Backoff,
    fresh?: () => void,
  ): Promise<HttpResponse | undefined> {
    const response = await this.#user
      .get(lastId, signal)
      .catch((error: unknown) => backoff.failedWith(error));
    if (response && isStream(response)) return response;
    await response?.body?.cancel();
    // The server may be down behind its proxy, or may not have noticed yet that the stream was lost.
    if (!response || transientStatuses.has(response.status) || response.status >= 500) {
      backoff.failedOnce();
      return undefined;
    }
    const { status, ok } = response;
    // Another process may serve the session without the events. A server that forgot the session refuses this, too.
    if (lastId !== undefined && fresh && unknownEvent.has(status)) {
      fresh();
      return this.#again(undefined, signal, backoff);
    }
    if (status === 404) this.#user.forgotten();
    throw interrupted(
      `the server does not resume the stream: it answered ${status}${ok ? " and no stream" : ""}`,
    );
  }
}

/** Whether a later attempt may succeed, though the stream was never open. */
function isBusy(status: number): boolean {
  return transientStatuses.has(status) || status === 503;
}

function isStream(response: HttpResponse): boolean {
  return response.ok && mediaType(response) === "text/event-stream";
}

/** Milliseconds before a stream is requested again, at least; the application may set less. */
const shortestPause = 100;

/** Milliseconds before a stream is requested again, at most. */
const longestPause = 300_000;

/** Milliseconds between streams that end soon, at most: 60 requests a minute. */
const longestAfterBrief = 1000;

/**
 * Decides when a lost stream is requested again, and when it is given up. The server's `retry` is the first pause, if it
 * is not too short. Pauses double while attempts fail, and up to a second while streams end soon after they began.
 */
export class Backoff {
  readonly #most: number;
  readonly #shortest: number;
  #ms: number;
  /** Attempts in a row that brought nothing. */
  #failed = 0;
  /** Attempts in a row that opened no stream, or one that the server ended at once. */
  #refused = 0;
  #brief = 0;
  /** The error of the last connection that failed or broke. */
  #cause: unknown;

  /**
   * @param most attempts in a row that may fail
   * @param ms milliseconds of the first pause, until the server sends another
   */
  constructor(most = 5, ms = 1000) {
    this.#most = most;
    this.#ms = ms;
    this.#shortest = Math.max(Math.min(ms, shortestPause), 1);
  }

  /** Sets the pause that the server sent (2025-11-25, Streamable HTTP, sending messages). */
  retryAfter(ms: number | undefined): void {
    this.#ms = ms ?? this.#ms;
  }

  /** Whether too many attempts have failed. */
  get isExhausted(): boolean {
    return this.#failed >= this.#most;
  }

  /** A stream was opened. @param steady whether it lasted */
  connected(steady: boolean): void {
    this.#failed = this.#refused = 0;
    this.#brief = steady ? 0 : this.#brief + 1;
  }

  /** Keeps the error of an attempt for the error at the end. */
  failedWith(error: unknown): undefined {
    this.#cause = error;
    return undefined;
  }

  /** An attempt failed. */
  failedOnce(): void {
    this.#failed++;
    this.#refused++;
  }

  /** A stream was opened, and broke before it brought anything: its server was there, and another one may be now. */
  brokeOff(cause?: unknown): void {
    this.#cause = cause;
    this.#failed++;
    this.#refused = 0;
    this.#brief++;
  }

  /** For `attempts`, which throws `connection-closed` when too many have failed, and when the signal aborts. */
  pace(signal: AbortSignal): Pace {
    return { pauses: () => this.#pause(), signal, reason: connectionClosed };
  }

  /** Milliseconds before the next attempt, five minutes at most. @throws {McpError} `connection-closed` */
  #pause(): number {
    if (this.isExhausted)
      throw new McpError(
        "connection-closed",
        `the stream was lost, and ${this.#failed} attempts to connect to it again failed`,
        { cause: this.#cause },
      );
    const failing = Math.max(this.#ms, this.#shortest) * 2 ** Math.min(this.#refused, 5);
    const hasty = Math.min(
      this.#shortest * 2 ** Math.min(Math.max(this.#brief - 1, 0), 30),
      longestAfterBrief,
    );
    return Math.min(Math.max(failing, hasty), longestPause);
  }
}

/** Milliseconds that requests wait, after a handshake, for the GET stream to open. */
const longestOpening = 500;

/** Keeps the GET stream open (2025-11-25, listening for messages from the server). Its failure never fails a request. */
export class GetStream {
  readonly #streams: EventStreams;
  readonly #signal: AbortSignal;
  readonly #onWarning: (message: string) => void;
  #state: "idle" | "listening" | "over" = "idle";
  /** Why the stream was lost, if the server may offer it again. */
  #lost: Lost | undefined;
  readonly #warned = new Set<string>();

  constructor(streams: EventStreams, signal: AbortSignal, onWarning: (message: string) => void) {
    this.#streams = streams;
    this.#signal = signal;
    this.#onWarning = onWarning;
  }

  /**
   * Opens the stream. Resolves when the server has answered: many servers send the requests that belong to a call on
   * this stream, and drop them if it is not open.
   */
  begin(): Promise<void> {
    if (this.#state !== "idle") return Promise.resolve();
    this.#state = "listening";
    return new Promise<void>((resolve) => {
      // Some servers send no headers before the first event.
      const timer = setTimeout(resolve, longestOpening);
      const decided = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const missed = (): void =>
        this.#warn(
          "the server does not resume the stream of its messages",
          ": the client opens another one, and messages in between are lost",
        );
      void this.#streams
        .listen(this.#lost?.lastId, this.#signal, decided, missed)
        .then((lost) => this.#ended(lost));
    });
  }

  /** Requests a lost stream again: the server has answered a request. */
  again(): void {
    if (this.#lost && this.#state === "idle") void this.begin();
  }

  #ended(lost: Lost | undefined): void {
    this.#state = lost?.isTransient ? "idle" : "over";
    this.#lost = lost;
    if (!lost) return;
    const next = lost.isTransient
      ? "the next request opens the stream again"
      : "lists that are cached may be out of date";
    this.#warn("the stream of the server's messages is lost", `: ${lost.why.message}; ${next}`);
  }

  /** Reports each event once. */
  #warn(event: string, details: string): void {
    if (this.#signal.aborted || this.#warned.has(event)) return;
    this.#warned.add(event);
    try {
      this.#onWarning(`${event}${details}`);
    } catch {
      // An error of the application's callback must not end the connection.
    }
  }
}
