import type { ClientCapabilities, Implementation } from "@mcpgen/protocol/authoring";
import type { ServerConnection } from "../../server/connection.js";
import { harmless } from "../../protocol/hooks.js";
import { type Clock, wallTimeOf } from "../../time/clock.js";

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

/** A session was created by a handshake, was read from the `store`, or ended. */
export type SessionEvent =
  | { readonly type: "created" | "restored"; readonly session: SessionInfo }
  | { readonly type: "ended"; readonly reason: SessionEnd; readonly session: SessionInfo };

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

/** A session of either transport. */
interface ReportedSession {
  readonly id: string;
  readonly principal: string;
  readonly connection: ServerConnection;
  /** By the clock. */
  readonly created: number;
  /** By the clock. */
  readonly lastSeen: number;
  readonly requests: number;
}

/** Sessions since the endpoint was made. */
export type SessionCounts = { -readonly [what in "created" | "restored" | SessionEnd]: number };

/** Counts the sessions that begin and end, and calls the listener of the application. */
export class SessionReports {
  readonly counts: SessionCounts = {
    created: 0,
    restored: 0,
    deleted: 0,
    disconnected: 0,
    expired: 0,
    evicted: 0,
    ended: 0,
    closed: 0,
  };
  readonly #clock: Clock;
  readonly #listener: ((event: SessionEvent) => void) | undefined;

  constructor(clock: Clock, listener: ((event: SessionEvent) => void) | undefined) {
    this.#clock = clock;
    this.#listener = listener && harmless(listener);
  }

  begun(type: "created" | "restored", session: ReportedSession): void {
    this.counts[type]++;
    session.connection.emit({ type: "session-created", restored: type === "restored" });
    this.#listener?.({ type, session: this.infoOf(session) });
  }

  ended(reason: SessionEnd, session: ReportedSession): void {
    this.counts[reason]++;
    const type =
      reason === "expired" || reason === "evicted" ? (`session-${reason}` as const) : "session-ended";
    session.connection.emit({ type, reason });
    this.#listener?.({ type: "ended", reason, session: this.infoOf(session) });
  }

  /** Describes a session after its handshake. */
  infoOf({ id, principal, connection, created, lastSeen, requests }: ReportedSession): SessionInfo {
    const { revision, clientInfo, clientCapabilities } = connection.session!;
    const since = wallTimeOf(this.#clock) - this.#clock.now();
    return {
      id,
      principal,
      revision: revision.id,
      clientInfo,
      clientCapabilities,
      created: Math.round(since + created),
      lastSeen: Math.round(since + lastSeen),
      requests,
    };
  }
}
