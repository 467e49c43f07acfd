import type { ClientCapabilities, Implementation } from "@mcpgen/protocol/authoring";

/** A session of an endpoint, as the application sees it. */
export interface SessionInfo {
  /** `Mcp-Session-Id`, or the id in the URL of HTTP+SSE. A client that knows it can use the session: keep it secret. */
  readonly id: string;
  /** The owner, as `authenticate` named it; empty without one. */
  readonly principal: string;
  /** The revision that the handshake negotiated. */
  readonly revision: string;
  readonly clientInfo: Implementation | undefined;
  readonly clientCapabilities: ClientCapabilities;
  /** Milliseconds since 1970. */
  readonly created: number;
  /** When a client last used the session: milliseconds since 1970. */
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
   * also ends a session that this process does not have. Resolves to whether this process had it.
   */
  end(id: string): Promise<boolean>;
}

/** Sessions since the endpoint was made. */
export type SessionCounts = { -readonly [what in "created" | "restored" | SessionEnd]: number };

/** The counts of an endpoint that has had no session. */
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

/** The sessions of an endpoint that keeps none. */
export const noSessions: HttpSessions = {
  size: 0,
  get: () => undefined,
  end: () => Promise.resolve(false),
  *[Symbol.iterator]() {},
};
