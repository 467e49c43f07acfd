import type { ServerConnection } from "../../server/connection.js";
import type { Server } from "../../server/server.js";
import type { Posted } from "./access.js";
import type { Streams } from "./event-streams.js";
import type { Principal, Exchange } from "./exchange.js";
import type { HttpCounts } from "./http-stats.js";
import type { ConcurrencyLimit, Quota } from "./limits.js";
import type { ResponseForm } from "./posts.js";
import type { HttpSessions } from "./session-info.js";

/** What an endpoint shares with the requests of legacy revisions. */
export interface EndpointParts {
  readonly server: Server;
  readonly form: ResponseForm;
  readonly streams: Streams;
  readonly concurrency: ConcurrencyLimit;
  /** Limit of the bytes reserved for clients. */
  readonly bytes: Quota;
  readonly counts: HttpCounts;
  /**
   * Creates a quota in which each principal may hold the same share as of sessions.
   *
   * @param most total amount; by default the limit of sessions
   */
  readonly quota: (most?: number) => Quota;
  /** Reports a failure that no response carries. */
  readonly warn: (error: unknown) => void;
  /** Replies with the error of a request that failed. */
  readonly fail: (exchange: Exchange, message: unknown, error: unknown) => void;
}

/** Serves the legacy revisions of endpoints, by the options of one; `runtime/core/legacy/http` has it. */
export interface LegacyTransports {
  /** The limits of sessions, as the options give them. */
  readonly limits: {
    readonly maxSessions?: number | undefined;
    readonly maxPerPrincipal?: number | undefined;
    readonly maxRequests?: number | undefined;
  };
  /** @throws {McpError} `invalid-definition`: options that contradict one another */
  serve(endpoint: EndpointParts): LegacyRequests;
}

/** The requests of legacy revisions at one endpoint: with sessions or without them, and over HTTP+SSE. */
export interface LegacyRequests {
  /** Sessions, those without a complete handshake included. */
  readonly size: number;
  /** The sessions after their handshakes. */
  readonly sessions: HttpSessions;
  readonly connections: readonly ServerConnection[];
  /** The HTTP+SSE session that the URL of a POST names; absent where that is not served. Its responses go on the stream of the session. */
  readonly olderSession: ((exchange: Exchange) => string | undefined) | undefined;
  post(posted: Posted): void;
  /**
   * Receives a message of an HTTP+SSE session.
   *
   * @param stated whether the message states a modern revision
   */
  postOlder(posted: Posted, session: string, stated: boolean): void;
  /**
   * Answers a GET or DELETE. Returns the methods that are allowed instead if it does not.
   *
   * @param isModern whether the request states a modern revision: those have no sessions
   */
  take(exchange: Exchange, principal: Principal, isModern: boolean): string | undefined;
  /** Ends all sessions. */
  close(): Promise<void>;
  /** Leaves what the sessions share with other processes, after all streams have ended. */
  leave(): Promise<void>;
}
