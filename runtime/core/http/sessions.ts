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
  /** Those at work whose clients left, once at least. */
  private readonly forsaken = new Set<HttpSession>();
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
    this.environment = { ...environment, forsaken: (session) => this.watch(session) };
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
    this.sweep();
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
    this.forsaken.delete(session);
    session.connection.closed();
    void session.close();
  }

  /** Ends subscriptions in order, then the sessions. */
  async close(): Promise<void> {
    const all = [...this.sessions.values()];
    await Promise.all(all.map(({ connection }) => connection.close()));
    for (const session of all) this.end(session);
    this.clock.clear(this.timer);
    this.timer = undefined;
  }

  private watch(session: HttpSession): void {
    this.forsaken.add(session);
    if (this.timer === undefined) this.wake(this.idleMs);
  }

  /** No process stays alive for it. */
  private wake(delay: number): void {
    this.timer = this.clock.schedule(this.check, Math.min(delay, longestTimer));
    (this.timer as { unref?: () => void }).unref?.();
  }

  /** Work that nobody came back for ends with its session, whether others come or not. */
  private readonly check = (): void => {
    this.timer = undefined;
    const now = this.clock.now();
    let next = this.idleMs;
    for (const session of this.forsaken) {
      if (!session.isAnswering) this.forsaken.delete(session);
      else if (this.isIdle(session, now)) this.end(session);
      else if (!session.isAttended) next = Math.min(next, session.lastSeen + this.idleMs - now);
    }
    if (this.forsaken.size > 0) this.wake(next);
  };

  private isIdle(session: HttpSession, now: number): boolean {
    return now - session.lastSeen >= this.idleMs && !session.isAttended;
  }

  /** Looked at when a session is made: what is not at work needs no timer. */
  private sweep(): void {
    const now = this.clock.now();
    if (now < this.sweepAt) return;
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
