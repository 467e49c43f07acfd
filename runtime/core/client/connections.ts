import type { RequestOptions, Signal } from "@mcpgen/protocol/model";
import { type LogLevel, metaKeys } from "../protocol/meta.js";
import { type Params, type RequestId, notificationOf } from "../jsonrpc/message.js";
import { McpError, isInterrupted, messageOf } from "../jsonrpc/errors.js";
import { type Handshake, type Negotiated, handshakeOnly, negotiate } from "./negotiation.js";
import { type ClientEra, type ClientProfile, byEra, eraOf } from "./client-profile.js";
import { Link, type Notifying } from "./link.js";
import { exchangeThrough, peerOf } from "./middleware.js";
import { mirrorHeaders } from "./mirrored-headers.js";
import { type RevisionView, sendError } from "../protocol/revision-view.js";
import { withinBounds } from "./bounds.js";
import { invalidResult, httpStatusOf, isMisunderstood, remoteError } from "./decode.js";
import type { Incoming } from "./server-messages.js";
import { startRetry } from "./retry-policy.js";
import { type Opener, checkChannel } from "../jsonrpc/channel.js";

/** A link and the outcome of the negotiation over it. */
export interface Connection {
  readonly link: Link;
  readonly negotiated: Negotiated;
}

/**
 * The state of a client: `connecting` until `connect` resolves; `open`; `reconnecting` while the connection is lost and
 * the next request opens another, or waits for it; `closed` when no connection can follow.
 */
export type ClientState = "connecting" | "open" | "reconnecting" | "closed";

/** The dependencies of `Connections`. */
interface ConnectionSource {
  readonly profile: ClientProfile;
  /** Whether another connection can be opened after one broke. */
  readonly reconnects: boolean;
  readonly onWarning: (message: string) => void;
  /** Opens a connection, unless the signal aborts. */
  readonly connect: (connections: Connections, signal: Signal | undefined) => Promise<Connection>;
  /** Called when a connection takes the place of another: the process behind it may be another one. */
  readonly onReplaced: () => void;
}

/** The current connection of a client. Opens another one after it broke. */
export class Connections {
  /** The least severity of log messages, for this connection and later ones. */
  logLevel: LogLevel | undefined;
  readonly #source: ConnectionSource;
  #current: Connection | undefined;
  #connecting: Promise<Connection> | undefined;
  /** All open links that may still deliver messages, negotiated or not. */
  readonly #links = new Set<Link>();
  /** The last connection for which the client checked whether the server was replaced, and the result. */
  #comparing: { readonly connection: Connection; readonly replaced: Promise<boolean> } | undefined;
  #stopped = false;
  /** Connections that were opened. */
  #opened = 0;
  readonly #stops = new Set<() => void>();
  /** Resolves when no connection can follow, with the reason unless `close` was called. */
  readonly ended: Promise<McpError | undefined>;
  #end!: (why: McpError | undefined) => void;

  constructor(source: ConnectionSource) {
    this.#source = source;
    this.logLevel = source.profile.logLevel;
    this.ended = new Promise((resolve) => (this.#end = resolve));
  }

  get state(): ClientState {
    const current = this.#current;
    if (this.#stopped) return "closed";
    if (!current) return "connecting";
    if (!current.link.over) return "open";
    return this.renewable ? "reconnecting" : "closed";
  }

  /** The outcome of the last negotiation. */
  get negotiated(): Negotiated {
    if (!this.#current) throw new McpError("connection-closed", "the client is not connected");
    return this.#current.negotiated;
  }

  /** The revision of the last connection, if there was one. */
  get view(): RevisionView<"client"> | undefined {
    return this.#current?.negotiated.view;
  }

  /** The era of the last connection, if there was one. */
  get knownEra(): ClientEra | undefined {
    return this.#current && eraOf(this.#current.negotiated.view);
  }

  /** The number of requests that wait for answers. */
  get waiting(): number {
    return this.#current?.link.waiting ?? 0;
  }

  /** Whether `close` was called. */
  get closed(): boolean {
    return this.#stopped;
  }

  /** Whether another connection can be opened. */
  get renewable(): boolean {
    return this.#source.reconnects && !this.#stopped;
  }

  /** Calls `callback` once when the client is closed. Returns a function that removes the callback. */
  whenStopped(callback: () => void): () => void {
    this.#stops.add(callback);
    return () => void this.#stops.delete(callback);
  }

  /** The current connection, if it is open. */
  get standing(): Connection | undefined {
    const current = this.#current;
    return current && !current.link.over ? current : undefined;
  }

  /**
   * The current connection if it is open, or a new one.
   *
   * @param signal aborts the opening, for all callers that wait for it
   */
  open(signal?: Signal): Promise<Connection> {
    const current = this.#current;
    if (current && (!current.link.over || !this.renewable)) {
      const { over } = current.link;
      return over ? Promise.reject(notSent(over)) : Promise.resolve(current);
    }
    return (this.#connecting ??= this.#replace(signal).finally(() => (this.#connecting = undefined)));
  }

  /**
   * Whether another server with another revision has taken the place of the first. The client negotiates once more, once
   * for each connection (2026-07-28, versioning: a client probes again if the era it knows fails). If the outcome differs,
   * the new connection becomes the current one.
   */
  isReplaced(connection: Connection): Promise<boolean> {
    if (this.#current !== connection) return Promise.resolve(true);
    if (this.#comparing?.connection !== connection)
      this.#comparing = { connection, replaced: this.#compare(connection) };
    return this.#comparing.replaced;
  }

  /** Registers a link before the first message goes through it. */
  opens(link: Link): void {
    for (const each of this.#links) {
      if (!each.over || each.waiting > 0) continue;
      this.#links.delete(each);
      // No request waits for what it still reads.
      void each.close().catch(() => undefined);
    }
    this.#links.add(link);
    if (this.#stopped) link.closed(closedByUs());
  }

  async close(): Promise<void> {
    this.#stopped = true;
    for (const stop of this.#stops) stop();
    await Promise.all([...this.#links].map((link) => link.close()));
    // An attempt under way closes the link that it opens.
    await Promise.all([this.#connecting, this.#comparing?.replaced]).catch(() => undefined);
    this.#end(undefined);
  }

  async #replace(signal: Signal | undefined): Promise<Connection> {
    const { clock, connectTimeout, hooks } = this.#source.profile;
    const due = clock.now() + connectTimeout;
    hooks.emit({ type: "connection-opening", earlier: this.#opened });
    const made = await this.#source.connect(this, signal);
    await this.#take(made, { timeout: Math.max(due - clock.now(), 0), ...(signal ? { signal } : {}) });
    return made;
  }

  async #compare({ link, negotiated }: Connection): Promise<boolean> {
    let made: Connection;
    try {
      made = await this.#source.connect(this, undefined);
    } catch {
      // The error of the refused request is more precise.
      return false;
    }
    if (made.negotiated.view === negotiated.view) {
      await made.link.close();
      return false;
    }
    await this.#take(made, { timeout: this.#source.profile.connectTimeout });
    link.draining(new McpError("connection-closed", "the server was replaced by one of another revision"));
    return true;
  }

  /**
   * Makes a connection the current one.
   *
   * @param bounds of the requests that set it up
   */
  async #take(made: Connection, bounds: RequestOptions): Promise<void> {
    if (!this.#stopped) {
      if (this.#current) this.#source.onReplaced();
      await this.#sendLogLevel(made, bounds);
    }
    const { signal } = bounds;
    if (!this.#stopped && signal?.aborted !== true) {
      this.#current = made;
      // The end of the last connection is that of the client, unless another can follow.
      made.link.whenClosed((why) => this.#stopped || this.renewable || this.#end(why));
      return this.#announce(made);
    }
    await made.link.close();
    throw this.#stopped
      ? closedByUs()
      : new McpError("cancelled", "connect was cancelled", { cause: signal?.reason });
  }

  #announce({ link, negotiated }: Connection): void {
    const { hooks } = this.#source.profile;
    this.#opened++;
    hooks.emit({ type: "connection-opened", revision: negotiated.view.id });
    link.whenClosed(({ message: reason }) => hooks.emit({ type: "connection-closed", reason }));
  }

  /** Sends the log level, in eras with a request for it. */
  async #sendLogLevel(
    { link, negotiated: { view, capabilities } }: Connection,
    bounds: RequestOptions,
  ): Promise<void> {
    const { logLevel: level } = this;
    const { onWarning, profile } = this.#source;
    if (level === undefined || !eraOf(view).logLevelRequest || !capabilities.logging) return;
    const method = "logging/setLevel";
    try {
      const { signal } = bounds;
      const response = await exchangeThrough(
        profile,
        view,
        { method, params: { level }, signal },
        (params, sent) =>
          link.request(method, () => view.lower("outgoingRequests", method, params), bounds, {
            headers: (_, written) => mirrorHeaders(view, method, written),
            sent,
          }),
      );
      if (response.error) throw remoteError(method, response);
    } catch (error) {
      onWarning(`the log level could not be set: ${messageOf(error)}`);
    }
  }
}

function closedByUs(): McpError {
  return new McpError("connection-closed", "the client is closed");
}

/** The inputs of every connection of a client. */
interface Establishing {
  readonly source: Opener;
  readonly views: readonly RevisionView<"client">[];
  readonly profile: ClientProfile;
  readonly handshake: Handshake | undefined;
}

/**
 * Opens a connection and negotiates the revision.
 *
 * @param signal aborts the attempt
 * @throws {McpError} `timeout`, `cancelled`, or the error of the transport or the negotiation
 */
export async function establish(
  given: Establishing,
  connections: Connections,
  incoming: Incoming,
  signal: Signal | undefined,
): Promise<Connection> {
  const { clock, connectTimeout: limit } = given.profile;
  const started = clock.now();
  const due = started + limit;
  const attempts = new Attempts(given, connections, incoming, due);
  const late = (now: number): McpError =>
    new McpError("timeout", `connect: no answer that settles the revision within ${limit} ms`, {
      data: { timer: "connectTimeout", limit, elapsed: now - started },
    });
  try {
    return await withinBounds({ clock, method: "connect", signal, due, late }, (ended) =>
      attempts.connection(ended),
    );
  } catch (error) {
    await attempts.close();
    throw error;
  }
}

type Settle = typeof negotiate;

/** The attempts to open one connection; each has its own link. */
class Attempts {
  readonly #given: Establishing;
  readonly #connections: Connections;
  readonly #incoming: Incoming;
  readonly #due: number;
  #link: Link | undefined;

  constructor(given: Establishing, connections: Connections, incoming: Incoming, due: number) {
    this.#given = given;
    this.#connections = connections;
    this.#incoming = incoming;
    this.#due = due;
  }

  /** @param ended aborts when the result is no longer needed */
  async connection(ended: AbortSignal): Promise<Connection> {
    const connections = this.#connections;
    const { source, views } = this.#given;
    if (connections.knownEra?.discovery === false) return this.#attempt(handshakeFirst, ended);
    try {
      return await this.#attempt(negotiate, ended);
    } catch (error) {
      // If the process exits on the probe, retry with `initialize`.
      const died = startRetry.when({ error, answered: this.#link?.answered ?? false });
      const { modern, legacy } = byEra(views);
      const both = modern.length > 0 && legacy.length > 0;
      const over = ended.aborted || connections.closed;
      if (!died || !both || over || typeof source !== "function") throw error;
      return this.#attempt(handshakeOnly, ended);
    }
  }

  /** Closes the link of the last attempt. */
  async close(): Promise<void> {
    await this.#link?.close();
  }

  async #attempt(settle: Settle, ended: AbortSignal): Promise<Connection> {
    const given = this.#given;
    const connections = this.#connections;
    const incoming = this.#incoming;
    const due = this.#due;
    const { source, views, profile, handshake } = given;
    const channel: unknown = typeof source === "function" ? await source() : source;
    checkChannel(channel, "source");
    const link = (this.#link = new Link(channel, profile));
    listen(link, incoming, undefined, profile);
    connections.opens(link);
    const handshaking = (offered: RevisionView<"client">): void => listen(link, incoming, offered, profile);
    try {
      if (ended.aborted) throw ended.reason;
      const negotiated = await settle(link, views, { ...profile, due, handshaking, handshake });
      listen(link, incoming, negotiated.view, profile);
      return { link, negotiated };
    } catch (error) {
      await link.close();
      throw error instanceof McpError || ended.aborted
        ? error
        : invalidResult("connect", messageOf(error), error);
    }
  }
}

/**
 * Starts with the handshake, because an earlier connection did. If the server refuses it, the client probes over the same
 * link: another server may have taken its place (2026-07-28, versioning: a client probes again if the era it knows fails).
 */
async function handshakeFirst(
  link: Link,
  views: readonly RevisionView<"client">[],
  context: Parameters<Settle>[2],
): Promise<Negotiated> {
  try {
    return await handshakeOnly(link, views, context);
  } catch (error) {
    if (link.over || !isRefusal(error) || byEra(views).modern.length === 0) throw error;
    return negotiate(link, views, context);
  }
}

/** Whether the server answered that it does not accept the handshake. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof McpError)) return false;
  const { code } = error;
  const status = httpStatusOf(error);
  if (status !== undefined) return isMisunderstood(status);
  return code === "unsupported-version" || code === "remote-error" || code === "method-not-found";
}

/** Sends a notification, translated to the revision. @throws {McpError} among others `invalid-message` */
export function sendNotification(
  link: Link,
  view: RevisionView<"client">,
  { method, params }: { readonly method: string; readonly params: Params | undefined },
  how?: Notifying,
): void {
  const lowered = params && view.lower("outgoingNotifications", method, params);
  const wrong = view.sends && sendError(view, "notifications", method, notificationOf(method, lowered));
  if (wrong) throw wrong;
  // A notification has no metadata of its sender, and its headers name the revision all the same.
  const _meta = { [metaKeys.protocolVersion]: view.id };
  link.notify(method, lowered, () => mirrorHeaders(view, method, { ...lowered, _meta }), how);
}

/** Connects a link to `incoming`. Before a handshake and after a discovery, servers send no requests. */
function listen(
  link: Link,
  incoming: Incoming,
  view: RevisionView<"client"> | undefined,
  profile: ClientProfile,
): void {
  const { hooks } = profile;
  const server = peerOf(profile);
  const era = view && eraOf(view);
  // Of a handler, or of a request that is given up. A failure to send is reported: it fails neither.
  const notify =
    view &&
    ((method: string, params: Params, ends?: RequestId): void => {
      try {
        sendNotification(link, view, { method, params }, { ends });
      } catch (error) {
        incoming.report(error, method);
      }
    });
  link.listener = {
    ...(view && era?.serverRequests
      ? { answer: (request, context) => incoming.answer(view, request, context) }
      : {}),
    ends: (method) => view?.table.outgoingRequests.get(method)?.listening ?? false,
    abandons: era?.cancelsByExchange ?? false,
    ...(notify && { notify }),
    around: (direction, method, params, run) => hooks.around(direction, method, params, server, view, run),
    notified: (method, params) => view && incoming.notified(view, method, params),
    isRequest: (method) => view !== undefined && incoming.isRequest(view, method),
    closed: () => {},
  };
}

/** The error of a request after the connection has ended. The server cannot have run it. */
function notSent(end: McpError): McpError {
  if (!isInterrupted(end)) return end;
  return new McpError(end.code, end.message, {
    data: { ...(end.data as object), interrupted: false },
    cause: end,
  });
}
