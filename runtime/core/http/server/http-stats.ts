import type { ClientCapabilities, Implementation } from "@mcpgen/protocol/authoring";
import type { ServerHooks } from "../../server/middleware.js";

/**
 * The limits of an endpoint, by the options that set them. `stalled`: a reader took nothing for a minute.
 */
export type LimitName = "bodyLimit" | "limits.work" | "limits.memory" | "limits.sessions" | "stalled";

/** A session of an endpoint, for the application. */
export interface SessionInfo {
  /** `Mcp-Session-Id`, or the id in the URL of HTTP+SSE. A client that knows it can use the session: keep it secret. */
  readonly id: string;
  /** The owner that `authenticate` named; empty without `authenticate`. */
  readonly principal: string;
  /** The revision that the handshake negotiated. */
  readonly revision: string;
  readonly clientInfo: Implementation | undefined;
  readonly clientCapabilities: ClientCapabilities;
  /** Milliseconds since 1970. */
  readonly created: number;
  /** The client's last use of the session, in milliseconds since 1970. */
  readonly lastSeen: number;
  /** Running requests. */
  readonly requests: number;
}

/**
 * Why a session ended: its client sent DELETE (`deleted`) or closed the stream of HTTP+SSE (`disconnected`); it was idle
 * for `idleMs` (`expired`); a limit made room for another (`evicted`); the application or another process ended it
 * (`ended`); the endpoint closed (`closed`).
 */
export type SessionEnd = "deleted" | "disconnected" | "expired" | "evicted" | "ended" | "closed";

/** The sessions of an endpoint after their handshakes. Iterate over it to list them. */
export interface HttpSessions extends Iterable<SessionInfo> {
  readonly size: number;
  /** The session with this id, if this process has it. */
  get(id: string): SessionInfo | undefined;
  /**
   * Ends a session: its streams and running requests end, and the client gets 404 for its next request. With a `store`,
   * also ends a session that this process does not have. Resolves with `true` if this process had it.
   */
  end(id: string): Promise<boolean>;
}

/** Sessions since the endpoint was made. */
export type SessionCounts = { -readonly [what in "created" | "restored" | SessionEnd]: number };

/** Counts of zero. */
export function noSessionCounts(): SessionCounts {
  return {
    created: 0,
    restored: 0,
    deleted: 0,
    disconnected: 0,
    expired: 0,
    evicted: 0,
    ended: 0,
    closed: 0,
  };
}

/** The sessions of an endpoint without sessions. */
export const noSessions: HttpSessions = {
  size: 0,
  get: () => undefined,
  end: () => Promise.resolve(false),
  *[Symbol.iterator]() {},
};

/** Current amounts and totals of an endpoint. */
export interface HttpStats {
  /** Amounts at this moment. When all requests are answered, only `sessions` and `keptBytes` may be above 0. */
  readonly gauges: HttpGauges;
  /** Totals since the endpoint was made: they only grow. */
  readonly counters: HttpCounters;
}

export interface HttpGauges {
  /** Sessions of both transports, also those whose handshake is not complete. */
  readonly sessions: number;
  /** Open event streams. */
  readonly streams: number;
  /** Running requests (`limits.work`), except requests of sessions whose client has disconnected. */
  readonly requests: number;
  /** Bodies that are being read. */
  readonly bodies: number;
  /** Bytes of the bodies that are being read and of the bodies of running requests (a quarter of `limits.memory`). */
  readonly bodyBytes: number;
  /** Bytes of clients' descriptions and subscriptions in memory (at most a quarter of `limits.memory`). */
  readonly keptBytes: number;
  /** Bytes of responses that wait for their readers (half of `limits.memory`). */
  readonly waitingBytes: number;
}

export interface HttpCounters {
  /** HTTP requests of any method. */
  readonly requests: number;
  /** Responses with a status of 400 or more, by status. */
  readonly refused: { readonly [status: number]: number };
  /**
   * Number of requests refused or connections closed by each limit, by option; limits that were not reached are absent.
   */
  readonly limits: { readonly [limit in LimitName]?: number };
  /** Numbers of sessions that began (after their handshakes), and that ended, by reason. */
  readonly sessions: Readonly<SessionCounts>;
}

/** Counts the events of an endpoint. */
export class HttpCounts {
  requests = 0;
  readonly #refused: { [status: number]: number } = {};
  readonly #limits: { [limit in LimitName]?: number } = {};
  readonly sessions: SessionCounts = noSessionCounts();
  readonly #hooks: ServerHooks;

  /** @param hooks get each limit that is hit */
  constructor(hooks: ServerHooks) {
    this.#hooks = hooks;
  }

  /** A response with a status of 400 or more. */
  refused(status: number): void {
    this.#refused[status] = (this.#refused[status] ?? 0) + 1;
  }

  /** A limit refused a request or closed a connection. */
  limitHit(limit: LimitName, principal: string): void {
    this.#limits[limit] = (this.#limits[limit] ?? 0) + 1;
    this.#hooks.emit({ type: "limit-hit", limit, principal });
  }

  /** A copy of the counts. */
  get counters(): HttpCounters {
    return {
      requests: this.requests,
      refused: { ...this.#refused },
      limits: { ...this.#limits },
      sessions: { ...this.sessions },
    };
  }
}
