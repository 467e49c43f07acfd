import { McpError, type Params, lost, systemClock, unref } from "@mcpgen/base";
import * as rpc from "@mcpgen/base/rpc-codes";
import type { HandlerContext, ServerSession } from "@mcpgen/runtime";
import type { InternalContext } from "@mcpgen/runtime/extending";
import type { Back, Share } from "./options.js";
import { type Caller, Upstream, isHttp } from "./upstream.js";

/** Connections without a call that are kept for the next one. */
const mostIdle = 8;

/** Connections that are kept for callers; beyond it, one without a call ends for each new one. */
const mostKept = 256;

/** Connections that serve one call each, at a time. */
const mostLeased = 256;

/** Connections that wait for answers of clients, and milliseconds that they do, as calls that ask (`state.parking`). */
const mostPinned = 64;
const pinnedMs = 600_000;

/** A call on a connection. */
type Work = (upstream: Upstream, params: Params) => Promise<Params>;

/** The bridge, as a caller. */
const itself: Caller = {
  principal: "",
  clientInfo: undefined,
  clientCapabilities: {},
  logLevel: undefined,
  isAlone: false,
  session: undefined,
};

/** A caller, and what decides which connection serves it. */
interface Seeker extends Omit<Caller, "principal" | "isAlone"> {
  readonly session: ServerSession;
  /** The session or the pipe of the caller; `undefined` for a request of 2026-07-28 over HTTP. */
  readonly owner: object | undefined;
}

/** The connections with the server behind a bridge. */
export class Pool {
  readonly #back: Back;
  /** Those that are kept for a principal or an owner, by key. */
  readonly #kept = new Map<string, Promise<Upstream>>();
  /** Those that served one call, and wait for another one of the same client. */
  #idle: { readonly key: string; readonly upstream: Upstream }[] = [];
  /** Those whose call asked, by an id in the state that the client has. */
  readonly #pinned = new Map<string, { readonly upstream: Upstream; readonly timer: unknown }>();
  readonly #open = new Set<Upstream>();
  readonly #owners = new WeakMap<object, number>();
  #owned = 0;
  #leased = 0;
  /** Facts of the server, as the last connection showed them. */
  #facts: { readonly isModern: boolean; readonly logs: boolean } = { isModern: false, logs: true };
  #isClosed = false;

  constructor(back: Back) {
    this.#back = back;
  }

  /** Opens the first connection, to learn about the server. It goes on if it can serve more than one caller. */
  async start(): Promise<Upstream> {
    const upstream = await this.#opened(itself);
    if (upstream.isModern) this.#keep(this.#sharedKey(itself), Promise.resolve(upstream));
    return upstream;
  }

  /** Ends the first connection, if it serves no caller. */
  async forget(first: Upstream): Promise<void> {
    if (!first.isModern) await first.close();
  }

  /** Runs a call on the connection for its client. @param work gets the params for this connection */
  async run(params: Params, context: HandlerContext, work: Work): Promise<Params> {
    const seeker = seekerOf(context);
    if (this.#shareOf(seeker) === "call") return this.#lease(seeker, params, work);
    return work(await this.#keptFor(seeker), params);
  }

  /** The connection that serves a session as long as it lasts. */
  ofSession(session: ServerSession): Promise<Upstream> {
    const { clientInfo, clientCapabilities } = session;
    return this.#keptFor({ session, owner: session, clientInfo, clientCapabilities, logLevel: undefined });
  }

  /** The connection for what lasts longer than a call, such as a subscription. */
  ofStream(context: HandlerContext): Promise<Upstream> {
    return this.#keptFor(seekerOf(context));
  }

  /** The connection for what no caller is known of: the only one, or that of the bridge itself. */
  ofNobody(): Promise<Upstream> {
    const [only, ...others] = this.#kept.values();
    if (only && others.length === 0) return only;
    const key = this.#sharedKey(itself);
    return this.#kept.get(key) ?? this.#keep(key, this.#opened(itself));
  }

  #shareOf({ owner, clientCapabilities, logLevel }: Seeker): Exclude<Share, "auto"> {
    const { share = "auto" } = this.#back;
    const alone = owner ? "session" : "call";
    if (share === "session") return alone;
    if (share !== "auto") return share;
    const { isModern, logs } = this.#facts;
    const wantsLogs = logs && (logLevel !== undefined || owner !== undefined);
    if (isModern) return wantsLogs && !isHttp(this.#back) ? alone : "principal";
    const { elicitation, sampling, roots } = clientCapabilities;
    return owner || wantsLogs || elicitation || sampling || roots ? alone : "principal";
  }

  /** What a shared connection states of its clients once for all. */
  #sharedKey({ principal, clientInfo, clientCapabilities, logLevel }: Caller): string {
    const { identity } = this.#back.bridge;
    const stated = [identity === "bridge" ? undefined : clientInfo, clientCapabilities, logLevel];
    return JSON.stringify([principal, ...(this.#facts.isModern ? [] : stated)]);
  }

  #keptFor(seeker: Seeker): Promise<Upstream> {
    const { owner, session } = seeker;
    const isAlone = owner !== undefined && this.#shareOf(seeker) === "session";
    const isSession = isAlone && owner === session;
    const caller: Caller = {
      ...seeker,
      principal: session.principal,
      isAlone,
      session: isSession ? session : undefined,
      // A session sets its level by its own request.
      ...(isSession && { logLevel: undefined }),
    };
    const key = isAlone ? `${this.#numberOf(owner)} ${this.#sharedKey(caller)}` : this.#sharedKey(caller);
    const known = this.#kept.get(key);
    if (known) return known;
    const opening = this.#opened(caller);
    if (isAlone)
      void session.closed.then(() => opening.then((upstream) => upstream.close())).catch(() => undefined);
    return this.#keep(key, opening);
  }

  #keep(key: string, opening: Promise<Upstream>): Promise<Upstream> {
    this.#kept.set(key, opening);
    const drop = (): void => void (this.#kept.get(key) === opening && this.#kept.delete(key));
    void opening.then(({ client }) => client.closed.then(drop), drop);
    if (this.#kept.size > mostKept) void this.#evict();
    return opening;
  }

  /** Ends the connection without a call that was opened first. */
  async #evict(): Promise<void> {
    for (const opening of this.#kept.values()) {
      const upstream = await opening.catch(() => undefined);
      if (upstream?.isIdle && !upstream.isOwned) return upstream.close();
    }
  }

  #numberOf(owner: object): number {
    const known = this.#owners.get(owner) ?? ++this.#owned;
    this.#owners.set(owner, known);
    return known;
  }

  /** Runs a call on a connection that serves nothing else meanwhile. */
  async #lease(seeker: Seeker, params: Params, work: Work): Promise<Params> {
    if (this.#leased >= mostLeased) {
      const text = `${mostLeased} calls have connections with the server already: try again later`;
      throw new McpError("limit-exceeded", text, { rpcCode: rpc.internalError });
    }
    const caller: Caller = {
      ...seeker,
      principal: seeker.session.principal,
      isAlone: true,
      session: undefined,
    };
    const key = JSON.stringify([this.#sharedKey(caller), caller.clientCapabilities, caller.logLevel]);
    this.#leased++;
    try {
      const pinned = this.#takePinned(params["requestState"]);
      const upstream = pinned?.upstream ?? this.#takeIdle(key) ?? (await this.#opened(caller));
      upstream.isOwned = true;
      let result: Params | undefined;
      try {
        result = await work(upstream, pinned ? { ...params, requestState: pinned.state } : params);
      } finally {
        if (!this.#isPinning(result)) this.#release(key, upstream);
      }
      return this.#isPinning(result) ? this.#pin(upstream, result) : result;
    } finally {
      this.#leased--;
    }
  }

  /** Whether a result asks, and its state may be of use on this connection alone: in the process at the other end of a pipe. */
  #isPinning(result: Params | undefined): boolean {
    const asks = result?.["resultType"] === "input_required" && typeof result["requestState"] === "string";
    return asks && this.#pins;
  }

  get #pins(): boolean {
    return this.#facts.isModern && !isHttp(this.#back);
  }

  /** Keeps a connection until the client has answered. */
  #pin(upstream: Upstream, result: Params): Params {
    upstream.isOwned = false;
    const id = crypto.randomUUID();
    const expire = (): unknown => this.#takePinned(id)?.upstream.close();
    const timer = unref(systemClock.schedule(() => void expire(), pinnedMs));
    this.#pinned.set(id, { upstream, timer });
    if (this.#pinned.size > mostPinned) {
      const [oldest = ""] = this.#pinned.keys();
      void this.#takePinned(oldest)?.upstream.close();
    }
    return { ...result, requestState: `${id} ${result["requestState"] as string}` };
  }

  /** The connection that a state names. @throws {McpError} `state-lost`: it is gone */
  #takePinned(given: unknown): { readonly upstream: Upstream; readonly state: string } | undefined {
    if (typeof given !== "string" || !this.#pins) return undefined;
    const [id = "", ...state] = given.split(" ");
    const pinned = this.#pinned.get(id);
    if (!pinned) throw lost("not-here");
    this.#pinned.delete(id);
    systemClock.clear(pinned.timer);
    return { upstream: pinned.upstream, state: state.join(" ") };
  }

  #takeIdle(key: string): Upstream | undefined {
    const found = this.#idle.find((each) => each.key === key && each.upstream.client.state !== "closed");
    this.#idle = this.#idle.filter((each) => each !== found && each.upstream.client.state !== "closed");
    return found?.upstream;
  }

  #release(key: string, upstream: Upstream): void {
    upstream.isOwned = false;
    if (upstream.isMarked || this.#isClosed) return void upstream.close();
    this.#idle.push({ key, upstream });
    if (this.#idle.length > mostIdle) void this.#idle.shift()!.upstream.close();
  }

  async #opened(caller: Caller): Promise<Upstream> {
    const upstream = await Upstream.open(this.#back, caller);
    const { isModern, client } = upstream;
    this.#facts = { isModern, logs: client.serverCapabilities.logging !== undefined };
    this.#open.add(upstream);
    void client.closed.then(() => this.#open.delete(upstream));
    if (!this.#isClosed) return upstream;
    await upstream.close();
    throw new McpError("connection-closed", "the bridge is closed");
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#open].map((upstream) => upstream.close()));
  }
}

function seekerOf(context: HandlerContext): Seeker {
  const { session, clientInfo, clientCapabilities, logLevel } = context;
  const { connection } = context as unknown as InternalContext;
  const pipe = connection.isAnnounced ? connection : undefined;
  return {
    session,
    owner: session.era === "legacy" ? session : pipe,
    clientInfo,
    clientCapabilities,
    logLevel,
  };
}
