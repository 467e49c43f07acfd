import type {
  ClientRequests,
  Implementation,
  ServerCapabilities,
  ServerNotifications,
} from "@mcpgen/protocol/authoring";
import type { Extended, UsedExtension } from "@mcpgen/protocol/model";
import {
  type ErrorTable,
  type ValidateSend,
  type RevisionView,
  type ServerRevisions,
  declares,
  selectRevisions,
  linkRevisions,
} from "../protocol/revision-view.js";
import { metaKeys } from "../protocol/meta.js";
import {
  type Channel,
  type Clock,
  invalid,
  isProduction,
  McpError,
  type Params,
  Parking,
  type ParkingOption,
  systemClock,
  type Timeouts,
} from "@mcpgen/base";
import { type ServerEvent, withPrinting } from "../protocol/events.js";
import { Hooks, type Middleware, type OtherMethod } from "../protocol/hooks.js";
import type { MethodSchemas, ParamsOf, SchemaHandler, SchemaReader } from "../schema/schema-check.js";
import type { MessageSchema } from "../schema/schema-type.js";
import {
  type Change,
  Changes,
  type NotificationBus,
  resourceUpdated,
  type LegacyEra,
  type Direction,
  type MethodHandler,
  type ServerCounts,
  type ServerDefinition,
  type CacheHints,
  type ErrorPlace,
  placeOf,
  SerialisedResult,
  uncached,
} from "./server-definition.js";
import { plainChannel, ServerConnection, type ConnectionOptions } from "./connection.js";
import type {
  HandlerContext,
  InputRequired,
  NotificationContext,
  NotificationHandler,
  ServerSession,
} from "./context.js";
import { Features, type ListOptions, type OtherFeatures, listen } from "./features.js";
import type { ToolDescriber } from "./listing.js";
import { type ServerMiddleware, withMiddleware } from "./middleware.js";
import { memoryStateStore, type StateStore, stateSeal } from "./rounds.js";

/** How a server behaves, apart from its tools, resources and prompts. */
export interface ServerOptions {
  /** The revisions it knows: `serverRevisions` of the generated package, or an object that says which of them it speaks, too. */
  readonly revisions: ServerRevisions | ServerRevisions["known"];
  /** Extensions of the protocol, each with its handlers: `extension.implement({ method: handler }, { settings })`. */
  readonly extensions?: readonly UsedExtension<"server", HandlerContext>[];
  /** Advice on using the server, for the client's model. */
  readonly instructions?: string;
  /** Capabilities that do not follow from tools, resources and prompts: `logging`, `experimental`, `extensions`. */
  readonly capabilities?: ServerCapabilities;
  /** The pages of lists, and how long lists stay fresh. */
  readonly lists?: ListsOptions;
  /** The state of multi round-trip requests, which clients carry from round to round. */
  readonly state?: StateOptions;
  /** Carries changes to the clients. Several processes that serve the same clients need a bus that spans them. */
  readonly changes?: NotificationBus;
  /** How strictly messages and arguments of tools are validated. */
  readonly validation?: ValidationOptions;
  /**
   * The response to a tool call with wrong arguments: a JSON-RPC error, or a result from which the model can correct
   * them. Default: as the revision requires, an error up to 2025-06-18, then a result.
   */
  readonly wrongArguments?: "error" | "result";
  /** What errors tell clients. */
  readonly errors?: ErrorOptions;
  /** Timeouts of requests from the server to the client, in milliseconds; options of a request take precedence. */
  readonly timeouts?: Partial<Timeouts>;
  readonly clock?: Clock;
  /**
   * Receives events, as a listener of `server.onEvent`. Warnings (`warning`) and errors of handlers (`handler-error`) are
   * also written to standard error, except those for which it returns `true`. What it throws is ignored.
   */
  readonly onEvent?: (event: ServerEvent) => unknown;
}

/** The lists of tools, resources and prompts. */
export interface ListsOptions {
  /** Items on a page. Default: all. */
  readonly pageSize?: number;
  /** How long and for whom lists may be cached (2026-07-28). Default: not at all. */
  readonly cache?: CacheHints;
}

/** The state of multi round-trip requests. */
export interface StateOptions {
  /**
   * Secrets that encrypt the state: the current secret first, then earlier ones that may still be in use. Processes that
   * serve the same clients need the same secrets. Default: a random secret per process.
   */
  readonly keys?: readonly string[];
  /**
   * Records used states, so that no client runs a round twice: `memoryStateStore()` if one process serves a client's
   * requests, otherwise a store that all processes share. Default: a store in memory without `keys`, else none.
   */
  readonly store?: StateStore;
  /**
   * Bounds of the calls that wait for answers of their clients (2026-07-28). `false`: no call waits, and only handlers with
   * `replay: true` may ask. `routed`: of several processes with the same `keys`, each client always reaches the same one.
   */
  readonly parking?: ParkingOption;
  /**
   * Bytes of one sealed state. A state holds what a handler that runs again needs, its answers included, or the `requestState` that
   * a handler returned; both grow by a third. A round with more fails with `state-rejected`. The client sends the state back, so
   * that the limits of the transport (`bodyLimit` of HTTP, `limit` of stdio) are to be higher. Default: 2 MiB.
   */
  readonly limit?: number;
}

/** How strictly messages and arguments of tools are validated. */
export interface ValidationOptions {
  /**
   * The meaning of null for an optional member of a message, as some languages write absent members, and for an optional argument of
   * a tool whose schema takes no null, as hosts in the strict mode of OpenAI send it. Default: `absent`, and the event
   * `nulls-ignored` reports it; with `reject`, such a null is an invalid value.
   */
  readonly nulls?: "absent" | "reject";
  /**
   * Whether handlers get the defaults of JSON Schemas for arguments that are absent. Default: `true`. A schema of a library
   * always fills in its own.
   */
  readonly argumentDefaults?: boolean;
  /**
   * Whether results, requests and notifications are checked against the exact definitions of their revision before they
   * are sent. A result that fails is answered with an internal error (`invalid-message`), a request rejects with it, and
   * a notification is left out; the event `handler-error` has the error. Default: `development`, unless `NODE_ENV` is
   * `production`. `always` needs `explained` revisions.
   */
  readonly send?: ValidateSend;
}

/** What errors tell clients. */
export interface ErrorOptions {
  /**
   * Codes, texts and data of errors by name, for clients before 2026-07-28: what `errorTable` returns. Later clients
   * always get the codes of the specification, which forbids others (2026-07-28, basic, error codes).
   */
  readonly table?: ErrorTable;
  /**
   * Whether clients get the text of what handlers throw. The text of an `McpError` is always sent. Default: `message` for
   * tools, but `hide` over HTTP where `NODE_ENV` is `production` or the platform has no `process`; `hide` for all other
   * handlers. Texts of errors may name files, queries and hosts.
   */
  readonly thrown?: "hide" | "message";
}

/** What the handler of a method returns. */
type Answered<Method extends keyof ClientRequests> =
  | ClientRequests[Method]["result"]
  | (Method extends "tools/call" | "prompts/get" | "resources/read" ? InputRequired : never);

/** A handler of the runtime. */
interface BuiltIn {
  readonly method: string;
  readonly handler: MethodHandler;
  /** The capability without which the server has no such method: a path into those it declares. */
  readonly capability: readonly string[] | undefined;
}

/** What a server is made of, beside its options: what it does not need, its bundle leaves out. */
export interface ServerParts {
  /** Tools, resources and prompts may change while clients are connected. */
  readonly changing?: boolean;
  /** Makes the cache of a list of which clients see different entries. */
  readonly views?: ListOptions["views"];
  /** Reads the schemas of vendor methods. */
  readonly schemas?: SchemaReader | undefined;
  /** Resources, prompts and completions. */
  readonly others?: OtherFeatures;
  /** Serves legacy revisions. */
  readonly legacyEra?: LegacyEra | undefined;
}

/** What a server holds, and what it has done, over all transports. */
export interface ServerStats {
  /** Amounts at this moment. */
  readonly gauges: {
    /** Open connections; over HTTP, sessions and running POSTs without one. */
    readonly connections: number;
    /** Those with a session, after a handshake. */
    readonly sessions: number;
    /** Requests whose handlers run; cancelled ones do not count. */
    readonly requests: number;
    /** Calls whose handlers asked their clients at 2026-07-28, and have not ended. */
    readonly parked: number;
  };
  /** Totals since the server was created: they only grow. */
  readonly counters: Readonly<ServerCounts>;
}

/** A server of any number of clients, each in any of its revisions. */
export class Server {
  readonly features: Features;
  /** @internal */
  readonly definition: ServerDefinition;
  /** All that the server knows, those that it does not speak included. */
  readonly #given: readonly RevisionView<"server">[];
  readonly #extended: Extended<"server"> | undefined;
  readonly #changes: NotificationBus;
  readonly #builtIn: readonly BuiltIn[];
  readonly #methods = new Map<string, MethodHandler>();
  readonly #added = new Map<string, MethodHandler>();
  /** @internal */
  readonly connections = new Set<ServerConnection>();
  readonly #extra: ServerCapabilities | undefined;
  #declared: ServerCapabilities | undefined;
  #unsubscribe: (() => void) | undefined;

  /**
   * @throws {McpError} `invalid-definition`
   */
  constructor(
    info: Implementation,
    options: ServerOptions,
    { changing = false, views, schemas, others, legacyEra }: ServerParts,
  ) {
    const { lists = {}, state = {}, validation = {}, errors = {} } = options;
    // A list has no such members: it stands for `known`.
    const {
      known = options.revisions as ServerRevisions["known"],
      speaks,
      vocabulary,
    } = { ...options.revisions } as Partial<ServerRevisions>;
    const hooks = new Hooks<ServerEvent>();
    hooks.onEvent(withPrinting(options.onEvent));
    const warn = (message: string): void => hooks.emit({ type: "warning", message });
    const extended = (this.#extended = options.extensions?.[0]?.extend(
      { ...options, revisions: known },
      McpError,
      this,
    ));
    this.#given = linkRevisions(extended?.revisions ?? known, {
      ...validation,
      vocabulary,
      onLoss: (loss) => hooks.emit({ type: "loss", ...loss }),
      onReceived: others?.judgingContent(warn),
    });
    const revisions = selectRevisions(this.#given, speaks);
    const sharesState = (state.keys ?? []).length > 0;
    this.#changes = options.changes ?? new Changes();
    this.#extra = options.capabilities;
    this.features = new Features({ ...lists, views, changing }, others);
    this.definition = {
      // What is not prepared below is used as it was given.
      ...options,
      ...validation,
      ...errors,
      info,
      revisions,
      modern: revisions.filter(({ era }) => era === "modern"),
      legacy: revisions.filter(({ era }) => era === "legacy"),
      legacyEra,
      handlers: this.#methods,
      notificationHandlers: new Map<string, NotificationHandler>(extended?.listeners),
      defines: (direction, method) => this.#given.some(({ table }) => table[direction].has(method)),
      isRequest: (method) =>
        validation.nulls === "reject" ||
        this.#methods.has(method) ||
        this.definition.defines("incomingRequests", method),
      schemas: () => schemas ?? noSchemas(),
      ask: schemas?.ask ?? ((_name, asked, ask) => ask(asked)),
      capabilities: (revision) => this.#capabilities(revision),
      connections: this.connections,
      followChanges: () => this.#followChanges(),
      seal: stateSeal(state.keys ?? []),
      states: state.store ?? (sharesState ? undefined : memoryStateStore()),
      sharesState,
      stateLimit: state.limit ?? 2 * 1_048_576,
      parking: undefined,
      counts: { connections: 0, results: 0, errors: 0, cancelled: 0, aborted: 0, limits: {} },
      clock: options.clock ?? systemClock,
      hooks,
      replayed: replayReport(warn),
      warn,
    };
    if (state.parking !== false)
      this.definition.parking = new Parking(
        this.definition,
        state.parking,
        ({ connection, method, request }, event) =>
          connection.emit(Object.assign(placeOf(method, request.params), event) as ServerEvent),
      );
    errors.table?.apply(this.definition.legacy);
    this.#builtIn = this.#builtInMethods(lists.cache);
    this.refresh();
  }

  /** Ids of the revisions it serves, newest first. */
  get revisions(): readonly string[] {
    return this.definition.revisions.map(({ id }) => id);
  }

  /** Id of the revision in whose words its handlers read and write. */
  get vocabulary(): string {
    return this.#given[0]!.vocabulary;
  }

  /** Serves the client at the other end of `channel`. */
  connect(channel: Channel, options: ConnectionOptions = {}): ServerConnection {
    const connection = new ServerConnection(this.definition, plainChannel(channel), options);
    connection.announce();
    channel.open(connection);
    return connection;
  }

  /**
   * Sets the handler of a request method: in place of the built-in one, for a vendor method that no revision defines, or
   * (`*`) for all other requests of the revision and of vendors. A request that only other revisions have is never handled. Requests of vendor methods are sent as
   * those of the protocol: in the legacy era after the handshake, in the modern era with the `_meta` of each request.
   *
   * @param schemas mark a vendor method, even if they are empty; a method of the protocol is checked by them, too. The
   *   handler gets what `params` gives. Wrong params are refused with −32602
   * @throws {McpError} `invalid-definition`: no revision has a request that is handled without schemas, or a schema is
   *   wrong
   */
  handle<Method extends keyof ClientRequests>(
    method: Method,
    handler: (
      params: NonNullable<ClientRequests[Method]["params"]>,
      context: HandlerContext,
    ) => Answered<Method> | Promise<Answered<Method>>,
  ): void;
  handle(method: "*", handler: (params: Params, context: HandlerContext) => Params | Promise<Params>): void;
  handle<Method extends string>(
    method: Method extends keyof ClientRequests | "*" ? never : Method,
    handler: MethodHandler,
  ): void;
  handle<
    const Given extends MessageSchema = MessageSchema,
    const Answer extends MessageSchema = MessageSchema,
  >(
    method: string,
    schemas: MethodSchemas<Given, Answer>,
    handler: SchemaHandler<NoInfer<Given>, NoInfer<Answer>, HandlerContext>,
  ): void;
  handle(method: string, given: object, handler?: (params: never, context: HandlerContext) => unknown): void {
    const vendor = handler && this.definition.schemas().handler(method, given, handler);
    this.#added.set(method, this.#checked("incomingRequests", method, given, vendor));
    this.refresh();
  }

  /**
   * Describes the tools that are not registered: those of a server, such as a gateway, that handles `tools/list` and `tools/call`
   * itself. Over HTTP, the headers of a call that mirror its arguments are judged by the `inputSchema` before the call is handled,
   * as those of registered tools (2026-07-28, Streamable HTTP, custom headers).
   *
   * @param describe called for each such call. What it throws answers the call
   */
  describeTool(describe: ToolDescriber): void {
    this.features.describeTool = describe;
  }

  /**
   * Sets the listener of a notification of clients: of one that the tables define (legacy era), of a vendor, or (`*`) of
   * all that have no listener. The runtime itself handles cancellation and progress.
   *
   * @param schemas of a vendor notification; one with wrong params is dropped
   * @throws {McpError} `invalid-definition`: as `handle`
   */
  on(method: string, listener: NotificationHandler): void;
  on<const Given extends MessageSchema = MessageSchema>(
    method: string,
    schemas: Pick<MethodSchemas<Given, never>, "params">,
    listener: (params: ParamsOf<Given>, context: NotificationContext) => void | Promise<void>,
  ): void;
  on(
    method: string,
    given: object,
    listener?: (params: never, context: NotificationContext) => unknown,
  ): void {
    const vendor = listener && this.definition.schemas().listener(method, given, listener);
    const heard = this.#checked<NotificationHandler>("incomingNotifications", method, given, vendor);
    this.definition.notificationHandlers.set(method, heard);
  }

  /**
   * Checks a handler or listener. A server in code does; the types check a server of a contract.
   *
   * @throws {McpError} `invalid-definition`
   */
  protected checkHandler(_direction: Direction, _method: string, _given: unknown): void {}

  /** @throws {McpError} `invalid-definition` */
  #checked<Handler>(direction: Direction, method: string, given: object, vendor: unknown): Handler {
    this.checkHandler(direction, method, vendor ?? given);
    if (!vendor && method !== "*" && !this.definition.defines(direction, method))
      throw invalid(
        `${JSON.stringify(method)} is not a client ${direction === "incomingRequests" ? "request" : "notification"} of any given revision. For a vendor method, pass schemas, or {}.`,
      );
    return (vendor ?? given) as Handler;
  }

  /**
   * Sends a notification to all open sessions (legacy era). A change of a list or a resource also goes to the
   * subscriptions of the modern era; no other notification of the modern era belongs to no request.
   */
  notify<Method extends keyof ServerNotifications>(
    method: Method,
    params?: ServerNotifications[Method]["params"],
  ): void;
  notify(method: string, params?: object): void;
  notify(method: string, params?: Params): void {
    const isChange = this.#given.some(({ table }) => table.outgoingNotifications.get(method)?.filter);
    if (method === resourceUpdated) return this.resourceUpdated(params!["uri"] as string);
    if (isChange) return this.publish({ method, params } as Change);
    for (const session of this.sessions) session.notify(method, params);
  }

  /** The open sessions (legacy era): their clients have made a handshake. */
  get sessions(): Iterable<ServerSession> {
    return [...this.connections].flatMap((connection) =>
      connection.session ? [connection.clientOf(connection.session)] : [],
    );
  }

  /**
   * Adds middleware around each later request: those of clients, inside the middleware added before, and those to clients
   * that handlers make with `ask`. It runs once around all rounds of a request, and in each round of a handler that
   * runs again (2026-07-28). Returns a function that removes it.
   */
  use<Other extends string = OtherMethod>(middleware: ServerMiddleware<Other>): () => void {
    const remove = this.definition.hooks.use(middleware as Middleware<never>);
    this.refresh();
    return () => {
      remove();
      this.refresh();
    };
  }

  /** Calls `listener` with each event. Returns a function that removes it. */
  onEvent(listener: (event: ServerEvent) => void): () => void {
    return this.definition.hooks.onEvent(listener);
  }

  /** Notifies the clients that subscribed to a resource that it has changed. */
  resourceUpdated(uri: string): void {
    this.publish({ method: resourceUpdated, uri });
  }

  /** @internal Carries a change to the clients. A bus may throw. */
  publish(change: Change): void {
    this.#changes.publish(change);
  }

  /** What the server holds, and what it has done. */
  stats(): ServerStats {
    let sessions = 0;
    let requests = 0;
    for (const { session, open } of this.connections) {
      if (session) sessions++;
      requests += open;
    }
    const { counts, parking } = this.definition;
    const parked = parking?.size ?? 0;
    const gauges = { connections: this.connections.size, sessions, requests, parked };
    return { gauges, counters: { ...counts, limits: { ...counts.limits } } };
  }

  /** Closes all connections: open subscriptions get their responses first. */
  async close(): Promise<void> {
    await Promise.all([...this.connections].map((connection) => connection.close()));
    this.definition.parking?.close("the server is closing");
    this.rest();
  }

  /**
   * @internal
   * @param place of the definition
   * @throws {McpError} `invalid-definition`: a handler may run again, and nothing records the states that processes share
   */
  requireStore(place: string, replay: boolean | undefined): void {
    const { sharesState, states } = this.definition;
    if (replay && sharesState && !states)
      throw invalid(`${place}: replay: processes that share state.keys share a state.store, too.`);
  }

  /** @internal Leaves the bus if no connection is left; a transport calls it after it has closed its connections. */
  rest(): void {
    if (this.connections.size > 0) return;
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
  }

  /** Listens to the bus, once for all connections. Changes of this turn are published first. */
  #followChanges(): void {
    this.definition.publish?.();
    this.#unsubscribe ??= this.#changes.subscribe(
      (change) => {
        for (const connection of this.connections) connection.changed(change);
      },
      () => {
        for (const connection of this.connections) connection.missedChanges();
      },
    );
  }

  /** @internal Recomputes capabilities and methods, after tools, resources or prompts have changed. */
  refresh(): void {
    this.#declared = undefined;
    this.#methods.clear();
    const declared = this.#capabilities();
    const offered = this.#builtIn.filter(({ capability }) => !capability || declares(declared, capability));
    const all = [...offered.map(({ method, handler }) => [method, handler] as const), ...this.#added];
    for (const [method, handler] of all)
      this.#methods.set(method, withMiddleware(this.definition.hooks, handler));
  }

  #builtInMethods(cache: CacheHints = uncached): BuiltIn[] {
    const { info, instructions } = this.definition;
    const handlers: readonly [string, MethodHandler][] = [
      ...this.features.handlers(),
      ...(this.definition.legacyEra?.methods ?? []),
      ["subscriptions/listen", listen],
      [
        "server/discover",
        (_, { revision }) =>
          new SerialisedResult(
            {
              supportedVersions: this.revisions,
              capabilities: this.#capabilities(revision),
              _meta: { [metaKeys.serverInfo]: info },
              instructions,
            },
            cache,
          ),
      ],
    ];
    const all = this.#extended?.methods(handlers) ?? handlers;
    return all.map(([method, handler]) => {
      const found = this.#given.map(({ table }) => table.incomingRequests.get(method)?.capability);
      return { method, handler, capability: found.find((each) => each?.of === "server")?.path };
    });
  }

  /** @param revision without it, with the extensions of all revisions */
  #capabilities(revision?: string): ServerCapabilities {
    const declared = (this.#declared ??= { ...this.features.capabilities(), ...this.#extra });
    return this.#extended?.declared(declared, revision) ?? declared;
  }
}

function replayReport(warn: (message: string) => void): (place: ErrorPlace) => void {
  const known = new Set<string>();
  return ({ method, name = "" }) => {
    const place = `${method} ${JSON.stringify(name)}`;
    if (isProduction() || known.has(place)) return;
    known.add(place);
    warn(`${place}: the handler runs again from its first line, because its client has answered`);
  };
}

function noSchemas(): never {
  throw invalid("pass the option { schemas: methodSchemas }.");
}
