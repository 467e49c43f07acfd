import { McpError } from "@mcpgen/base";
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
    if (!first.isModern) await this.#end(first);
  }

  /** Runs a call on the connection for its client. */
  async run<T>(context: HandlerContext, work: (upstream: Upstream) => Promise<T>): Promise<T> {
    const seeker = seekerOf(context);
    return this.#shareOf(seeker) === "call" ? this.#lease(seeker, work) : work(await this.#keptFor(seeker));
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
      void session.closed.then(() => opening.then((upstream) => this.#end(upstream))).catch(() => undefined);
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
      if (upstream?.isIdle && !upstream.isOwned) return this.#end(upstream);
    }
  }

  #numberOf(owner: object): number {
    const known = this.#owners.get(owner) ?? ++this.#owned;
    this.#owners.set(owner, known);
    return known;
  }

  /** Runs a call on a connection that serves nothing else meanwhile. */
  async #lease<T>(seeker: Seeker, work: (upstream: Upstream) => Promise<T>): Promise<T> {
    if (this.#leased >= mostLeased)
      throw new McpError(
        "limit-exceeded",
        `${mostLeased} calls have connections with the server already: try again later`,
        {
          rpcCode: rpc.internalError,
        },
      );
    const caller: Caller = {
      ...seeker,
      principal: seeker.session.principal,
      isAlone: true,
      session: undefined,
    };
    const key = JSON.stringify([this.#sharedKey(caller), caller.clientCapabilities, caller.logLevel]);
    this.#leased++;
    try {
      const upstream = this.#takeIdle(key) ?? (await this.#opened(caller));
      upstream.isOwned = true;
      try {
        return await work(upstream);
      } finally {
        this.#release(key, upstream);
      }
    } finally {
      this.#leased--;
    }
  }

  #takeIdle(key: string): Upstream | undefined {
    const found = this.#idle.find((each) => each.key === key && each.upstream.client.state !== "closed");
    this.#idle = this.#idle.filter((each) => each !== found && each.upstream.client.state !== "closed");
    return found?.upstream;
  }

  #release(key: string, upstream: Upstream): void {
    upstream.isOwned = false;
    if (upstream.isMarked || this.#isClosed) return void this.#end(upstream);
    this.#idle.push({ key, upstream });
    if (this.#idle.length > mostIdle) void this.#end(this.#idle.shift()!.upstream);
  }

  async #opened(caller: Caller): Promise<Upstream> {
    const upstream = await Upstream.open(this.#back, caller);
    const { isModern, client } = upstream;
    this.#facts = { isModern, logs: client.serverCapabilities.logging !== undefined };
    this.#open.add(upstream);
    void client.closed.then(() => this.#open.delete(upstream));
    if (!this.#isClosed) return upstream;
    await this.#end(upstream);
    throw new McpError("connection-closed", "the bridge is closed");
  }

  #end(upstream: Upstream): Promise<void> {
    return upstream.close();
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
