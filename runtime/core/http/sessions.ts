import type { Clock } from "../peer/clock.js";
import { sessionId } from "./session-id.js";
import { HttpSession, type SessionEnvironment, type WatchedEnvironment } from "./session.js";

export interface SessionLimits {
  /** Sessions at a time; 10,000 without it, and as many over HTTP+SSE. The one that was idle longest makes room. */
  readonly maxSessions?: number;
  /** Milliseconds without a request, an open stream or anybody who waits for an answer until a session ends; half an hour without it. */
  readonly idleMs?: number;
  /** Requests of one session at a time, those whose client is gone with them; 256 without it. */
  readonly maxRequests?: number;
}

export const defaultSessions = 10_000;

/** Milliseconds: timers hold no more. */
const longestTimer = 2 ** 31 - 1;

/** The sessions of an endpoint. */
export class Sessions {
  private readonly sessions = new Map<string, HttpSession>();
  private timer: unknown;
  private readonly environment: WatchedEnvironment;
  private readonly clock: Clock;
  private readonly most: number;
  private readonly idleMs: number;
  private sweepAt: number;

  constructor(
    environment: SessionEnvironment,
    { maxSessions = defaultSessions, idleMs = 1_800_000 }: SessionLimits,
  ) {
    this.environment = { ...environment, forsaken: () => this.watch() };
    this.clock = environment.clock;
    this.most = maxSessions;
    this.idleMs = idleMs;
    this.sweepAt = this.clock.now() + idleMs / 2;
  }

  get size(): number {
    return this.sessions.size;
  }

  /** A new session; nothing if all there may be are busy. */
  create(principal: string): HttpSession | undefined {
    if (this.clock.now() >= this.sweepAt) this.sweep();
    if (this.sessions.size >= this.most && !this.evict()) return undefined;
    const session = new HttpSession(sessionId(), principal, this.environment);
    this.sessions.set(session.id, session);
    return session;
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
    this.sessions.delete(session.id);
    session.connection.closed();
    void session.close();
  }

  /** Ends subscriptions in order, then the sessions. */
  async close(): Promise<void> {
    const all = [...this.sessions.values()];
    await Promise.all(all.map(({ connection }) => connection.close()));
    for (const session of all) this.end(session);
    this.clock.clear(this.timer);
  }

  /** Work that nobody comes back for is to end in time, whether sessions are made or not. No process stays alive for it. */
  private watch(): void {
    this.timer ??= this.clock.schedule(this.check, Math.min(this.idleMs / 2, longestTimer));
    (this.timer as { unref?: () => void }).unref?.();
  }

  private readonly check = (): void => {
    this.timer = undefined;
    this.sweep();
    for (const session of this.sessions.values()) if (session.isAnswering) return this.watch();
  };

  private isIdle(session: HttpSession, now: number): boolean {
    return now - session.lastSeen >= this.idleMs && !session.isAttended;
  }

  /** Called when a session is made, now and then: what is not at work needs no timer. */
  private sweep(): void {
    const now = this.clock.now();
    this.sweepAt = now + this.idleMs / 2;
    for (const session of [...this.sessions.values()]) if (this.isIdle(session, now)) this.end(session);
  }

  /** Ends the session that nobody was connected to for longest: one that is at work only where all are. */
  private evict(): boolean {
    let idle: HttpSession | undefined;
    let forsaken: HttpSession | undefined;
    for (const session of this.sessions.values()) {
      if (session.isAttended) continue;
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
