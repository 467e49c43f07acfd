import type { ClientRequests, CompleteRequestParams, ServerCapabilities } from "@mcpgen/protocol/authoring";
import type { ClientResults, Open } from "@mcpgen/protocol/open";
import type { Caller, RequestOptions, Signal } from "@mcpgen/protocol/model";
import type { LogLevel } from "../protocol/meta.js";
import type { Params } from "../jsonrpc/message.js";
import type { Negotiated } from "./negotiation.js";
import { ResultCache } from "./cache.js";
import { type Connection, Connections } from "./connections.js";
import type { Rejected } from "./decode.js";
import {
  type AnswerSetup,
  type ClientHandlers,
  type NotificationListener,
  Incoming,
  Listeners,
  Questions,
} from "./server-messages.js";
import { type ClientLimits, type ClientProfile, declaredBy, eraOf } from "./client-profile.js";
import { attachLegacy, attachModern } from "./attach.js";
import { type ListBounds, type ListResult, collect, pages } from "./lists.js";
import { mirrorHeaders, ToolHeaders } from "./mirrored-headers.js";
import { OutputChecks } from "./output-checks.js";
import { noSuchMethod, requireCapability } from "../protocol/revision-view.js";
import { Requests } from "./requests.js";
import { type Resend, RetryPolicy } from "./retry-policy.js";
import { type Subscribing, type Subscription, type SubscriptionRequest, subscribe } from "./subscriptions.js";

/** The result of a tool. */
export interface ToolResult<Structured = unknown> extends Open<"CallToolResult"> {
  structuredContent?: Structured;
}

/** The dependencies of a client. */
export interface ClientSetup {
  readonly profile: ClientProfile;
  readonly handlers: ClientHandlers;
  readonly limits: ClientLimits;
  /** Opens a connection whose messages go to `incoming`; called again after one broke. */
  readonly connect: (
    connections: Connections,
    incoming: Incoming,
    signal: Signal | undefined,
  ) => Promise<Connection>;
  readonly reconnects: boolean;
  /** Which requests are sent again after the connection broke; `safe` if absent. */
  readonly resend: Resend | undefined;
  readonly onWarning: (message: string) => void;
}

/** Parameters may be left out where a method requires none. */
type RequestArguments<Params> = undefined extends Params
  ? [params?: Params, options?: RequestOptions]
  : [params: Params, options?: RequestOptions];

/** A connected server, of any revision. */
export class Client implements Caller {
  readonly cache: ResultCache;
  readonly #setup: ClientSetup;
  readonly #outputs: OutputChecks;
  readonly #headers = new ToolHeaders();
  readonly #retryPolicy: RetryPolicy;
  readonly #listeners: Listeners;
  readonly #connections: Connections;
  readonly #requests: Requests;

  constructor(setup: ClientSetup) {
    const { profile, handlers, limits, reconnects, resend, onWarning } = setup;
    this.#setup = setup;
    const outputs = (this.#outputs = new OutputChecks(onWarning));
    const headers = this.#headers;
    const retryPolicy = (this.#retryPolicy = new RetryPolicy(resend));
    const cache = (this.cache = new ResultCache(profile.clock, limits));
    const listeners = (this.#listeners = new Listeners(onWarning));
    const answers: AnswerSetup = { handlers, questions: new Questions(limits), nulls: profile.nulls };
    const incoming = new Incoming(answers, cache, listeners);
    this.#connections = new Connections({
      profile,
      reconnects,
      onWarning,
      connect: (connections, signal) => setup.connect(connections, incoming, signal),
      onReplaced: () => {
        cache.clear();
        for (const learnt of [outputs, headers, retryPolicy]) learnt.forget();
      },
    });
    const connections = this.#connections;
    const relist = (options: RequestOptions) => this.listTools(options);
    this.#requests = new Requests({
      connections,
      cache,
      headers,
      retryPolicy,
      listeners,
      profile,
      rounds: { answers, maxRoundQuestions: limits.maxRoundQuestions },
      relist,
    });
  }

  /** The id of the negotiated protocol revision. */
  get revision(): string {
    return this.#negotiated.view.id;
  }

  /** The server's description of itself: for display, not for decisions. */
  get serverInfo(): Open<"Implementation"> | undefined {
    return this.#negotiated.serverInfo;
  }

  get serverCapabilities(): ServerCapabilities {
    return this.#negotiated.capabilities;
  }

  /** The server's advice on using it, for the model. */
  get instructions(): string | undefined {
    return this.#negotiated.instructions;
  }

  get #negotiated(): Negotiated {
    return this.#connections.negotiated;
  }

  /** @internal */
  async start(signal: Signal | undefined): Promise<this> {
    await this.#connections.open(signal);
    return this;
  }

  /** Whether no request waits for an answer. */
  get idle(): boolean {
    return this.#connections.waiting === 0;
  }

  /**
   * Sends a request. Resolves with its result in the authoring vocabulary, from the cache while the cached result is
   * fresh.
   *
   * @throws {McpError}
   */
  request<Method extends keyof ClientRequests>(
    method: Method,
    ...given: RequestArguments<ClientRequests[Method]["params"]>
  ): Promise<ClientResults[Method]>;
  request<Result>(method: string, params?: object, options?: RequestOptions): Promise<Result>;
  async request<Result>(method: string, params?: object, options: RequestOptions = {}): Promise<Result> {
    return (await this.#requests.exchange(method, (params ?? {}) as Params, options)).result as Result;
  }

  /** Sends a notification, if the revision has it. */
  async notify(method: string, params?: object): Promise<void> {
    const { link, negotiated } = await this.#connections.open();
    const { view } = negotiated;
    const entry = view.table.outgoingNotifications.get(method);
    if (!entry) throw noSuchMethod(method, view);
    requireCapability(method, entry, "client", declaredBy(view, this.#setup.profile) as Params);
    const lowered = params && view.lower("outgoingNotifications", method, params as Params);
    link.notify(method, lowered, (_, sent) => mirrorHeaders(view, method, sent));
  }

  /** Listens to the notifications of a method, or to all of them with `*`. Returns a function that removes the listener. */
  on(method: string, listener: NotificationListener): () => void {
    return this.#listeners.add(method, listener);
  }

  /** Reads all tools, page by page, within the limits of `options`. */
  listTools(options?: ListBounds): Promise<ListResult<Open<"Tool">>> {
    return this.#collected<Open<"Tool">>("tools/list", options);
  }

  listResources(options?: ListBounds): Promise<ListResult<Open<"Resource">>> {
    return this.#collected<Open<"Resource">>("resources/list", options);
  }

  listResourceTemplates(options?: ListBounds): Promise<ListResult<Open<"ResourceTemplate">>> {
    return this.#collected<Open<"ResourceTemplate">>("resources/templates/list", options);
  }

  listPrompts(options?: ListBounds): Promise<ListResult<Open<"Prompt">>> {
    return this.#collected<Open<"Prompt">>("prompts/list", options);
  }

  /** Yields the items of any list method, page by page. */
  async *items<Item>(method: string, options: ListBounds = {}): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.#pagesOf<Item>(method, options)) yield* page.items;
  }

  /**
   * Runs a tool. Checks structured content against the tool's `outputSchema`, once the tool was listed.
   *
   * @typeParam Structured the type of the structured content, as the server declares it
   * @throws {McpError} `invalid-result`: the structured content does not match the `outputSchema`
   */
  async callTool<Structured = unknown>(
    name: string,
    args: object = {},
    options?: RequestOptions,
  ): Promise<ToolResult<Structured>> {
    const { result } = await this.#requests.exchange("tools/call", { name, arguments: args }, options ?? {});
    const checked = this.#outputs.check(name, result as ToolResult);
    if (checked) await checked;
    return result as ToolResult<Structured>;
  }

  readResource(uri: string, options?: RequestOptions): Promise<Open<"ReadResourceResult">> {
    return this.request("resources/read", { uri }, options);
  }

  getPrompt(
    name: string,
    args: { readonly [name: string]: string } = {},
    options?: RequestOptions,
  ): Promise<Open<"GetPromptResult">> {
    return this.request("prompts/get", { name, arguments: args }, options);
  }

  complete(params: CompleteRequestParams, options?: RequestOptions): Promise<Open<"CompleteResult">> {
    return this.request("completion/complete", params, options);
  }

  /** Checks that the server answers: with `ping`, or with `server/discover` where the revision has no `ping`. */
  async ping(options: RequestOptions = {}): Promise<void> {
    const started = this.#setup.profile.clock.now();
    const { negotiated } = await this.#requests.connected({ method: "ping", options, started });
    const method = negotiated.view.table.outgoingRequests.has("ping") ? "ping" : "server/discover";
    await this.#requests.exchange(method, {}, options, started);
  }

  /** Sets the least severity of log messages: by one request in the legacy era, in the `_meta` of each request in the modern era. */
  async setLogLevel(level: LogLevel): Promise<void> {
    const { negotiated } = await this.#connections.open();
    if (eraOf(negotiated.view).logLevelRequest) await this.request("logging/setLevel", { level });
    this.#connections.logLevel = level;
  }

  /**
   * Subscribes to changes, in both eras. The iteration fails with `limit-exceeded` when more notices wait than
   * `limits.maxNotices`.
   *
   * @throws {McpError}
   */
  subscribe(wanted: SubscriptionRequest): Promise<Subscription> {
    const connections = this.#connections;
    const requests = this.#requests;
    const { profile, limits } = this.#setup;
    const given: Subscribing = {
      connections,
      clock: profile.clock,
      maxNotices: limits.maxNotices,
      attach: (connection, part, push) => {
        const { view } = connection.negotiated;
        return view.table.outgoingRequests.has("subscriptions/listen")
          ? attachModern(this, connection, (params) => requests.withMeta(params, view), part, push)
          : attachLegacy(this, connection, part, push);
      },
    };
    return subscribe(given, wanted);
  }

  /**
   * Notifies the server that the roots have changed (legacy era).
   *
   * @throws {McpError} `missing-capability`: the client has no roots
   */
  async rootsChanged(): Promise<void> {
    const { negotiated } = await this.#connections.open();
    if (negotiated.view.table.outgoingNotifications.has("notifications/roots/list_changed"))
      await this.notify("notifications/roots/list_changed");
  }

  /** Closes the connection, and ends the server's process if the client started it. */
  close(): Promise<void> {
    return this.#connections.close();
  }

  #collected<Item>(method: string, options: ListBounds = {}): Promise<ListResult<Item>> {
    const started = this.#setup.profile.clock.now();
    return collect(this.#pagesOf<Item>(method, options, started), method, this.#setup.onWarning);
  }

  /** @param started when the total timeout of all pages began; without it, each page has its own */
  #pagesOf<Item>(
    method: string,
    options: ListBounds,
    started?: number,
  ): AsyncGenerator<ListResult<Item>, void, undefined> {
    return pages<Item>(method, options, async (params) => {
      const { result, rejected } = await this.#requests.exchange(method, params, options, started);
      const member = this.#negotiated.view.table.outgoingRequests.get(method)?.page?.member ?? "";
      const { nextCursor } = result;
      if (method !== "tools/list")
        return { items: (result[member] ?? []) as readonly Item[], rejected, nextCursor };
      const usable = this.#learn((result[member] ?? []) as readonly Open<"Tool">[]);
      return {
        items: usable.tools as readonly Item[],
        rejected: [...rejected, ...usable.rejected],
        nextCursor,
      };
    });
  }

  /** Keeps the schemas, hints and headers of listed tools. Over HTTP, rejects tools with invalid header declarations. */
  #learn(tools: readonly Open<"Tool">[]): {
    tools: readonly Open<"Tool">[];
    rejected: readonly Rejected[];
  } {
    this.#outputs.learn(tools);
    this.#retryPolicy.learn(tools);
    const { standing } = this.#connections;
    if (!standing?.link.mirrors || !eraOf(standing.negotiated.view).paramHeaders)
      return { tools, rejected: [] };
    return this.#headers.learn(tools);
  }
}
