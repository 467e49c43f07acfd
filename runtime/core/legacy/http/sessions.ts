import { type Admission, type Clock, longestWait, McpError, stored, unref, wallTimeOf } from "@mcpgen/base";
import * as rpc from "@mcpgen/base/rpc-codes";
import type { ServerConnection } from "../../server/connection.js";
import { ClientProfiles } from "./client-profiles.js";
import type { EndpointQuotas } from "../../http/server/limits.js";
import { HttpSession, sessionId, type SessionEnvironment, type SharedEnvironment } from "./session.js";
import { randomText } from "../../http/server/event-streams.js";
import type { SessionEnd } from "../../http/server/http-stats.js";
import type { SessionOptions } from "./http-options.js";
import type { ClusterNode } from "./session-cluster.js";
import type { SessionReports } from "./session-reports.js";
import {
  checkedRecord,
  isSessionId,
  recordOf,
  type NewSession,
  type SessionStore,
  type StoredSession,
} from "./session-store.js";

/** The longest interval at which sessions in use are kept in the store. */
const touchMs = 30_000;

/** The sessions of an endpoint. */
export class Sessions {
  readonly #sessions = new Map<string, HttpSession>();
  #timer: unknown;
  #closed = false;
  readonly #environment: SharedEnvironment;
  /** Shares the sessions with other processes that serve them at the same time. */
  readonly cluster: ClusterNode | undefined;
  readonly #clock: Clock;
  /** Sessions, and the bytes reserved for them. */
  readonly #quota: Admission;
  readonly #idleMs: number;
  readonly #lifeMs: number;
  readonly #sweepMs: number;
  readonly #options: SessionOptions;
  readonly #reports: SessionReports;
  /** Lookups in the store, by id. */
  readonly #lookups = new Map<string, Promise<StoredSession | undefined>>();
  readonly #profiles = new ClientProfiles();
  /** Sessions that ended in all processes. If one is still being stored, the store must remove it afterwards. */
  readonly #removed = new WeakSet<HttpSession>();
  /** Reports a failure of the store that no response carries. */
  readonly #warn: (error: unknown) => void;

  constructor(
    { cluster, ...environment }: SessionEnvironment & { readonly cluster: ClusterNode | undefined },
    options: SessionOptions,
    reports: SessionReports,
  ) {
    this.#environment = {
      ...environment,
      reserve: (session, more) => this.#reserve(session, more),
      store: (session) => this.#save(session, options.store!),
      seals: options.store?.lifeMs !== undefined && !cluster,
      survive: options.store !== undefined,
      node: cluster?.name ?? (options.store && randomText(6)),
    };
    this.cluster = cluster;
    this.#clock = environment.clock;
    this.#quota = environment.quotas.sessions;
    this.#options = options;
    this.#idleMs = options.idleMs ?? 1_800_000;
    this.#lifeMs = options.store?.lifeMs ?? Infinity;
    this.#sweepMs = Math.min(this.#idleMs / 2, options.store ? touchMs : longestWait);
    this.#reports = reports;
    this.#warn = environment.warn;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /**
   * Creates a session without an id that clients know. Returns `undefined` if the principal is at its limit and all its
   * sessions are in use.
   *
   * @param stored the id of a session that is restored
   */
  create(principal: string, stored?: string): HttpSession | undefined {
    const isFull = (): boolean => this.#quota.admit(principal, 0) !== undefined;
    if (isFull() && !(this.#evict(principal) && !isFull())) return undefined;
    const session = new HttpSession(stored ?? sessionId(), principal, this.#environment);
    this.#sessions.set(session.id, session);
    this.#watch();
    return session;
  }

  /**
   * Opens a session after its handshake: clients may use it from now on. Returns a promise if the application makes the
   * id or stores the session.
   *
   * @throws {McpError} `invalid-definition`: the application made an invalid id
   */
  open(session: HttpSession): void | Promise<void> {
    const { generateId, store } = this.#options;
    if (generateId || store) return this.#openStored(session, generateId, store);
    this.#opened(session, "created");
  }

  async #openStored(
    session: HttpSession,
    generateId: SessionOptions["generateId"],
    store: SessionStore | undefined,
  ): Promise<void> {
    if (generateId) {
      this.#rename(session, checkedId(await made(generateId, this.#recordOf(session)), this.#sessions));
    }
    if (store) await this.#save(session, store);
    if (this.#sessions.get(session.id) === session) this.#opened(session, "created");
  }

  /** Clients may use the session from now on. */
  #opened(session: HttpSession, how: "created" | "restored"): void {
    session.isOpen = true;
    this.#profiles.share(session.connection.session!);
    session.peer?.opened();
    this.#reports.begun(how, session);
  }

  #rename(session: HttpSession, id: string): void {
    // The session may have ended meanwhile.
    if (!this.#sessions.delete(session.id)) return;
    session.forget();
    session.id = id;
    this.#sessions.set(id, session);
  }

  #recordOf({ connection, created }: HttpSession): NewSession {
    return recordOf(connection, Math.round(wallTimeOf(this.#clock) - this.#clock.now() + created));
  }

  async #save(session: HttpSession, store: SessionStore): Promise<void> {
    const record = { id: session.id, ...this.#recordOf(session) };
    await stored(() => store.set(record, this.#idleMs + this.#sweepMs));
    if (this.#removed.has(session)) await stored(() => store.delete(record.id));
  }

  /** Whether another process may have opened a session of this id. */
  mayBeStored(id: string): boolean {
    return this.#options.store !== undefined && isSessionId(id);
  }

  /**
   * Looks a session up in the store. Concurrent lookups of the same id share one call.
   *
   * @throws {McpError} `store-failed`
   */
  async lookUp(id: string, principal: string): Promise<StoredSession | undefined> {
    const { store } = this.#options;
    let lookup = this.#lookups.get(id);
    if (!lookup) {
      lookup = stored(async () => checkedRecord(await store!.get(id), id)).finally(() =>
        this.#lookups.delete(id),
      );
      this.#lookups.set(id, lookup);
    }
    const found = await lookup;
    if (found?.principal !== principal || wallTimeOf(this.#clock) - found.created >= this.#lifeMs)
      return undefined;
    const { cluster } = this;
    return cluster && !(await cluster.isOpen(id)) ? undefined : found;
  }

  /**
   * Opens a session that was read from the store.
   *
   * @param open creates its connection
   * @returns `undefined` if no more sessions are allowed
   */
  restore(record: StoredSession, open: (session: HttpSession) => void): HttpSession | undefined {
    const session = this.create(record.principal, record.id);
    if (!session) return undefined;
    session.created -= Math.round(wallTimeOf(this.#clock) - record.created);
    session.renameStreams();
    try {
      open(session);
    } catch (error) {
      this.end(session, "ended");
      throw error;
    }
    this.#opened(session, "restored");
    return session;
  }

  #reserve(session: HttpSession, more: number): boolean {
    const { principal } = session;
    while (this.#quota.admit(principal, more, 0)) {
      if (this.#evict(principal, session)) continue;
      this.#environment.counts.limitHit("limits.memory", principal);
      return false;
    }
    return true;
  }

  /** Finds a session by id and owner. */
  find(id: string, principal: string): HttpSession | undefined {
    const session = this.#sessions.get(id);
    const now = this.#clock.now();
    if (!session?.isOpen || session.principal !== principal) return undefined;
    if (this.#hasExpired(session, now)) return void this.end(session, "expired");
    session.lastSeen = now;
    return session;
  }

  /** A session that clients may use. */
  byId(id: string): HttpSession | undefined {
    const session = this.#sessions.get(id);
    return session?.isOpen ? session : undefined;
  }

  /** The sessions that clients may use. */
  *[Symbol.iterator](): Generator<HttpSession> {
    for (const session of this.#sessions.values()) if (session.isOpen) yield session;
  }

  /** Ends a session in this process. */
  end(session: HttpSession, reason: SessionEnd): void {
    if (!this.#sessions.delete(session.id)) return;
    if (session.isOpen) this.#reports.ended(reason, session);
    session.connection?.closed();
    this.#quota.release(session.principal, session.reserved);
    session.end(this.#environment.survive && (reason === "closed" || reason === "expired"));
    if (this.#sessions.size > 0) return;
    this.#clock.clear(this.#timer);
    this.#timer = undefined;
  }

  /**
   * Ends a session in all processes. Returns a promise if there is a store: it resolves when the store has removed it.
   *
   * @throws {McpError} `store-failed`
   */
  remove(session: HttpSession, reason: SessionEnd): void | Promise<void> {
    const { store } = this.#options;
    this.end(session, reason);
    if (!store) return;
    this.#removed.add(session);
    return this.#delete(session.id, store);
  }

  async #delete(id: string, store: SessionStore): Promise<void> {
    try {
      await stored(() => store.delete(id));
    } finally {
      await this.cluster?.end(id);
    }
  }

  /** Ends the session of this id. Returns whether this process had it. @throws {McpError} `store-failed` */
  async endById(id: string): Promise<boolean> {
    const session = this.#sessions.get(id);
    if (session) await this.remove(session, "ended");
    else if (this.mayBeStored(id)) await this.#delete(id, this.#options.store!);
    return session !== undefined;
  }

  get connections(): ServerConnection[] {
    return [...this.#sessions.values()].map(({ connection }) => connection);
  }

  /** Sessions are not restored after `close`. */
  get isClosed(): boolean {
    return this.#closed;
  }

  get quotas(): EndpointQuotas {
    return this.#environment.quotas;
  }

  /** Ends all subscriptions, then all sessions. */
  async close(): Promise<void> {
    this.#closed = true;
    const all = [...this.#sessions.values()];
    await Promise.all(all.map(({ connection }) => connection.close()));
    for (const session of all) this.end(session, "closed");
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
    if (found) this.#evictOne(found);
    return found !== undefined;
  }

  /**
   * Ends a session of the principal without a connected client, preferably an idle one. Returns whether there was one.
   */
  makeRoom(principal: string): boolean {
    return this.#evict(principal);
  }

  #evictOne(session: HttpSession): void {
    this.remove(session, "evicted")?.catch(this.#warn);
  }

  /** Sweeps abandoned sessions on an unref'd timer, even when no request arrives. */
  #watch(): void {
    if (this.#timer !== undefined) return;
    this.#timer = unref(this.#clock.schedule(this.#sweep, Math.min(this.#sweepMs, longestWait)));
  }

  readonly #sweep = (): void => {
    this.#timer = undefined;
    const now = this.#clock.now();
    const { store } = this.#options;
    for (const session of [...this.#sessions.values()])
      if (this.#hasExpired(session, now)) this.end(session, "expired");
      else if (store && session.isOpen && (session.hasClient || now - session.lastSeen <= this.#sweepMs))
        this.#touch(session, store, session.hasClient ? 0 : now - session.lastSeen);
    if (this.#sessions.size > 0) this.#watch();
  };

  /**
   * Keeps a session in the store, or ends it if another process has removed it.
   *
   * @param unusedMs milliseconds since its last use
   */
  #touch(session: HttpSession, store: SessionStore, unusedMs: number): void {
    stored(() => store.touch(session.id, this.#idleMs + this.#sweepMs - unusedMs)).then((isKnown) => {
      if (!isKnown) this.end(session, "ended");
    }, this.#warn);
  }

  #hasExpired(session: HttpSession, now: number): boolean {
    const isIdle = now - session.lastSeen >= this.#idleMs && !session.hasClient;
    return isIdle || now - session.created >= this.#lifeMs;
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
    if (found) this.#evictOne(found);
    return found !== undefined;
  }
}

function older(session: HttpSession, other: HttpSession | undefined): HttpSession {
  return other && other.lastSeen <= session.lastSeen ? other : session;
}

/** @throws {McpError} the exception of the application's function, or `invalid-definition` */
async function made(
  generateId: NonNullable<SessionOptions["generateId"]>,
  session: NewSession,
): Promise<unknown> {
  try {
    return await generateId(session);
  } catch (cause) {
    if (cause instanceof McpError) throw cause;
    const options = { rpcCode: rpc.internalError, cause };
    throw new McpError("invalid-definition", "sessions.generateId: the function failed", options);
  }
}

/** @throws {McpError} `invalid-definition` */
function checkedId(id: unknown, taken: ReadonlyMap<string, unknown>): string {
  const problem = !isSessionId(id)
    ? "expected visible ASCII text of at most 4096 characters"
    : taken.has(id)
      ? "a session has this id already"
      : undefined;
  if (problem === undefined) return id as string;
  throw new McpError("invalid-definition", `sessions.generateId: ${problem}`, { rpcCode: rpc.internalError });
}
