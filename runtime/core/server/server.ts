import type { Implementation, ServerCapabilities } from "@mcpgen/protocol/authoring";
import type { Revision } from "@mcpgen/protocol/model";
import { initialize, ping, setLevel, unwatch, watch } from "./legacy.js";
import { type RevisionView, linkRevisions, selectRevisions } from "../protocol/revision-view.js";
import { metaKeys } from "../protocol/meta.js";
import { type Clock, systemClock } from "../time/clock.js";
import { McpError } from "../jsonrpc/errors.js";
import { type Timeouts, defaultTimeouts } from "../jsonrpc/pending.js";
import type { Params } from "../jsonrpc/message.js";
import type { Channel } from "../jsonrpc/channel.js";
import { type Change, Changes, type NotificationBus, listen } from "./changes.js";
import { ServerConnection, type ConnectionOptions } from "./connection.js";
import {
  type MethodHandler,
  type NotificationHandler,
  type ServerDefinition,
  type ErrorListener,
  errorReport,
  warningReport,
} from "./server-definition.js";
import { Features } from "./features.js";
import { type CacheHints, SerialisedResult, uncached } from "./result.js";
import { type StateStore, stateSeal } from "./rounds.js";

/** How a server behaves, whatever it offers. */
export interface ServerOptions {
  /** The revisions it speaks: `serverRevisions` of the generated package, or some of them. */
  readonly revisions: readonly Revision<"server">[];
  /**
   * Ids of those of `revisions` to speak; all of them without it. Give all and speak some, rather than give
   * some: what handlers write is translated from the newest that is given.
   */
  readonly speaks?: readonly string[];
  /** Advice on using the server, for the client's model. */
  readonly instructions?: string;
  /** Declared beside what follows from what is offered: `logging`, `experimental`, `extensions`. */
  readonly capabilities?: ServerCapabilities;
  /** Items on a page of a list; all of them without it. */
  readonly pageSize?: number;
  /** How long and for whom lists may be cached (2026-07-28); not at all without it. */
  readonly cache?: CacheHints;
  /**
   * Secrets that protect the state of multi round-trip requests: the current one first, then those that may
   * still be in use. Processes that share a client's requests share them; without any, each process makes
   * its own.
   */
  readonly stateKeys?: readonly string[];
  /**
   * Remembers which states were used, so that no client runs a round again: `memoryStateStore()` where one process serves
   * a client's requests, else one that all processes share. Without it, a state may be used until it expires.
   */
  readonly stateStore?: StateStore;
  /** Carries changes to the clients; give one that spans processes where several serve the same clients. */
  readonly changes?: NotificationBus;
  /**
   * What a call with wrong arguments is answered with, an error of the protocol or a result that the model
   * can mend it by; what the revision says without it: an error up to 2025-06-18, then a result.
   */
  readonly wrongArguments?: "error" | "result";
  /** For requests of the server's own, unless their options say otherwise. Milliseconds. */
  readonly timeouts?: Partial<Timeouts>;
  readonly clock?: Clock;
  /** Hears what is wrong without being anybody's answer; stderr without it. */
  readonly onWarning?: (message: string) => void;
  /**
   * Gets what handlers throw, and results that are none: the value itself with its stack, the method, and the name of the
   * tool, prompt or resource; standard error without it. Errors that are meant for the client (an `McpError` with an
   * `rpcCode` of its own, or `missing-capability`) are not among them, nor what a handler throws after its request was cancelled. What the listener
   * throws is ignored.
   */
  readonly onError?: ErrorListener;
}

/** What serves any number of clients at once, in any of its revisions. */
export class Server {
  readonly features: Features;
  /** @internal What its connections share. */
  readonly core: ServerDefinition;
  /** What it was given to speak, whether it speaks it or not. */
  private readonly given: readonly RevisionView<"server">[];
  private readonly changes: NotificationBus;
  private readonly methods = new Map<string, MethodHandler>();
  private readonly heard = new Map<string, NotificationHandler>();
  private readonly added = new Map<string, MethodHandler>();
  private readonly connections = new Set<ServerConnection>();
  private readonly extra: ServerCapabilities;
  private declared: ServerCapabilities | undefined;
  private unsubscribe: (() => void) | undefined;

  /**
   * @param changing whether what is offered may change while clients are connected
   * @throws {McpError} `invalid-definition`
   */
  constructor(info: Implementation, options: ServerOptions, changing: boolean) {
    this.given = linkRevisions(options.revisions);
    const spoken = selectRevisions(this.given, options.speaks);
    const { instructions } = options;
    this.changes = options.changes ?? new Changes();
    this.extra = options.capabilities ?? {};
    const lists = { pageSize: options.pageSize, cache: options.cache, changing };
    this.features = new Features(lists, this.changes);
    this.core = {
      info,
      instructions,
      spoken,
      handlers: this.methods,
      notificationHandlers: this.heard,
      capabilities: () => this.capabilities(),
      changes: this.changes,
      seal: stateSeal(options.stateKeys ?? []),
      states: options.stateStore,
      clock: options.clock ?? systemClock,
      timeouts: { ...defaultTimeouts, ...options.timeouts },
      wrongArguments: options.wrongArguments,
      warn: warningReport(options.onWarning),
      report: errorReport(options.onError),
    };
    this.addProtocolMethods(spoken, options.cache);
    this.refresh();
  }

  /** Ids of the revisions it speaks, the newest first. */
  get revisions(): readonly string[] {
    return this.core.spoken.map(({ id }) => id);
  }

  /** Serves the client at the other end of `channel`. */
  connect(channel: Channel, options: ConnectionOptions = {}): ServerConnection {
    const connection = this.attach(channel, options);
    channel.open(connection);
    return connection;
  }

  /** @internal A connection whose messages the transport hands over itself. */
  attach(channel: Channel, options: ConnectionOptions = {}): ServerConnection {
    this.features.publish();
    const connection = new ServerConnection(this.core, channel, options, this.forget);
    this.unsubscribe ??= this.changes.subscribe(this.tell);
    this.connections.add(connection);
    return connection;
  }

  /**
   * Answers a method that the tables know in its own way.
   *
   * @throws {McpError} `invalid-definition`: no revision has such a request
   */
  handle(method: string, handler: MethodHandler): void {
    if (!this.given.some(({ table }) => table.incomingRequests.has(method)))
      throw unheardOf("request", method);
    this.added.set(method, handler);
    this.refresh();
  }

  /**
   * Hears notifications of clients (legacy era).
   *
   * @throws {McpError} `invalid-definition`: no revision has such a notification
   */
  on(method: string, handler: NotificationHandler): void {
    if (!this.given.some(({ table }) => table.incomingNotifications.has(method)))
      throw unheardOf("notification", method);
    this.heard.set(method, handler);
  }

  /** Tells those who watch a resource that it is another now. */
  resourceUpdated(uri: string): void {
    this.changes.publish({ method: "notifications/resources/updated", uri });
  }

  /** Ends all connections in order. */
  async close(): Promise<void> {
    await Promise.all([...this.connections].map((connection) => connection.close()));
    this.rest();
  }

  /** @internal Lets go of the bus where nobody is connected; a transport calls it that has closed its own connections. */
  rest(): void {
    if (this.connections.size > 0) return;
    this.unsubscribe?.();
    this.unsubscribe = undefined;
  }

  private readonly forget = (connection: ServerConnection): void => void this.connections.delete(connection);

  /** One listener on the bus for all connections: a session costs nothing there. */
  private readonly tell = (change: Change): void => {
    for (const connection of this.connections) connection.changed(change);
  };

  /** Takes up what changed in what is offered. */
  protected refresh(): void {
    this.declared = undefined;
    this.methods.clear();
    for (const [method, handler] of this.protocol) this.methods.set(method, handler);
    for (const [method, handler] of this.features.handlers(this.capabilities()))
      this.methods.set(method, handler);
    for (const [method, handler] of this.added) this.methods.set(method, handler);
    const { logging, resources } = this.capabilities();
    if (logging) this.methods.set("logging/setLevel", setLevel);
    if (!resources?.subscribe) return;
    this.methods.set("resources/subscribe", watch);
    this.methods.set("resources/unsubscribe", unwatch);
  }

  private readonly protocol = new Map<string, MethodHandler>();

  private addProtocolMethods(spoken: readonly RevisionView[], cache: CacheHints = uncached): void {
    this.protocol.set("initialize", initialize).set("ping", ping).set("subscriptions/listen", listen);
    const supportedVersions = spoken.map(({ id }) => id);
    this.protocol.set("server/discover", () => {
      const { info, instructions } = this.core;
      const result: Params = {
        supportedVersions,
        capabilities: this.capabilities(),
        _meta: { [metaKeys.serverInfo]: info },
        ...(instructions === undefined ? {} : { instructions }),
      };
      return new SerialisedResult(result, cache);
    });
  }

  private capabilities(): ServerCapabilities {
    return (this.declared ??= { ...this.features.capabilities(), ...this.extra });
  }
}

function unheardOf(kind: string, method: string): McpError {
  return new McpError(
    "invalid-definition",
    `${JSON.stringify(method)} is no ${kind} to servers at any revision that was given; nobody would ever be heard.`,
  );
}
