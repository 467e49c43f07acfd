import type { ServerHooks } from "../../server/middleware.js";
import { type SessionCounts, noSessionCounts } from "./session-info.js";

/** The limits of an endpoint, by their options. */
export type LimitName =
  | "bodyLimit"
  | "bodiesLimit"
  | "maxConcurrent"
  | "maxStreams"
  | "keptLimit"
  | "waitingLimit"
  | "stalledMs"
  | "sessions.maxSessions"
  | "sessions.maxRequests";

/** What an endpoint holds, and what it has done. */
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
  /** Running requests; those of sessions whose client has disconnected do not count. */
  readonly requests: number;
  /** Bodies that are being read. */
  readonly bodies: number;
  /** Bytes of the bodies that are being read and of the bodies of running requests (`bodiesLimit`). */
  readonly bodyBytes: number;
  /** Bytes in memory that clients say of themselves and subscribe to (`keptLimit`). */
  readonly keptBytes: number;
  /** Bytes of responses that wait for their readers (`waitingLimit`). */
  readonly waitingBytes: number;
}

export interface HttpCounters {
  /** HTTP requests of any method. */
  readonly requests: number;
  /** Responses with a status of 400 or more, by status. */
  readonly refused: { readonly [status: number]: number };
  /** How often each limit refused a request or closed a connection, by option; limits that were not reached are absent. */
  readonly limits: { readonly [limit in LimitName]?: number };
  /** Sessions after their handshakes: how many began, and ended for each reason. */
  readonly sessions: Readonly<SessionCounts>;
}

/** Counts what an endpoint does. */
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

  /** A copy. */
  get counters(): HttpCounters {
    return {
      requests: this.requests,
      refused: { ...this.#refused },
      limits: { ...this.#limits },
      sessions: { ...this.sessions },
    };
  }
}
