import type {
  CallToolResult,
  CompleteRequestParams,
  CompleteResult,
  GetPromptResult,
  Implementation,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  ServerCapabilities,
  Tool,
} from "@mcpgen/protocol/authoring";
import type {
  Caller,
  Era,
  IncomingNotification,
  OutgoingRequest,
  RequestOptions,
} from "@mcpgen/protocol/model";
import type { LogLevel } from "../era/meta.js";
import type { Spoken } from "../era/spoken.js";
import { McpError, messageOf } from "../peer/errors.js";
import type { Params, RequestMessage } from "../peer/message.js";
import { type Agreement, type Introduction, declaredBy, requestMeta } from "./agreement.js";
import { answerServer } from "./answers.js";
import { withinBounds } from "./bounds.js";
import { ResultCache } from "./cache.js";
import { type Decoded, type Rejected, decode, isAccepted, withoutNulls } from "./decode.js";
import type { AnswerContext, ClientHandlers } from "./handlers.js";
import { type Link, type Sending, remoteError } from "./link.js";
import { mirrorHeaders } from "./mirror-headers.js";
import { ToolHeaders } from "./tool-headers.js";
import { Listeners, type NotificationListener } from "./listeners.js";
import { type ListBounds, type ListResult, collect, pages } from "./lists.js";
import { noSuchMethod, requireCapability } from "./permitted.js";
import { OutputChecks } from "./output-checks.js";
import { isComplete, throughRounds } from "./rounds.js";
import { type Subscription, type SubscriptionRequest, subscribe } from "./subscriptions.js";

/** How a client came by its connection, and comes by another. */
export interface Connection {
  readonly link: Link;
  readonly agreement: Agreement;
}

/** What a tool answers with. */
export interface ToolResult<Structured = unknown> extends CallToolResult {
  structuredContent?: Structured;
}

/** What a client is made with. */
export interface ClientSetup {
  readonly introduction: Introduction;
  readonly handlers: ClientHandlers;
  /** Opens a connection; called again where one broke and the source can give another. */
  readonly connect: (client: Client) => Promise<Connection>;
  readonly reconnects: boolean;
  readonly onWarning: (message: string) => void;
}

/** One server, whatever revision it speaks. */
export class Client implements Caller {
  readonly cache: ResultCache;
  private readonly setup: ClientSetup;
  private readonly outputs: OutputChecks;
  private readonly headers = new ToolHeaders();
  private readonly listeners: Listeners;
  private connection: Connection | undefined;
  private connecting: Promise<Connection> | undefined;
  /** The link that was opened last, whether or not a revision was agreed on. */
  private opening: Link | undefined;
  private stopped = false;
  private saying: { spoken: Spoken; logLevel: LogLevel | undefined; meta: Params } | undefined;

  constructor(setup: ClientSetup) {
    this.setup = setup;
    this.cache = new ResultCache(setup.introduction.clock);
    this.outputs = new OutputChecks(setup.onWarning);
    this.listeners = new Listeners(setup.onWarning);
  }

  /** Id of the protocol revision that is spoken. */
  get revision(): string {
    return this.agreed.spoken.id;
  }

  /** @internal What is known of the server's era from an earlier connection. */
  get knownEra(): Era | undefined {
    return this.connection?.agreement.spoken.era;
  }

  /** What the server says of itself: for display, not for decisions. */
  get serverInfo(): Implementation | undefined {
    return this.agreed.serverInfo;
  }

  get serverCapabilities(): ServerCapabilities {
    return this.agreed.capabilities;
  }

  /** The server's advice on using it, for the model. */
  get instructions(): string | undefined {
    return this.agreed.instructions;
  }

  private get agreed(): Agreement {
    if (!this.connection) throw new McpError("connection-closed", "the client is not connected");
    return this.connection.agreement;
  }

  /** @internal */
  async start(): Promise<this> {
    await this.open();
    return this;
  }

  /** Whether there is nothing left to be answered. */
  get idle(): boolean {
    return (this.connection?.link.waiting ?? 0) === 0;
  }

  /**
   * Sends a request; resolves with its result in the authoring vocabulary. A result that its server said is
   * fresh comes from the cache.
   *
   * @throws {McpError}
   */
  async request<Result>(method: string, params?: object, options: RequestOptions = {}): Promise<Result> {
    return (await this.exchange(method, (params ?? {}) as Params, options)).result as Result;
  }

  /** Sends a notification, if the revision has it. */
  async notify(method: string, params?: object): Promise<void> {
    const { link, agreement } = await this.open();
    const { spoken } = agreement;
    const entry = spoken.table.outgoingNotifications.get(method);
    if (!entry) throw noSuchMethod(method, spoken);
    requireCapability(method, entry, "client", declaredBy(spoken, this.setup.introduction) as Params);
    const lowered = params && spoken.lower("outgoingNotifications", method, params as Params);
    link.notify(method, lowered, (_, sent) => mirrorHeaders(spoken, method, sent));
  }

  /** Hears notifications of a method, or all of them under `*`. Returns what ends it. */
  on(method: string, listener: NotificationListener): () => void {
    return this.listeners.add(method, listener);
  }

  /** All tools, page by page; see `collect` for what bounds there are. */
  listTools(options?: ListBounds): Promise<ListResult<Tool>> {
    return this.collected<Tool>("tools/list", options);
  }

  listResources(options?: ListBounds): Promise<ListResult<Resource>> {
    return this.collected<Resource>("resources/list", options);
  }

  listResourceTemplates(options?: ListBounds): Promise<ListResult<ResourceTemplate>> {
    return this.collected<ResourceTemplate>("resources/templates/list", options);
  }

  listPrompts(options?: ListBounds): Promise<ListResult<Prompt>> {
    return this.collected<Prompt>("prompts/list", options);
  }

  /** The items of any list the tables know, one by one as its pages come. */
  async *items<Item>(method: string, options: ListBounds = {}): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pagesOf<Item>(method, options)) yield* page.items;
  }

  /**
   * Runs a tool. Structured content is checked against the tool's `outputSchema` once the tool was listed.
   *
   * @typeParam Structured what the structured content is; the server's promise, which the check is of
   * @throws {McpError} `invalid-result` if the structured content is not what the tool promises
   */
  async callTool<Structured = unknown>(
    name: string,
    args: object = {},
    options?: RequestOptions,
  ): Promise<ToolResult<Structured>> {
    const result = await this.request<ToolResult<Structured>>(
      "tools/call",
      { name, arguments: args },
      options,
    );
    await this.outputs.check(name, result);
    return result;
  }

  readResource(uri: string, options?: RequestOptions): Promise<ReadResourceResult> {
    return this.request("resources/read", { uri }, options);
  }

  getPrompt(
    name: string,
    args: { readonly [name: string]: string } = {},
    options?: RequestOptions,
  ): Promise<GetPromptResult> {
    return this.request("prompts/get", { name, arguments: args }, options);
  }

  complete(params: CompleteRequestParams, options?: RequestOptions): Promise<CompleteResult> {
    return this.request("completion/complete", params, options);
  }

  /** Asks whether the server is there (legacy era; where there is no ping, a discovery serves). */
  async ping(options?: RequestOptions): Promise<void> {
    const { agreement } = await this.open();
    const method = agreement.spoken.table.outgoingRequests.has("ping") ? "ping" : "server/discover";
    await this.request(method, {}, options);
  }

  /** Sets the least severe level the server logs at: with a request in the legacy era, with each request in the modern one. */
  async setLogLevel(level: LogLevel): Promise<void> {
    const { agreement } = await this.open();
    if (agreement.spoken.era === "legacy") await this.request("logging/setLevel", { level });
    this.logLevel = level;
  }

  private logLevel: LogLevel | undefined;

  /** Hears of changes until it is closed: one iterator for both eras. */
  async subscribe(wanted: SubscriptionRequest): Promise<Subscription> {
    const { link, agreement } = await this.open();
    return subscribe(this, link, agreement, (params) => this.decorated(params, agreement.spoken), wanted);
  }

  /**
   * Tells the server that the roots are others now (legacy era).
   *
   * @throws {McpError} `missing-capability` if the client has none
   */
  async rootsChanged(): Promise<void> {
    const { agreement } = await this.open();
    if (agreement.spoken.table.outgoingNotifications.has("notifications/roots/list_changed"))
      await this.notify("notifications/roots/list_changed");
  }

  /** Ends the connection, and the server's process if it was started for this client. */
  async close(): Promise<void> {
    this.stopped = true;
    const links = new Set([this.connection?.link, this.opening]);
    await Promise.all([...links].map((link) => link?.close()));
    // What was on its way to another connection closes what it opens.
    await this.connecting?.catch(() => undefined);
  }

  /** @internal Whether it was closed. */
  get closed(): boolean {
    return this.stopped;
  }

  /** @internal Told of each link before anything is sent through it. */
  opens(link: Link): void {
    this.opening = link;
    if (this.stopped) link.closed(closedByUs());
  }

  private collected<Item>(method: string, options: ListBounds = {}): Promise<ListResult<Item>> {
    return collect(this.pagesOf<Item>(method, options), method, options, this.setup.onWarning);
  }

  private pagesOf<Item>(
    method: string,
    options: ListBounds,
  ): AsyncGenerator<ListResult<Item>, void, undefined> {
    return pages<Item>(method, options, async (params) => {
      const { result, rejected } = await this.exchange(method, params, options);
      const member =
        (await this.open()).agreement.spoken.table.outgoingRequests.get(method)?.page?.member ?? "";
      const { nextCursor } = result;
      if (method !== "tools/list")
        return { items: (result[member] ?? []) as readonly Item[], rejected, nextCursor };
      const usable = this.learn((result[member] ?? []) as readonly Tool[]);
      return {
        items: usable.tools as readonly Item[],
        rejected: [...rejected, ...usable.rejected],
        nextCursor,
      };
    });
  }

  private async exchange(method: string, params: Params, options: RequestOptions): Promise<Decoded> {
    for (let last = false; ; last = true) {
      try {
        // No promise for a connection that stands.
        return await this.attempt(this.standing ?? (await this.open()), method, params, options);
      } catch (error) {
        if (last || !(await this.canRetry(method, error))) throw error;
      }
    }
  }

  /** Whether a request that failed is worth sending once more: its session is lost, or its headers were out of date. */
  private async canRetry(method: string, error: unknown): Promise<boolean> {
    if (!(error instanceof McpError)) return false;
    if (error.code === "session-lost") return this.setup.reconnects && !this.stopped;
    const mismatch = this.connection?.agreement.spoken.table.errors["HEADER_MISMATCH"]?.code;
    if (method !== "tools/call" || mismatch === undefined || error.rpcCode !== mismatch) return false;
    this.cache.clear();
    await this.listTools();
    return true;
  }

  private async attempt(
    { link, agreement }: Connection,
    method: string,
    params: Params,
    options: RequestOptions,
  ): Promise<Decoded> {
    const { spoken, capabilities } = agreement;
    const entry = spoken.table.outgoingRequests.get(method);
    if (!entry || entry.payload) throw noSuchMethod(method, spoken);
    requireCapability(method, entry, "server", capabilities as Params);
    const known = entry.cacheable && this.cache.get(method, params);
    if (known) return { result: known, rejected: [] };
    const { age } = this.cache;
    const started = link.clock.now();
    const send = this.sender(link, spoken, method, spoken.lower("outgoingRequests", method, params), options);
    let result: unknown = await send(nothing);
    let rounds = 0;
    if (spoken.era === "modern" && !isComplete(result))
      ({ result, rounds } = await withinBounds(link, method, options, started, (signal) =>
        this.furtherRounds(spoken, method, entry, signal, send, result),
      ));
    const decoded = isAccepted(entry, result)
      ? { result, rejected: [] }
      : await decode(spoken, method, entry, result, this.setup.introduction.nulls);
    const lifted = spoken.lift("incomingResults", method, decoded.result);
    if (entry.cacheable && rounds === 0 && decoded.rejected.length === 0)
      this.cache.put(method, params, lifted, age);
    return { result: lifted, rejected: decoded.rejected };
  }

  /** Sends the request, with what is added to its parameters. */
  private sender(
    link: Link,
    spoken: Spoken<"client">,
    method: string,
    params: Params,
    options: RequestOptions,
  ): Send {
    const declared = method === "tools/call" ? this.headers.of(params["name"] as string) : undefined;
    const sending: Sending = link.mirrors
      ? { headers: (_, sent) => mirrorHeaders(spoken, method, sent, declared) }
      : plainly;
    const heard = this.listeners.guard(options);
    return async (added, signal) => {
      const whole = added === nothing ? params : { ...params, ...added };
      const make = (id: number): Params => this.marked(whole, spoken, id);
      const response = await link.request(method, make, signal ? { ...heard, signal } : heard, sending);
      if (response.error) throw remoteError(method, response);
      return response.result;
    };
  }

  private furtherRounds(
    spoken: Spoken<"client">,
    method: string,
    entry: OutgoingRequest,
    signal: AbortSignal,
    send: Send,
    first: unknown,
  ): Promise<{ result: Params; rounds: number }> {
    const { handlers, introduction } = this.setup;
    return throughRounds(spoken, method, entry, handlers, { signal }, introduction.nulls, send, first);
  }

  /**
   * Adds what is said with each request. A token is sent whether anybody listens or not: progress also says
   * that the server is alive.
   */
  private marked(params: Params, spoken: Spoken<"client">, progressToken: number): Params {
    if (spoken.era === "legacy") return { ...params, _meta: { ...params._meta, progressToken } };
    return { ...params, _meta: { ...params._meta, ...this.said(spoken), progressToken } };
  }

  /** Adds what the era wants to be said with each request. */
  private decorated(params: Params, spoken: Spoken<"client">): Params {
    return spoken.era === "legacy" ? params : { ...params, _meta: { ...params._meta, ...this.said(spoken) } };
  }

  /** The same for all requests, until another revision is spoken or another log level wanted. */
  private said(spoken: Spoken<"client">): Params {
    const { logLevel } = this;
    if (this.saying?.spoken !== spoken || this.saying.logLevel !== logLevel)
      this.saying = { spoken, logLevel, meta: requestMeta(spoken, this.setup.introduction, logLevel) };
    return this.saying.meta;
  }

  /** The connection, if it stands. */
  private get standing(): Connection | undefined {
    const { connection } = this;
    return connection && !connection.link.over ? connection : undefined;
  }

  private open(): Promise<Connection> {
    const { connection } = this;
    if (connection && (!connection.link.over || !this.setup.reconnects || this.stopped)) {
      const { over } = connection.link;
      return over ? Promise.reject(over) : Promise.resolve(connection);
    }
    return (this.connecting ??= this.reconnect().finally(() => (this.connecting = undefined)));
  }

  private async reconnect(): Promise<Connection> {
    const made = await this.setup.connect(this);
    if (this.stopped) {
      await made.link.close();
      throw closedByUs();
    }
    // Another process may answer otherwise.
    if (this.connection) this.cache.clear();
    await this.wantLogs(made);
    return (this.connection = made);
  }

  /** Tells a server of the legacy era, once for a connection, which log messages are wanted. */
  private async wantLogs({ link, agreement: { spoken, capabilities } }: Connection): Promise<void> {
    const { introduction, onWarning } = this.setup;
    const level = this.logLevel ?? introduction.logLevel;
    if (level === undefined || spoken.era !== "legacy" || !capabilities.logging) return;
    const method = "logging/setLevel";
    const headers: Sending["headers"] = (_, sent) => mirrorHeaders(spoken, method, sent);
    try {
      const limits = { timeout: introduction.connectTimeout };
      const response = await link.request(method, () => ({ level }), limits, { headers });
      if (response.error) throw remoteError(method, response);
    } catch (error) {
      onWarning(`the log level could not be set: ${messageOf(error)}`);
    }
  }

  /** Keeps what tools promise and declare; over HTTP, tools whose declarations are wrong are left out. */
  private learn(tools: readonly Tool[]): { tools: readonly Tool[]; rejected: readonly Rejected[] } {
    this.outputs.learn(tools);
    if (!this.connection?.link.mirrors || this.connection.agreement.spoken.era === "legacy")
      return { tools, rejected: [] };
    return this.headers.learn(tools);
  }

  /** @internal What a connection tells of that answers no request. */
  answer(spoken: Spoken<"client">, request: RequestMessage, context: AnswerContext): Promise<Params> {
    const { handlers, introduction } = this.setup;
    return answerServer(handlers, spoken, request, context, introduction.nulls);
  }

  /** @internal */
  notified(spoken: Spoken<"client">, method: string, params: Params): void {
    const entry = spoken.table.incomingNotifications.get(method);
    const message = { jsonrpc: "2.0", method, params };
    if (!entry || entry.accepts(message)) return this.heard(spoken, entry, message);
    if (this.setup.introduction.nulls === "reject") return;
    // What is malformed harms nobody.
    void withoutNulls(spoken, entry, message).then(
      (mended) => entry.accepts(mended) && this.heard(spoken, entry, mended),
      () => undefined,
    );
  }

  private heard(
    spoken: Spoken<"client">,
    entry: IncomingNotification | undefined,
    { method, params }: { readonly method: string; readonly params: Params },
  ): void {
    this.cache.heard(method, params);
    const lifted = entry ? spoken.lift("incomingNotifications", method, params) : params;
    this.listeners.tell(method, lifted);
  }
}

const plainly: Sending = {};

const nothing: Params = {};

/** Sends a request, once more with each call; a signal takes the place of the one in its options. */
type Send = (added: Params, signal?: AbortSignal) => Promise<unknown>;

function closedByUs(): McpError {
  return new McpError("connection-closed", "the client is closed");
}
