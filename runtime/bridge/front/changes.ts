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
import type { Pool } from "../upstream/pool.js";
import type { Upstream } from "../upstream/upstream.js";

/** The parts of a subscription of 2026-07-28, and their names on a client. */
const parts = {
  toolsListChanged: "tools",
  promptsListChanged: "prompts",
  resourcesListChanged: "resources",
  resourceSubscriptions: "uris",
} as const;

/** Everything that belongs to no call: subscriptions, levels of logs, and notifications of clients. */
export class Changes {
  readonly #pool: Pool;
  /** The subscriptions of sessions, by URI. */
  readonly #watched = new WeakMap<ServerSession, Map<string, AbortController>>();
  /** What a change of a session does, around what the runtime does. */
  readonly #around: { readonly [method: string]: typeof Changes.prototype.listen } = {
    "logging/setLevel": (params, context, next) => this.#setLevel(params, context, next),
    "resources/subscribe": (params, context, next) => this.#watch(params, context, next),
    "resources/unsubscribe": (params, context, next) => this.#unwatch(params, context, next),
    "subscriptions/listen": (params, context, next) => this.listen(params, context, next),
  };

  constructor(pool: Pool) {
    this.#pool = pool;
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
      this.#tell(session, async ({ client, isModern }) => (isModern ? undefined : client.rootsChanged())),
    );
    server.on("*", (params: Params, { method, session }) =>
      this.#tell(session, ({ client }) => client.notify(method, params)),
    );
  }

  /** Sends something to the server, for a client that gets no answer. */
  async #tell(
    session: ServerSession | undefined,
    send: (upstream: Upstream) => Promise<void>,
  ): Promise<void> {
    await send(await (session ? this.#pool.ofSession(session) : this.#pool.ofNobody()));
  }

  /** Connects for a session, and passes changes of lists to it as long as it lasts. */
  async #attach(session: ServerSession): Promise<void> {
    const { client } = await this.#pool.ofSession(session);
    const { tools, prompts, resources } = client.serverCapabilities;
    const lists = { tools, prompts, resources };
    const changing = Object.entries(lists).flatMap(([kind, offered]) =>
      offered?.listChanged ? [[kind, true]] : [],
    );
    if (changing.length > 0)
      await this.#follow(session, Object.fromEntries(changing), untilClosed(session).signal);
  }

  #follow(
    session: ServerSession,
    wanted: SubscriptionRequest,
    signal: AbortSignal,
  ): Promise<SubscriptionRequest> {
    const clientOf = async () => (await this.#pool.ofSession(session)).client;
    return follow(clientOf, wanted, signal, ({ method, uri, params }) =>
      session.notify(method, uri === undefined ? params : { uri }),
    );
  }

  async #watch({ uri }: Params, { session }: HandlerContext, next: Next): Promise<Params> {
    const watched = this.#watched.get(session) ?? new Map<string, AbortController>();
    this.#watched.set(session, watched);
    if (!watched.has(uri as string)) {
      const ended = untilClosed(session);
      watched.set(uri as string, ended);
      await this.#follow(session, { uris: [uri as string] }, ended.signal).catch((error: unknown) => {
        watched.delete(uri as string);
        throw error;
      });
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
    await this.#tell(session, async ({ client, isModern, isOwned }) => {
      // Several sessions share it: each of them gets what its own level allows.
      if (!isModern) await client.setLogLevel(isOwned ? (level as "debug") : "debug");
    });
    return result;
  }

  /** The runtime answers a subscription, with the part that the server accepts; its notices come from the server. */
  async listen(params: Params, context: HandlerContext, next: Next): Promise<Params> {
    const { notifications: asked = {}, ...rest } = params as { notifications?: Params };
    const wanted = Object.entries(parts).flatMap(([name, kind]) =>
      asked[name] ? [[kind, asked[name]]] : [],
    );
    if (wanted.length === 0) return next();
    let open = (): void => {};
    const answered = new Promise<void>((resolve) => (open = resolve));
    const ended = new AbortController();
    const end = (): void => ended.abort();
    context.signal.addEventListener("abort", end);
    const deliver = ({ method, uri, params: given }: ChangeNotice): void =>
      void answered.then(() => context.notify(method, uri === undefined ? given : { uri }));
    const clientOf = async () => (await this.#pool.ofStream(context)).client;
    const honoured = await follow(clientOf, Object.fromEntries(wanted), ended.signal, deliver);
    const kept = Object.entries(parts).flatMap(([name, kind]) =>
      honoured[kind] ? [[name, honoured[kind]]] : [],
    );
    try {
      const result = next({ ...rest, notifications: Object.fromEntries(kept) });
      open();
      return await result;
    } finally {
      end();
    }
  }
}

/** Aborts when the session ends. */
function untilClosed(session: ServerSession): AbortController {
  const controller = new AbortController();
  void session.closed.then(() => controller.abort());
  return controller;
}
