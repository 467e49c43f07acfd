import type { Params } from "@mcpgen/base";
import type {
  ChangeNotice,
  HandlerContext,
  Next,
  Server,
  ServerSession,
  SubscriptionRequest,
} from "@mcpgen/runtime";
import { follow } from "../upstream/notices.js";
import type { Upstream } from "../upstream/upstream.js";
import type { Joined } from "./joined.js";
import type { Part } from "./part.js";

/** The parts of a subscription of 2026-07-28, and their names on a client. */
const filters = {
  toolsListChanged: "tools",
  promptsListChanged: "prompts",
  resourcesListChanged: "resources",
  resourceSubscriptions: "uris",
} as const;

const names = Object.fromEntries(Object.entries(filters).map(([name, kind]) => [kind, name]));

/** Everything that belongs to no call: subscriptions, levels of logs, and notifications of clients. */
export class Changes {
  readonly #joined: Joined;
  /** The subscriptions of sessions, by URI. */
  readonly #watched = new WeakMap<ServerSession, Map<string, AbortController>>();
  /** What a change of a session does, around what the runtime does. */
  readonly #around: { readonly [method: string]: typeof Changes.prototype.listen } = {
    "logging/setLevel": (params, context, next) => this.#setLevel(params, context, next),
    "resources/subscribe": (params, context, next) => this.#watch(params, context, next),
    "resources/unsubscribe": (params, context, next) => this.#unwatch(params, context, next),
    "subscriptions/listen": (params, context, next) => this.listen(params, context, next),
    "server/discover": async (_params, _context, next) => withoutTasks(await next()),
  };

  constructor(joined: Joined) {
    this.#joined = joined;
  }

  /** Hears what clients of a server send, and adds to what the runtime does with it. */
  joinTo(server: Server): void {
    server.use(({ direction, method, params, context }, next) =>
      direction === "incoming" && Object.hasOwn(this.#around, method)
        ? this.#around[method]!(params as Params, context as HandlerContext, next)
        : next(),
    );
    server.on("notifications/initialized", (_, { session }) => session && this.#attach(session));
    server.on("notifications/roots/list_changed", (_, { session }) =>
      this.#send(session, async ({ client, isModern }) => (isModern ? undefined : client.rootsChanged())),
    );
    server.on("*", (params: Params, { method, session }) =>
      this.#send(session, ({ client }) => client.notify(method, params)),
    );
  }

  /** Sends something to the servers, for a client that gets no answer. A server that is away misses it, if there are others. */
  async #send(
    session: ServerSession | undefined,
    send: (upstream: Upstream) => Promise<void>,
  ): Promise<void> {
    const { parts } = this.#joined;
    const sent = await Promise.allSettled(
      parts.map(async ({ pool }) => send(await (session ? pool.ofSession(session) : pool.ofBridge()))),
    );
    const failed = sent.find((each) => each.status === "rejected");
    if (failed && parts.length === 1) throw failed.reason;
  }

  /** Connects for a session, and passes changes of lists to it as long as it lasts. */
  async #attach(session: ServerSession): Promise<void> {
    const { signal } = untilClosed(session);
    const wanted = { tools: true, prompts: true, resources: true };
    await Promise.all(this.#joined.parts.map((part) => this.#follow(part, session, wanted, signal)));
  }

  #follow(
    part: Part,
    session: ServerSession,
    wanted: SubscriptionRequest,
    signal: AbortSignal,
  ): Promise<SubscriptionRequest> {
    const clientOf = async () => (await part.pool.ofSession(session)).client;
    const deliver = ({ method, uri, params }: ChangeNotice): void =>
      session.notify(method, uri === undefined ? params : { uri });
    return follow({
      clientOf,
      wanted,
      signal,
      deliver,
      isLate: wanted.uris ? this.#lateOf(part) : () => part.isMissed,
    });
  }

  #lateOf(part: Part): (() => boolean) | undefined {
    return this.#joined.parts.length > 1 ? () => part.isMissed : undefined;
  }

  async #watch(params: Params, context: HandlerContext, next: Next): Promise<Params> {
    const { session } = context;
    const uri = params["uri"] as string;
    const watched = this.#watched.get(session) ?? new Map<string, AbortController>();
    this.#watched.set(session, watched);
    if (!watched.has(uri)) {
      const ended = untilClosed(session);
      watched.set(uri, ended);
      try {
        const part = await this.#joined.ofUri(uri, context);
        if (!ended.signal.aborted) await this.#follow(part, session, { uris: [uri] }, ended.signal);
      } catch (error) {
        watched.delete(uri);
        throw error;
      }
    }
    return next();
  }

  async #unwatch({ uri }: Params, { session }: HandlerContext, next: Next): Promise<Params> {
    const watched = this.#watched.get(session);
    watched?.get(uri as string)?.abort();
    watched?.delete(uri as string);
    return next();
  }

  async #setLevel({ level }: Params, { session }: HandlerContext, next: Next): Promise<Params> {
    const result = await next();
    await this.#send(session, async ({ client, isModern, isOwned }) => {
      // Several sessions share it: each of them gets what its own level allows.
      if (!isModern) await client.setLogLevel(isOwned ? (level as "debug") : "debug");
    });
    return result;
  }

  /** The runtime answers a subscription, with the part that the server accepts; its notices come from the server. */
  async listen(params: Params, context: HandlerContext, next: Next): Promise<Params> {
    const { notifications: asked = {}, ...rest } = params as { notifications?: Params };
    const wanted = renamed(asked, filters);
    if (Object.keys(wanted).length === 0) return next();
    let open = (): void => {};
    const answered = new Promise<void>((resolve) => (open = resolve));
    const ended = new AbortController();
    const end = (): void => ended.abort();
    context.signal.addEventListener("abort", end);
    const deliver = ({ method, uri, params: given }: ChangeNotice): void =>
      void answered.then(() => context.notify(method, uri === undefined ? given : { uri }));
    const { parts } = this.#joined;
    const { uris, tools, prompts, resources, ...added } = wanted as SubscriptionRequest & Params;
    const lists = { tools, prompts, resources } as SubscriptionRequest;
    const byPart = new Map<Part, string[]>(parts.map((part) => [part, []]));
    for (const uri of uris ?? []) {
      const part = await this.#joined.ofUri(uri, context).catch(() => undefined);
      if (part) byPart.get(part)!.push(uri);
    }
    const followed = parts.map(async (part) => {
      const own = byPart.get(part)!;
      const clientOf = async () => (await part.pool.ofStream(context)).client;
      return follow({
        clientOf,
        // Members that extensions add do not show for which of several servers they are.
        wanted: { ...lists, ...(parts.length === 1 && added), ...(own.length > 0 && { uris: own }) },
        signal: ended.signal,
        deliver,
        isLate: this.#lateOf(part),
      });
    });
    const accepted = await Promise.all(followed);
    // A server that is away now comes back by a change of the lists.
    const honoured: SubscriptionRequest = {
      ...Object.assign({}, ...accepted, parts.length > 1 && lists),
      ...(uris && { uris: accepted.flatMap((each) => each.uris ?? []) }),
    };
    try {
      const result = next({ ...rest, notifications: renamed(honoured, names) });
      open();
      return await result;
    } finally {
      end();
    }
  }
}

/** The result of a discovery, without a capability that only 2025-11-25 has. */
function withoutTasks({ capabilities, ...result }: Params): Params {
  const { tasks: _, ...others } = capabilities as Params;
  return { ...result, capabilities: others };
}

/** The wanted members of a filter, by other names; members that extensions add keep theirs. */
function renamed(filter: object, others: { readonly [name: string]: string }): Params {
  const wanted = Object.entries(filter).filter(([, value]) => value);
  return Object.fromEntries(
    wanted.map(([name, value]) => [Object.hasOwn(others, name) ? others[name]! : name, value]),
  );
}

/** Aborts when the session ends. */
function untilClosed(session: ServerSession): AbortController {
  const controller = new AbortController();
  void session.closed.then(() => controller.abort());
  return controller;
}
