import type { ClientRequests, CompleteRequestParams, ServerCapabilities } from "@mcpgen/protocol/authoring";
import type { ClientResults, Open, OpenDefinitions } from "@mcpgen/protocol/open";
import type { Caller, Era, RequestOptions, Signal } from "@mcpgen/protocol/model";
import { type Clock, McpError, type Opener, type Params, requireFunction } from "@mcpgen/base";
import type { ClientEvent } from "../protocol/events.js";
import { type OtherMethod, checkListener } from "../protocol/hooks.js";
import type { LogLevel } from "../protocol/meta.js";
import { type RevisionView, noSuchMethod, requireCapability } from "../protocol/revision-view.js";
import type { MethodSchemas } from "../schema/schema-check.js";
import { type MessageSchema, parsed } from "../schema/schema-type.js";
import { ResultCache } from "./cache.js";
import { type ClientLimits, type ClientProfile, declarations, eraOf } from "./client-profile.js";
import type { BatchPlace, Connection, Negotiated } from "./connection.js";
import { type ClientState, Connections } from "./connections.js";
import { type Rejected, invalidResult } from "./decode.js";
import { type Answering, answererOf } from "./handlers.js";
import { ListedTools } from "./listed-tools.js";
import { type ListBounds, type ListResult, collect, isMissing, leftOut, listIn, pages } from "./lists.js";
import type { ClientMiddleware, NotificationListener } from "./middleware.js";
import type { Handshake } from "./negotiation.js";
import { Questions } from "./questions.js";
import { Requests } from "./requests.js";
import type { Resend } from "./retry-policy.js";
import {
  type LegacyAttach,
  Notifications,
  type Subscription,
  type SubscriptionRequest,
  subscribe,
} from "./subscriptions.js";
import {
  type GivenBy,
  type VendorHandler,
  type VendorHandlerOf,
  VendorHandlers,
  type VendorRequestOptions,
  checkBy,
  parsing,
} from "./vendor-methods.js";

/** The result of a tool. */
export interface ToolResult<Structured = unknown> extends Open<"CallToolResult"> {
  structuredContent?: Structured;
}

/** Results that may answer a method instead of its plain result; each has its `resultType`. */
type OtherResult<Method extends keyof ClientResults, Plain extends keyof OpenDefinitions> = Exclude<
  ClientResults[Method],
  Open<Plain>
>;

/** A request of a batch. */
export interface BatchRequest {
  readonly method: string;
  readonly params?: object;
  readonly notification?: false;
  readonly options?: RequestOptions & Partial<VendorRequestOptions>;
}

/** A notification of a batch. */
export interface BatchNotification {
  readonly method: string;
  readonly params?: object;
  readonly notification: true;
}

/** The outcome of each message of a batch, in their order. */
export type BatchResults<Messages extends readonly (BatchRequest | BatchNotification)[]> = {
  -readonly [Index in keyof Messages]: PromiseSettledResult<ResultOf<Messages[Index]>>;
};

type ResultOf<Message> = Message extends BatchNotification
  ? undefined
  : Message extends { readonly options: { readonly result: infer Schema } }
    ? GivenBy<Schema>
    : Message extends { readonly method: infer Method extends keyof ClientResults }
      ? ClientResults[Method]
      : Params;

/**
 * The places of messages in one JSON-RPC batch.
 *
 * @throws {McpError} `not-expressible`: the transport has no batches; `invalid-request`: one of the messages is `initialize`
 */
export type PlacesOf = (
  messages: readonly { readonly method: string }[],
  connection: Connection,
) => readonly BatchPlace[];

/** The client's code for legacy revisions; `runtime/core/legacy/client` implements it. */
export interface LegacyParts {
  readonly handshake: Handshake;
  readonly attach: LegacyAttach;
  readonly placesOf: PlacesOf;
}

/** The dependencies of a client. */
export interface ClientSetup {
  readonly profile: ClientProfile;
  readonly handlers: Answering;
  readonly limits: ClientLimits;
  /** All revisions that the client knows, including revisions that it does not negotiate. */
  readonly known: readonly RevisionView<"client">[];
  /** The revisions that it negotiates. */
  readonly views: readonly RevisionView<"client">[];
  readonly thrownErrors: "hide" | "message";
  readonly onClose: ((reason: McpError | undefined) => unknown) | undefined;
  /** Opens a channel; again after one broke, if it is a function. */
  readonly opener: Opener;
  /** Absent if the client has no legacy revisions. */
  readonly legacy: LegacyParts | undefined;
  /** Which requests are sent again after the connection broke; `safe` if absent. */
  readonly resend: Resend | undefined;
  readonly onWarning: (message: string) => void;
}

/** A method that `ClientRequests` does not list. Texts whose value is not known at compile time are allowed. */
type Unlisted<Method extends string> = Method & (Method extends keyof ClientRequests ? never : unknown);

/** Allows a call without parameters if the method does not require any. */
type RequestArguments<Params> = undefined extends Params
  ? [params?: Params, options?: RequestOptions]
  : [params: Params, options?: RequestOptions];

/** A connected server, of any revision. */
export class Client implements Caller {
  readonly cache: ResultCache;
  /** @internal */
  readonly questions: Questions;
  readonly #setup: ClientSetup;
  readonly #tools: ListedTools;
  readonly #notifications: Notifications;
  readonly #vendor: VendorHandlers;
  readonly #connections: Connections;
  readonly #requests: Requests;

  constructor(setup: ClientSetup) {
    const { profile, limits, onWarning, legacy } = setup;
    this.#setup = setup;
    const vendor = (this.#vendor = new VendorHandlers(onWarning));
    const questions = (this.questions = new Questions({ ...setup, vendor, hooked: profile }));
    const cache = (this.cache = new ResultCache(profile.clock, limits));
    const notifications = (this.#notifications = new Notifications(cache, questions));
    const tools = (this.#tools = new ListedTools(onWarning));
    notifications.add("notifications/tools/list_changed", () => tools.forgetLeftOut());
    const connections = (this.#connections = new Connections({
      ...setup,
      handshake: legacy?.handshake,
      questions,
      notifications,
      onReplaced: () => {
        cache.clear();
        tools.forget();
      },
    }));
    this.#requests = new Requests({
      connections,
      cache,
      tools,
      resend: setup.resend ?? "safe",
      notifications,
      questions,
      profile,
      relist: (tool, options) => this.#relist(tool, options),
    });
  }

  /** The id of the negotiated protocol revision. */
  get revision(): string {
    return this.#negotiated.view.id;
  }

  /** The era of that revision: `legacy` has a session with the server, in `modern` each request states its client. */
  get era(): Era {
    return this.#negotiated.view.era;
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
  get view(): Negotiated["view"] {
    return this.#negotiated.view;
  }

  /** @internal */
  get clock(): Clock {
    return this.#setup.profile.clock;
  }

  /** @internal */
  get endpoint(): string {
    return this.#setup.profile.endpoint ?? this.serverInfo?.name ?? "";
  }

  get state(): ClientState {
    return this.#connections.state;
  }

  /**
   * Resolves when the client is closed: with `undefined` after `close()`, else with the error that ended the
   * connection. A client that can connect again is closed only by `close()`.
   */
  get closed(): Promise<McpError | undefined> {
    return this.#connections.ended;
  }

  /** @internal */
  async start(signal: Signal | undefined, prepare?: (client: Client) => unknown): Promise<this> {
    const connections = this.#connections;
    const { onClose } = this.#setup;
    try {
      if (prepare) await prepare(this);
      await connections.open(signal);
    } catch (error) {
      // Nothing else holds the client, unless `prepare` passed it on.
      void connections.close().catch(() => undefined);
      throw error;
    }
    if (onClose)
      void connections.ended.then((why) => this.#notifications.attempt("onClose", () => onClose(why)));
    return this;
  }

  /** Whether no request waits for an answer. */
  get idle(): boolean {
    return this.#connections.waiting === 0;
  }

  /**
   * Sends a request. Resolves with its result in the authoring vocabulary, from the cache while the cached result is
   * fresh. With the option `result`, a schema, it also sends methods that the revision does not have, and resolves with
   * the output of the schema. With `task` in the parameters, the result may be `{ task }` as it came (2025-11-25, tasks); to
   * abort such a request does nothing, for `tasks/cancel` cancels its task.
   *
   * @throws {McpError} `method-not-found`: the revision has no such method, and there is no `result`;
   *   `invalid-definition`: `result` is not a schema; `invalid-result`
   */
  request<Method extends keyof ClientRequests>(
    method: Method,
    ...given: RequestArguments<ClientRequests[Method]["params"]>
  ): Promise<ClientResults[Method]>;
  request<const Schema extends MessageSchema>(
    method: string,
    params: object | undefined,
    options: VendorRequestOptions<Schema>,
  ): Promise<GivenBy<Schema>>;
  /**
   * Sends a request of a method that the types do not list, such as one of an extension; with a result type, of any method.
   *
   * @throws {McpError}
   */
  request<Result, Method extends string = string>(
    method: Unlisted<Method>,
    params?: object,
    options?: RequestOptions,
  ): Promise<Result>;
  request(
    method: string,
    params?: object,
    options?: RequestOptions & Partial<VendorRequestOptions>,
  ): Promise<unknown> {
    return this.#request(method, params, options);
  }

  /** @param place the place of the request in a batch */
  async #request(
    method: string,
    params: object = {},
    options: RequestOptions & Partial<VendorRequestOptions> = {},
    place?: BatchPlace,
  ): Promise<unknown> {
    const schema = options.result;
    // Checked first, so that an invalid schema prevents sending.
    const parse = schema === undefined ? undefined : await checkBy(schema, `${method}: result`);
    const { result, rejected } = await this.#requests.exchange(
      method,
      params as Params,
      options,
      place && { place },
    );
    const tools = method === "tools/list" ? result["tools"] : undefined;
    const usable = Array.isArray(tools) ? this.#usable(method, tools, rejected) : { items: tools, rejected };
    leftOut(method, usable.rejected, this.#setup.onWarning);
    const given = usable.items === tools ? result : { ...result, tools: usable.items };
    return parse ? parsed(parse, given, (problem) => invalidResult(method, problem)) : given;
  }

  /**
   * Sends requests and notifications as one JSON-RPC batch (2025-03-26, basic, batching). Resolves when each request
   * has its result or its error; the outcome of a sent notification is `undefined`. Retries are sent outside of a
   * batch.
   *
   * @throws {McpError} `not-expressible`: the revision or the transport has no batches; `invalid-request`: `initialize` is
   *   one of the requests
   */
  async batch<const Messages extends readonly (BatchRequest | BatchNotification)[]>(
    messages: Messages,
  ): Promise<BatchResults<Messages>> {
    const started = this.#setup.profile.clock.now();
    const connection = await this.#requests.connected({ method: "batch", options: {}, started });
    const { id, table } = connection.negotiated.view;
    const { legacy } = this.#setup;
    if (!table.batches || !legacy)
      throw new McpError("not-expressible", `revision ${id} has no batches; send the requests one by one`);
    const places = legacy.placesOf(messages, connection);
    const outcomes = messages.map((message, index) => this.#inBatch(message, connection, places[index]!));
    return Promise.allSettled(outcomes) as Promise<never>;
  }

  async #inBatch(
    message: BatchRequest | BatchNotification,
    connection: Connection,
    place: BatchPlace,
  ): Promise<unknown> {
    const { method, params } = message;
    try {
      // A notification keeps its place, because the batch may still wait for other messages.
      if (message.notification) return this.#notify(connection, method, params, place);
      const result = await this.#request(method, params, message.options, place);
      // The cache may have answered the request, so that it is not sent.
      place.leave();
      return result;
    } catch (error) {
      place.leave();
      throw error;
    }
  }

  /**
   * Sends a notification. A method that no revision of the client has is sent unchanged.
   *
   * @throws {McpError} `method-not-found`: another revision has it; `missing-capability`
   */
  async notify(method: string, params?: object): Promise<void> {
    this.#notify(await this.#connections.open(), method, params);
  }

  /** @throws {McpError} as `notify` */
  #notify(connection: Connection, method: string, params?: object, place?: BatchPlace): void {
    const { view, capabilities } = connection.negotiated;
    const entry = view.table.outgoingNotifications.get(method);
    if (entry) requireCapability(method, entry, declarations(view, capabilities, this.#setup.profile));
    else if (this.#setup.known.some(({ table }) => table.outgoingNotifications.has(method)))
      throw noSuchMethod(method, view);
    connection.notify(method, params as Params | undefined, { place });
  }

  /**
   * Answers requests of the server whose method no revision defines, or with `*` all of them without a handler. Up to
   * 2025-11-25 they are requests; at 2026-07-28 they are input requests of a result. Types follow from the schemas; a
   * JSON Schema gives types only if it is written in the call. The option `prepare` of `connect` registers handlers
   * before the server can send its first request.
   *
   * @returns a function that removes the handler
   * @throws {McpError} `invalid-definition`: the method already has a handler, or an option of `connect` answers it
   */
  handle<const Given extends MessageSchema = never, const Taken extends MessageSchema = never>(
    method: string,
    schemas: MethodSchemas<Given, Taken>,
    handler: VendorHandlerOf<NoInfer<Given>, NoInfer<Taken>>,
  ): () => void;
  handle(method: string, handler: VendorHandler): () => void;
  handle(
    method: string,
    given: MethodSchemas | VendorHandler,
    handler?: VendorHandler<never, unknown>,
  ): () => void {
    if (answererOf(method))
      throw new McpError(
        "invalid-definition",
        `${method} is a method of the protocol. ${method === "ping" ? "The client answers it." : "Give connect the function that answers it."}`,
      );
    const [schemas, own] =
      typeof given === "function" ? [{}, given] : [given ?? {}, handler as VendorHandler];
    return this.#vendor.add(method, schemas, own);
  }

  /**
   * Listens to the notifications of a method, or with `*` to all that the revision or no revision defines. With a schema `params`, the listener gets the
   * output of the schema; a notification that the schema refuses causes a warning.
   *
   * @returns a function that removes the listener
   */
  on(method: string, listener: NotificationListener): () => void;
  on<const Schema extends MessageSchema>(
    method: string,
    schemas: { readonly params: Schema },
    listener: NotificationListener<GivenBy<NoInfer<Schema>>>,
  ): () => void;
  on(
    method: string,
    given: NotificationListener | { readonly params: MessageSchema },
    listener?: NotificationListener<never>,
  ): () => void {
    checkListener(method, typeof given === "function" ? given : listener);
    if (typeof given === "function") return this.#notifications.add(method, given);
    const parsed = parsing(method, given.params, listener as NotificationListener, this.#setup.onWarning);
    return this.#notifications.add(method, parsed);
  }

  /**
   * Adds middleware around each later request in both directions, inside the middleware added before. It wraps the
   * cache and all attempts, so it runs once for each call. Returns a function that removes it.
   */
  use<Other extends string = OtherMethod>(middleware: ClientMiddleware<Other>): () => void {
    requireFunction("use", middleware);
    return this.#setup.profile.hooks.use(middleware as never);
  }

  /** Calls `listener` with each event. Returns a function that removes it. */
  onEvent(listener: (event: ClientEvent) => void): () => void {
    requireFunction("onEvent", listener);
    return this.#setup.profile.hooks.onEvent(listener);
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
   * Fetches one entry of a list by the revision's request for single entries, even if the list does not contain the
   * entry.
   *
   * @param method the method of the list, such as `tools/list`
   * @param name the name or URI of the entry
   * @returns `undefined` if the server has no such entry
   * @throws {McpError} `method-not-found`: the revision has no request for an entry of this list
   */
  async entry<Item = unknown>(
    method: string,
    name: string,
    options: RequestOptions = {},
  ): Promise<Item | undefined> {
    const started = this.#setup.profile.clock.now();
    const { negotiated } = await this.#requests.connected({ method, options, started });
    const { view } = negotiated;
    const page = view.table.outgoingRequests.get(method)?.page;
    const get = page?.partial?.get;
    if (!page || !get) throw noSuchMethod(`request for one entry of ${method}`, view);
    const part = { list: method, page, entry: { ...get, name } };
    try {
      const { result, rejected } = await this.#requests.exchange(
        get.method,
        { [get.param]: get.many ? [name] : name },
        options,
        { started, part },
      );
      const usable = this.#usable<Item>(method, this.#listIn(result, method), rejected);
      const [wrong] = usable.rejected;
      if (wrong) throw invalidResult(get.method, `${wrong.pointer}: ${wrong.reason}`);
      return usable.items[0];
    } catch (error) {
      if (isMissing(error, view)) return undefined;
      throw error;
    }
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
  ): Promise<ToolResult<Structured> | OtherResult<"tools/call", "CallToolResult">> {
    const { result } = await this.#requests.exchange("tools/call", { name, arguments: args }, options ?? {});
    const isPlain = (result["resultType"] ?? "complete") === "complete";
    const checked = isPlain && this.#tools.check(name, result as ToolResult);
    if (checked) await checked;
    return result as ToolResult<Structured>;
  }

  readResource(uri: string, options?: RequestOptions): Promise<ClientResults["resources/read"]> {
    return this.request("resources/read", { uri }, options);
  }

  getPrompt(
    name: string,
    args: { readonly [name: string]: string } = {},
    options?: RequestOptions,
  ): Promise<ClientResults["prompts/get"]> {
    return this.request("prompts/get", { name, arguments: args }, options);
  }

  complete(
    params: CompleteRequestParams,
    options?: RequestOptions,
  ): Promise<ClientResults["completion/complete"]> {
    return this.request("completion/complete", params, options);
  }

  /** Checks that the server answers: with `ping`, or with `server/discover` if the revision has no `ping`. */
  async ping(options: RequestOptions = {}): Promise<void> {
    const started = this.#setup.profile.clock.now();
    const { negotiated } = await this.#requests.connected({ method: "ping", options, started });
    const method = negotiated.view.table.outgoingRequests.has("ping") ? "ping" : "server/discover";
    await this.#requests.exchange(method, {}, options, { started });
  }

  /** Sets the least severity of log messages: by one request in the legacy era, in the `_meta` of each request in the modern era. */
  async setLogLevel(level: LogLevel): Promise<void> {
    const { negotiated } = await this.#connections.open();
    if (eraOf(negotiated.view).logLevelRequest) await this.request("logging/setLevel", { level });
    this.#connections.logLevel = level;
  }

  /**
   * Subscribes to changes, in both eras. The iteration fails with `limit-exceeded` when more than 1,000
   * notices wait.
   *
   * @typeParam Added members of the filter that extensions add (2026-07-28), such as `{ taskIds: string[] }`
   * @throws {McpError}
   */
  subscribe<Added extends object = object>(
    wanted: SubscriptionRequest & NoInfer<Added>,
  ): Promise<Subscription> {
    const { profile, limits, known, legacy } = this.#setup;
    const given = {
      client: this,
      connections: this.#connections,
      profile,
      known,
      maxNotices: limits.maxNotices,
      withMeta: (params: Params, view: RevisionView<"client">) => this.#requests.withMeta(params, view),
      attachLegacy: legacy?.attach,
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

  /**
   * Reads the list again, unless the list is known to lack the tool. A tool that an incomplete list lacks is fetched by
   * its own request.
   */
  async #relist(tool: string, options: RequestOptions): Promise<void> {
    const method = "tools/list";
    const { table } = this.#negotiated.view;
    const partial = table.outgoingRequests.get(method)?.page?.partial;
    if (!partial || !this.#tools.isLeftOut(tool)) {
      const { items, complete, references } = await this.listTools(options);
      if ((complete && references.length === 0) || items.some(({ name }) => name === tool)) return;
      this.#tools.setLeftOut(tool);
    }
    if (partial?.get) await this.entry(method, tool, options);
  }

  #collected<Item>(method: string, options: ListBounds = {}): Promise<ListResult<Item>> {
    const started = this.#setup.profile.clock.now();
    return collect(this.#pagesOf<Item>(method, options, started));
  }

  #listIn(result: Params, method: string): readonly unknown[] {
    return listIn(result, method, [this.#negotiated.view, ...this.#setup.known]);
  }

  /** @param started the start of the total timeout for all pages; without it, each page has its own timeout */
  #pagesOf<Item>(
    method: string,
    options: ListBounds,
    started?: number,
  ): AsyncGenerator<ListResult<Item>, void, undefined> {
    return pages<Item>(method, options, this.#setup.onWarning, async (params) => {
      const { result, rejected, listed } = await this.#requests.exchange(method, params, options, {
        part: "page",
        ...(started !== undefined && { started }),
      });
      const { nextCursor } = result;
      const { items, rejected: all } = this.#usable<Item>(method, this.#listIn(result, method), rejected);
      return { complete: true, references: [], ...listed, nextCursor, items, rejected: all };
    });
  }

  /** The usable items of a list. Keeps the schemas, hints and headers of tools; over HTTP, rejects tools with invalid header declarations. */
  #usable<Item>(
    method: string,
    items: readonly unknown[],
    rejected: readonly Rejected[],
  ): { readonly items: readonly Item[]; readonly rejected: readonly Rejected[] } {
    if (method !== "tools/list") return { items: items as readonly Item[], rejected };
    const { standing } = this.#connections;
    const hasHeaders =
      standing?.channel.carriesHeaders === true && eraOf(standing.negotiated.view).paramHeaders;
    const learned = this.#tools.learn(items as readonly Open<"Tool">[], hasHeaders);
    const isWhole = learned.rejected.length === 0;
    const usable = (isWhole ? items : learned.tools) as readonly Item[];
    return { items: usable, rejected: isWhole ? rejected : [...rejected, ...learned.rejected] };
  }
}
