import type { ServerConnection } from "../../server/connection.js";
import { longestWait, type Clock } from "../../time/clock.js";
import type { Quota } from "./limits.js";
import { HttpSession, sessionId, type SessionEnvironment, type SharedEnvironment } from "./session.js";

export interface SessionLimits {
  /** Sessions at a time; 10,000 without it, and as many over HTTP+SSE. */
  readonly maxSessions?: number;
  /**
   * Sessions of one principal at a time, where `authenticate` finds principals out; a tenth of `maxSessions` without
   * it, 8 at least. Its own that was idle longest makes room for a new one; those of others never do.
   */
  readonly maxPerPrincipal?: number;
  /** Milliseconds without a request, an open stream or anybody who waits for an answer until a session ends; half an hour without it. */
  readonly idleMs?: number;
  /** Requests of one session at a time, those whose client is gone with them; 256 without it. */
  readonly maxRequests?: number;
}

/** The sessions of an endpoint. */
export class Sessions {
  private readonly sessions = new Map<string, HttpSession>();
  private timer: unknown;
  private readonly environment: SharedEnvironment;
  private readonly clock: Clock;
  private readonly count: Quota;
  private readonly bytes: Quota;
  private readonly idleMs: number;

  /**
   * @param count of sessions
   * @param bytes that are kept for them
   */
  constructor(environment: SessionEnvironment, count: Quota, bytes: Quota, idleMs = 1_800_000) {
    this.environment = { ...environment, reserve: (session, more) => this.reserve(session, more) };
    this.clock = environment.clock;
    this.count = count;
    this.bytes = bytes;
    this.idleMs = idleMs;
  }

  get size(): number {
    return this.sessions.size;
  }

  /** A new session; nothing if all that this principal may have are busy. */
  create(principal: string): HttpSession | undefined {
    if (!this.count.take(principal, 1) && !(this.evict(principal) && this.count.take(principal, 1)))
      return undefined;
    const session = new HttpSession(sessionId(), principal, this.environment);
    this.sessions.set(session.id, session);
    this.watch();
    return session;
  }

  private reserve(session: HttpSession, more: number): boolean {
    const { principal } = session;
    while (!this.bytes.take(principal, more)) if (!this.evict(principal, session)) return false;
    return true;
  }

  /** The session of that id, if it is this principal's. */
  find(id: string, principal: string): HttpSession | undefined {
    const session = this.sessions.get(id);
    const now = this.clock.now();
    if (!session || session.principal !== principal) return undefined;
    if (this.isIdle(session, now)) return void this.end(session);
    session.lastSeen = now;
    return session;
  }

  end(session: HttpSession): void {
    if (!this.sessions.delete(session.id)) return;
    session.connection.closed();
    this.count.give(session.principal, 1);
    this.bytes.give(session.principal, session.reserved);
    void session.close();
    if (this.sessions.size > 0) return;
    this.clock.clear(this.timer);
    this.timer = undefined;
  }

  get connections(): ServerConnection[] {
    return [...this.sessions.values()].map(({ connection }) => connection);
  }

  /** Ends subscriptions in order, then the sessions. */
  async close(): Promise<void> {
    const all = [...this.sessions.values()];
    await Promise.all(all.map(({ connection }) => connection.close()));
    for (const session of all) this.end(session);
  }

  /**
   * Ends the session of the same principal whose requests go on without a connection for longest.
   *
   * @param except is not ended
   * @returns whether there was one
   */
  endForsaken(except: HttpSession): boolean {
    let found: HttpSession | undefined;
    for (const session of this.sessions.values())
      if (session.principal === except.principal && session !== except)
        if (session.isAnswering && !session.isAttended) found = older(session, found);
    if (found) this.end(found);
    return found !== undefined;
  }

  /** Ends idle sessions in time, even when no request comes. The timer keeps no process alive. */
  private watch(): void {
    if (this.timer !== undefined) return;
    this.timer = this.clock.schedule(this.sweep, Math.min(this.idleMs / 2, longestWait));
    (this.timer as { unref?: () => void }).unref?.();
  }

  private readonly sweep = (): void => {
    this.timer = undefined;
    const now = this.clock.now();
    for (const session of [...this.sessions.values()]) if (this.isIdle(session, now)) this.end(session);
    if (this.sessions.size > 0) this.watch();
  };

  private isIdle(session: HttpSession, now: number): boolean {
    return now - session.lastSeen >= this.idleMs && !session.isAttended;
  }

  /**
   * Ends the session of this principal that no client was connected to for longest: one that is at work only where
   * all are.
   *
   * @param except is not ended
   */
  private evict(principal: string, except?: HttpSession): boolean {
    let idle: HttpSession | undefined;
    let forsaken: HttpSession | undefined;
    for (const session of this.sessions.values()) {
      if (session.principal !== principal || session === except || session.isAttended) continue;
      if (session.isAnswering) forsaken = older(session, forsaken);
      else idle = older(session, idle);
    }
    const found = idle ?? forsaken;
    if (found) this.end(found);
    return found !== undefined;
  }
}

function older(session: HttpSession, other: HttpSession | undefined): HttpSession {
  return other && other.lastSeen <= session.lastSeen ? other : session;
}
