import { BoundedMap, McpError, type Params, lost, systemClock, unref } from "@mcpgen/base";
import * as rpc from "@mcpgen/base/rpc-codes";
import type { ServerCapabilities } from "@mcpgen/protocol/authoring";
import type { Client, HandlerContext, ServerSession } from "@mcpgen/runtime";
import type { InternalContext } from "@mcpgen/runtime/extending";
import type { Back, Share } from "./options.js";
import { type Caller, Upstream, failureOf, isHttp } from "./upstream.js";

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

/** What a shared connection states of its callers. */
type Stated = Pick<Caller, "principal" | "clientInfo" | "clientCapabilities" | "logLevel">;

/** A caller, and what decides which connection serves it. */
interface Seeker extends Omit<Caller, "principal" | "isAlone"> {
  readonly session: ServerSession;
  /** The session or the pipe of the caller; `undefined` for a request of 2026-07-28 over HTTP. */
  readonly owner: object | undefined;
}

interface Facts {
  readonly isModern: boolean;
  readonly logs: boolean;
  /** `undefined` until the server was reached. */
  readonly capabilities: ServerCapabilities | undefined;
}

/** The connections with a server behind a bridge. */
export class Pool {
  readonly #back: Back;
  /** Those that are kept for a principal or an owner, by key. */
  readonly #kept = new Map<string, Promise<Upstream>>();
  /** Those that served one call, and wait for another one of the same client. */
  #idle: { readonly key: string; readonly upstream: Upstream }[] = [];
  /** Those whose call asked, by an id in the state that the client has. */
  readonly #pinned = new BoundedMap<string, { readonly upstream: Upstream; readonly timer: unknown }>({
    count: mostPinned,
    full: "evict",
    gone: (_, { upstream, timer }) => {
      systemClock.clear(timer);
      void upstream.close();
    },
  });
  readonly #open = new Set<Upstream>();
  readonly #owners = new WeakMap<object, number>();
  #owned = 0;
  #leased = 0;
  /** Facts of the server, as the last connection showed them. */
  #facts: Facts = { isModern: false, logs: true, capabilities: undefined };
  readonly #opening = new Set<AbortController>();
  #isClosed = false;

  constructor(back: Back) {
    this.#back = back;
  }

  get facts(): Facts {
    return this.#facts;
  }

  /** Connects, to learn about the server. The connection goes on if it can serve more than one caller. */
  async learn(): Promise<Client> {
    const upstream = await this.#opened(itself);
    if (upstream.isModern) this.#keep(this.#sharedKey(itself), Promise.resolve(upstream));
    else await upstream.close();
    return upstream.client;
  }

  /** Runs a call on the connection for its client. @param work gets the params for this connection */
  async run(params: Params, context: HandlerContext, work: Work): Promise<Params> {
    const seeker = seekerOf(context);
    if (this.#shareOf(seeker) === "call")
      return this.#lease({ ...seeker, method: context.method }, params, work);
    return work(await this.#shown(this.#keptFor(seeker), context.method), params);
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

  /** The connection for what no caller is known of: that of the only pipe, or that of the bridge itself. */
  async ofBridge(): Promise<Upstream> {
    const [only, ...others] = this.#kept.values();
    const upstream = others.length === 0 ? await only : undefined;
    if (upstream?.isOfAnyone) return upstream;
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
  #sharedKey({ principal, clientInfo, clientCapabilities, logLevel }: Stated): string {
    const { identity } = this.#back.bridge;
    const stated = [identity === "bridge" ? undefined : clientInfo, clientCapabilities, logLevel];
    return JSON.stringify([principal, ...(this.#facts.isModern ? [] : stated)]);
  }

  #keptFor(seeker: Seeker): Promise<Upstream> {
    const { owner, session } = seeker;
    const isAlone = owner !== undefined && this.#shareOf(seeker) === "session";
    const isSession = isAlone && owner === session;
    // A session states its client once, and sets its level by its own request. The requests of a pipe state their levels: each gets
    // what its own allows.
    const level = isSession ? undefined : ("debug" as const);
    const stated = { ...seeker, principal: session.principal, ...(isAlone && { logLevel: level }) };
    const number = isAlone ? `${this.#numberOf(owner)} ` : "";
    const key = isSession ? number : number + this.#sharedKey(stated);
    const known = this.#kept.get(key);
    if (known) return known;
    const caller: Caller = { ...stated, isAlone, session: isSession ? session : undefined };
    const ended = new AbortController();
    const opening = this.#makeRoom().then(() => this.#opened(caller, ended));
    const end = (): Promise<void> => {
      ended.abort();
      return opening.then((upstream) => upstream.close());
    };
    if (isAlone) void session.closed.then(end).catch(() => undefined);
    return this.#keep(key, opening);
  }

  #keep(key: string, opening: Promise<Upstream>): Promise<Upstream> {
    this.#kept.set(key, opening);
    const drop = (): void => void (this.#kept.get(key) === opening && this.#kept.delete(key));
    void opening.then(({ client }) => client.closed.then(drop), drop);
    return opening;
  }

  /** Makes room for a connection: ends the one without a call that was opened first. @throws {McpError} `limit-exceeded` */
  async #makeRoom(): Promise<void> {
    if (this.#kept.size < mostKept) return;
    for (const [key, opening] of this.#kept) {
      const upstream = await opening.catch(() => undefined);
      if (!upstream?.isIdle || upstream.isOwned) continue;
      this.#kept.delete(key);
      return void upstream.close();
    }
    throw full(`${mostKept} callers have connections with the server already`);
  }

  #numberOf(owner: object): number {
    const known = this.#owners.get(owner) ?? ++this.#owned;
    this.#owners.set(owner, known);
    return known;
  }

  /** Runs a call on a connection that serves nothing else meanwhile. */
  async #lease(
    { method, ...seeker }: Seeker & { readonly method: string },
    params: Params,
    work: Work,
  ): Promise<Params> {
    if (this.#leased >= mostLeased)
      throw full(`${mostLeased} calls have connections with the server already`);
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
      const upstream =
        pinned?.upstream ?? this.#takeIdle(key) ?? (await this.#shown(this.#opened(caller), method));
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
    const expire = (): unknown => this.#pinned.delete(id) && upstream.close();
    const timer = unref(systemClock.schedule(() => void expire(), pinnedMs));
    this.#pinned.set(id, { upstream, timer });
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
    // A server may still log and ask for the call that has ended. Only a name shows that the next caller is the same one.
    if (upstream.isMarked || upstream.isOfAnyone || this.#isClosed) return void upstream.close();
    this.#idle.push({ key, upstream });
    if (this.#idle.length > mostIdle) void this.#idle.shift()!.upstream.close();
  }

  /** A connection, or the error that clients of the bridge may read: texts of starts name programs, files and hosts. */
  #shown(opening: Promise<Upstream>, method: string): Promise<Upstream> {
    return opening.catch((error: unknown) => {
      throw failureOf(this.#back, method, error);
    });
  }

  /** @param ended aborts when its caller has gone, and nothing else needs the connection */
  async #opened(caller: Caller, ended = new AbortController()): Promise<Upstream> {
    if (this.#isClosed) ended.abort();
    if (ended.signal.aborted) throw new McpError("connection-closed", "the bridge or its caller is closed");
    this.#opening.add(ended);
    try {
      const upstream = await Upstream.open(this.#back, caller, ended.signal);
      const { isModern, client } = upstream;
      const { serverCapabilities: capabilities } = client;
      this.#facts = { isModern, logs: capabilities.logging !== undefined, capabilities };
      this.#open.add(upstream);
      void client.closed.then(() => this.#open.delete(upstream));
      return upstream;
    } finally {
      this.#opening.delete(ended);
    }
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const opening of this.#opening) opening.abort();
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

function full(what: string): McpError {
  return new McpError("limit-exceeded", `${what}: try again later`, { rpcCode: rpc.internalError });
}
