import { attempts, interrupted, McpError, type Pace } from "@mcpgen/base";
import type { LegacyHttp, SessionUser, SessionStreams } from "../../http/client/http-client.js";
import type { HttpClientOptions } from "../../http/client/http-client-options.js";
import { type HttpResponse, connectionClosed, mediaType } from "../../http/client/http-response.js";
import {
  type StreamEnd,
  type StreamedRequest,
  readAnswer,
  readStream,
  unfinished,
} from "../../http/client/sse-reader.js";

/** A stream that is requested: of a request, or else the GET stream. */
type Fetched = Pick<StreamedRequest, "signal"> & Partial<Pick<StreamedRequest, "headers">>;

/** Statuses, apart from 5xx, that may change with the next attempt. */
const transientStatuses: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/** Statuses with which a server refuses an unknown event. */
const unknownEvent: ReadonlySet<number> = new Set([400, 404]);

/** Milliseconds after which a stream without events counts as opened. */
const steady = 5000;

/** Milliseconds that requests wait, after a handshake, for the GET stream to open. */
const longestOpening = 500;

/**
 * Reads the event streams of one session, and resumes broken ones. One of them is the GET stream (2025-11-25, listening
 * for messages from the server), whose failure never fails a request.
 */
export class EventStreams implements SessionStreams {
  readonly #options: HttpClientOptions;
  readonly #user: SessionUser;
  readonly #signal: AbortSignal;
  readonly #onWarning: (message: string) => void;
  /** State of the GET stream; `lost`: the server may offer it again. */
  #state: "idle" | "listening" | "lost" | "over" = "idle";
  /** The last event of the GET stream that was read. */
  #lastId: string | undefined;
  readonly #warned = new Set<string>();

  /** @param signal ends the GET stream */
  constructor(...[options, user, signal, onWarning]: Parameters<LegacyHttp["openStreams"]>) {
    this.#options = options;
    this.#user = user;
    this.#signal = signal;
    this.#onWarning = onWarning;
  }

  /**
   * Reads the stream that answers a request.
   *
   * @throws {McpError} `connection-closed`: the stream ended without the answer and cannot be resumed
   */
  async answer(response: HttpResponse, request: StreamedRequest): Promise<void> {
    const { signal } = request;
    const backoff = new Backoff(this.#options.reconnects);
    let lastId: string | undefined;
    for await (const attempt of attempts(backoff.pace(signal))) {
      const current = attempt === 0 ? response : await this.#again(lastId, request, backoff);
      if (!current && (signal.aborted || request.isDone())) return;
      if (!current) continue;
      const end = await readAnswer(current, this.#user, this.#options.limit, request);
      if (!end) return;
      // A server that ends the stream before the answer sends `retry` (2025-11-25, polling).
      backoff.ended(end, (end.retryMs ?? 0) > 0);
      lastId = end.lastId ?? lastId;
      if (lastId === undefined || !request.resumable) throw unfinished(response, end);
      if (!end.broken) request.disconnected(end.retryMs);
    }
  }

  /**
   * Opens the GET stream. Resolves when the server has answered: many servers send their requests during a call on this
   * stream, and drop them if it is not open.
   */
  begin(): Promise<void> {
    if (this.#state === "listening" || this.#state === "over") return Promise.resolve();
    this.#state = "listening";
    return new Promise<void>((resolve) => {
      // Some servers send no headers before the first event.
      const timer = setTimeout(resolve, longestOpening);
      void this.#listen(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  again(): void {
    if (this.#state === "lost") void this.begin();
  }

  /**
   * Reads the GET stream until it is lost, or the server does not offer it.
   *
   * @param decided called when the server has answered
   */
  async #listen(decided: () => void): Promise<void> {
    const signal = this.#signal;
    const backoff = new Backoff(this.#options.reconnects);
    const missed = (): void => {
      this.#lastId = undefined;
      this.#warn(
        "the server does not resume the stream of its messages",
        ": the client opens another one, and messages in between are lost",
      );
    };
    const again = (): Promise<HttpResponse | undefined> =>
      this.#again(this.#lastId, { signal }, backoff, missed);
    try {
      let current = await (this.#lastId === undefined ? this.#get(undefined, { signal }, backoff) : again());
      decided();
      if (current && !isStream(current)) {
        await current.body?.cancel();
        // The stream is optional.
        const { status } = current;
        if (!transientStatuses.has(status) && status !== 503) return void (this.#state = "over");
        backoff.failedOnce();
        current = undefined;
      }
      for await (const attempt of attempts(backoff.pace(signal))) {
        if (attempt > 0) current = await again();
        if (!current) continue;
        const end = await readStream(current, this.#user, this.#options.limit);
        backoff.ended(end, false);
        this.#lastId = end.lastId ?? this.#lastId;
      }
    } catch (error) {
      const { code, message } = error as McpError;
      const isTransient = backoff.isExhausted && code === "connection-closed";
      this.#state = isTransient ? "lost" : "over";
      const next = isTransient
        ? "the next request opens the stream again"
        : "lists that are cached may be out of date";
      this.#warn("the stream of the server's messages is lost", `: ${message}; ${next}`);
    }
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

  #get(
    lastId: string | undefined,
    { signal, headers }: Fetched,
    backoff: Backoff,
  ): Promise<HttpResponse | undefined> {
    return this.#user.get(lastId, signal, headers).catch((error: unknown) => backoff.failedWith(error));
  }

  /**
   * Requests a stream again; `undefined` if this attempt failed.
   *
   * @param fresh called before the stream begins again because the server does not know the last event; absent if it
   *   must not
   * @throws {McpError} `connection-closed`: the server refused the stream
   */
  async #again(
    lastId: string | undefined,
    fetched: Fetched,
    backoff: Backoff,
    fresh?: () => void,
  ): Promise<HttpResponse | undefined> {
    const response = await this.#get(lastId, fetched, backoff);
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
      return this.#again(undefined, fetched, backoff);
    }
    if (status === 404) this.#user.forgotten();
    throw interrupted(
      `the server does not resume the stream: it answered ${status}${ok ? " and no stream" : ""}`,
    );
  }
}

function isStream(response: HttpResponse): boolean {
  return response.ok && mediaType(response) === "text/event-stream";
}

/** Minimum of milliseconds before a stream is requested again; the application may set less. */
const shortestPause = 100;

/** Maximum of milliseconds before a stream is requested again. */
const longestPause = 300_000;

/** Maximum of milliseconds between streams that end soon: 60 requests a minute. */
const longestAfterBrief = 1000;

/**
 * Decides when a lost stream is requested again, and when no more. The server's `retry` is the first pause, if it is
 * not too short. Pauses double while attempts fail, and up to a second while streams end soon after they began.
 */
export class Backoff {
  readonly #most: number;
  readonly #shortest: number;
  #ms: number;
  /** Consecutive attempts without events. */
  #failed = 0;
  /** Consecutive attempts without a stream, or with a stream that the server ended at once. */
  #refused = 0;
  #brief = 0;
  /** The error of the last connection that failed or broke. */
  #cause: unknown;

  constructor(given: HttpClientOptions["reconnects"] = {}) {
    const { attempts = 5, delayMs = 1000 } = typeof given === "number" ? { attempts: given } : given;
    this.#most = attempts;
    this.#ms = delayMs;
    this.#shortest = Math.max(Math.min(delayMs, shortestPause), 1);
  }

  /** Whether too many attempts have failed. */
  get isExhausted(): boolean {
    return this.#failed >= this.#most;
  }

  /**
   * A stream was open.
   *
   * @param isAnnounced whether the server announced the end
   */
  ended({ events, lastId, retryMs, lastedMs, broken }: StreamEnd, isAnnounced: boolean): void {
    // The pause that the server sent (2025-11-25, Streamable HTTP, sending messages).
    this.#ms = retryMs ?? this.#ms;
    const isSteady = lastedMs >= steady;
    // A stream that ends at once means the proxy is up but the server is not.
    const brought = isAnnounced || events > 0 || lastId !== undefined || isSteady;
    if (!brought && !broken) return this.failedOnce();
    this.#refused = 0;
    this.#brief = isSteady ? 0 : this.#brief + 1;
    if (brought) this.#failed = 0;
    else {
      // A server accepted the stream, so it does not count as refused: the next attempt may reach another server.
      this.#cause = broken!.cause;
      this.#failed++;
    }
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

  /** For `attempts`, which throws `connection-closed` after too many failures, and when the signal aborts. */
  pace(signal: AbortSignal): Pace {
    return { pauses: () => this.#pause(), signal, reason: connectionClosed };
  }

  /** Milliseconds before the next attempt, at most five minutes. @throws {McpError} `connection-closed` */
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

/** The code for legacy revisions over HTTP. */
export const legacyHttp: LegacyHttp = {
  openStreams: (...given) => new EventStreams(...given),
  // Loaded on demand: few servers have only HTTP+SSE.
  openSse: async (...given) => (await import("./sse-connection.js")).openSse(...given),
};
