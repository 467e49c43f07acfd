import type { ServerConnection } from "../../server/connection.js";
import { type Clock, harmless, wallTimeOf } from "@mcpgen/base";
import type { SessionCounts, SessionEnd, SessionInfo } from "../../http/server/http-stats.js";
import type { SessionEvent } from "./http-options.js";

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

/** Counts the sessions that begin and end, and calls the listener of the application. */
export class SessionReports {
  readonly #clock: Clock;
  readonly #counts: SessionCounts;
  readonly #listener: ((event: SessionEvent) => void) | undefined;

  constructor(clock: Clock, counts: SessionCounts, listener: ((event: SessionEvent) => void) | undefined) {
    this.#clock = clock;
    this.#counts = counts;
    this.#listener = listener && harmless(listener);
  }

  begun(type: "created" | "restored", session: ReportedSession): void {
    this.#counts[type]++;
    session.connection.emit({ type: "session-created", restored: type === "restored" });
    this.#listener?.({ type, session: this.infoOf(session) });
  }

  ended(reason: SessionEnd, session: ReportedSession): void {
    this.#counts[reason]++;
    const type =
      reason === "expired" || reason === "evicted" ? (`session-${reason}` as const) : "session-ended";
    session.connection.emit({ type, reason });
    this.#listener?.({ type: "ended", reason, session: this.infoOf(session) });
  }

  /** Describes a session (after its handshake) for the application. */
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
