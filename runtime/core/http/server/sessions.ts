import type { ServerConnection } from "../../server/connection.js";
import { longestWait, type Clock } from "../../time/clock.js";
import type { Quota } from "./limits.js";
import { HttpSession, sessionId, type SessionEnvironment, type SharedEnvironment } from "./session.js";

export interface SessionLimits {
  /** Maximum number of sessions, and of sessions over HTTP+SSE. Default: 10,000 each. */
  readonly maxSessions?: number;
  /**
   * Maximum number of sessions of one principal; used with `authenticate`. Default: a tenth of `maxSessions`, at
   * least 8. At the limit, a new session replaces the principal's longest idle one, never one of another principal.
   */
  readonly maxPerPrincipal?: number;
  /**
   * A session ends after this many milliseconds without a request, an open stream or a pending response. Default:
   * half an hour.
   */
  readonly idleMs?: number;
  /** Maximum number of running requests of one session, including those whose client disconnected. Default: 256. */
  readonly maxRequests?: number;
}

/** The sessions of an endpoint. */
export class Sessions {
  readonly #sessions = new Map<string, HttpSession>();
  #timer: unknown;
  readonly #environment: SharedEnvironment;
  readonly #clock: Clock;
  readonly #count: Quota;
  readonly #bytes: Quota;
  readonly #idleMs: number;

  /**
   * @param count limit of sessions
   * @param bytes limit of the bytes reserved for them
   */
  constructor(environment: SessionEnvironment, count: Quota, bytes: Quota, idleMs = 1_800_000) {
    this.#environment = { ...environment, reserve: (session, more) => this.#reserve(session, more) };
    this.#clock = environment.clock;
    this.#count = count;
    this.#bytes = bytes;
    this.#idleMs = idleMs;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Creates a session. Returns `undefined` if the principal is at its limit and all its sessions are in use. */
  create(principal: string): HttpSession | undefined {
    if (!this.#count.take(principal, 1) && !(this.#evict(principal) && this.#count.take(principal, 1)))
      return undefined;
    const session = new HttpSession(sessionId(), principal, this.#environment);
    this.#sessions.set(session.id, session);
    this.#watch();
    return session;
  }

  #reserve(session: HttpSession, more: number): boolean {
    const { principal } = session;
    while (!this.#bytes.take(principal, more)) if (!this.#evict(principal, session)) return false;
    return true;
  }

  /** Finds a session by id and owner. */
  find(id: string, principal: string): HttpSession | undefined {
    const session = this.#sessions.get(id);
    const now = this.#clock.now();
    if (!session || session.principal !== principal) return undefined;
    if (this.#isIdle(session, now)) return void this.end(session);
    session.lastSeen = now;
    return session;
  }

  end(session: HttpSession): void {
    if (!this.#sessions.delete(session.id)) return;
    session.connection.closed();
    this.#count.give(session.principal, 1);
    this.#bytes.give(session.principal, session.reserved);
    void session.close();
    if (this.#sessions.size > 0) return;
    this.#clock.clear(this.#timer);
    this.#timer = undefined;
  }

  get connections(): ServerConnection[] {
    return [...this.#sessions.values()].map(({ connection }) => connection);
  }

  /** Ends all subscriptions, then all sessions. */
  async close(): Promise<void> {
    const all = [...this.#sessions.values()];
    await Promise.all(all.map(({ connection }) => connection.close()));
    for (const session of all) this.end(session);
  }

  /**
   * Ends the session whose requests have run longest without a connection, among the sessions of the same principal.
   *
   * @param except the session to keep; its principal is used
   * @returns whether there was one
   */
  endOrphaned(except: HttpSession): boolean {
    let found: HttpSession | undefined;
    for (const session of this.#sessions.values())
      if (session.principal === except.principal && session !== except)
        if (session.isAnswering && !session.hasClient) found = older(session, found);
    if (found) this.end(found);
    return found !== undefined;
  }

  /** Sweeps abandoned sessions on an unref'd timer, even when no request arrives. */
  #watch(): void {
    if (this.#timer !== undefined) return;
    this.#timer = this.#clock.schedule(this.#sweep, Math.min(this.#idleMs / 2, longestWait));
    (this.#timer as { unref?: () => void }).unref?.();
  }

  readonly #sweep = (): void => {
    this.#timer = undefined;
    const now = this.#clock.now();
    for (const session of [...this.#sessions.values()]) if (this.#isIdle(session, now)) this.end(session);
    if (this.#sessions.size > 0) this.#watch();
  };

  #isIdle(session: HttpSession, now: number): boolean {
    return now - session.lastSeen >= this.#idleMs && !session.hasClient;
  }

  /**
   * Ends the principal's session that has been without a client longest. Sessions with running requests are ended
   * only if no idle one exists.
   *
   * @param except the session to keep
   */
  #evict(principal: string, except?: HttpSession): boolean {
    let idle: HttpSession | undefined;
    let orphaned: HttpSession | undefined;
    for (const session of this.#sessions.values()) {
      if (session.principal !== principal || session === except || session.hasClient) continue;
      if (session.isAnswering) orphaned = older(session, orphaned);
      else idle = older(session, idle);
    }
    const found = idle ?? orphaned;
    if (found) this.end(found);
    return found !== undefined;
  }
}

function older(session: HttpSession, other: HttpSession | undefined): HttpSession {
  return other && other.lastSeen <= session.lastSeen ? other : session;
}
