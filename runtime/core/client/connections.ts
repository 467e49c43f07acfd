import type { Signal, RequestOptions } from "@mcpgen/protocol/model";
import { checkChannel, isInterrupted, McpError, messageOf, type Opener } from "@mcpgen/base";
import type { LogLevel } from "../protocol/meta.js";
import type { RevisionView } from "../protocol/revision-view.js";
import { whileOpening, withinBounds } from "./bounds.js";
import { byEra, eraOf } from "./client-profile.js";
import { Connection, type ConnectionParts, type Negotiated } from "./connection.js";
import { httpStatusOf, invalidResult, isMisunderstood, remoteError } from "./decode.js";
import { type Handshake, negotiate } from "./negotiation.js";
import { startRetry } from "./retry-policy.js";

/**
 * The state of a client: `connecting` until `connect` resolves; `open`; `reconnecting` while the connection is lost and
 * the next request opens another, or waits for it; `closed` when no connection can follow.
 */
export type ClientState = "connecting" | "open" | "reconnecting" | "closed";

/** The dependencies of `Connections`. */
interface ConnectionsSetup extends ConnectionParts {
  /** Opens a channel; again after one broke, if it is a function. */
  readonly opener: Opener;
  readonly views: readonly RevisionView<"client">[];
  readonly handshake: Handshake | undefined;
  readonly onWarning: (message: string) => void;
  /** Called when a new connection replaces the old one: the server process may differ. */
  readonly onReplaced: () => void;
}

/** The current connection of a client. Opens another one after it broke. */
export class Connections {
  /** The least severity of log messages, for this connection and later ones. */
  logLevel: LogLevel | undefined;
  readonly #setup: ConnectionsSetup;
  #current: Connection | undefined;
  #connecting: Promise<Connection> | undefined;
  /** All open connections that may still deliver messages, negotiated or not. */
  readonly #all = new Set<Connection>();
  /** The last connection for which the client checked whether the server was replaced, and the result. */
  #comparing: { readonly connection: Connection; readonly replaced: Promise<boolean> } | undefined;
  #stopped = false;
  /** Number of opened connections. */
  #opened = 0;
  readonly #stops = new Set<() => void>();
  /** Resolves when no connection can follow, with the reason unless `close` was called. */
  readonly ended: Promise<McpError | undefined>;
  #end!: (why: McpError | undefined) => void;

  constructor(setup: ConnectionsSetup) {
    this.#setup = setup;
    this.logLevel = setup.profile.logLevel;
    this.ended = new Promise((resolve) => (this.#end = resolve));
  }

  get state(): ClientState {
    const current = this.#current;
    if (this.#stopped) return "closed";
    if (!current) return "connecting";
    if (!current.over) return "open";
    return this.renewable ? "reconnecting" : "closed";
  }

  /** The outcome of the last negotiation. */
  get negotiated(): Negotiated {
    if (!this.#current) throw new McpError("connection-closed", "the client is not connected");
    return this.#current.negotiated;
  }

  /** The revision of the last connection, if there was one. */
  get view(): RevisionView<"client"> | undefined {
    return this.#current?.view;
  }

  /** The number of requests that wait for answers. */
  get waiting(): number {
    return this.#current?.waiting ?? 0;
  }

  /** Whether another connection can be opened. */
  get renewable(): boolean {
    return typeof this.#setup.opener === "function" && !this.#stopped;
  }

  /** Calls `callback` once when the client is closed. Returns a function that removes the callback. */
  whenStopped(callback: () => void): () => void {
    this.#stops.add(callback);
    return () => void this.#stops.delete(callback);
  }

  /** The current connection, if it is open. */
  get standing(): Connection | undefined {
    const current = this.#current;
    return current && !current.over ? current : undefined;
  }

  /**
   * The current connection if it is open, or a new one.
   *
   * @param signal aborts the opening, for all callers that wait for it
   */
  open(signal?: Signal): Promise<Connection> {
    const current = this.#current;
    if (current && !current.over) return Promise.resolve(current);
    if (current?.over && !this.renewable) return Promise.reject(notSent(current.over));
    return (this.#connecting ??= this.#replace(signal).finally(() => (this.#connecting = undefined)));
  }

  /**
   * Whether a server with another revision has replaced the first one. The client negotiates once more, once for each
   * connection (2026-07-28, versioning: a client probes again if the era it knows fails). If the outcome differs, the
   * new connection becomes the current one.
   */
  isReplaced(connection: Connection): Promise<boolean> {
    if (this.#current !== connection) return Promise.resolve(true);
    if (this.#comparing?.connection !== connection)
      this.#comparing = { connection, replaced: this.#compare(connection) };
    return this.#comparing.replaced;
  }

  async close(): Promise<void> {
    this.#stopped = true;
    for (const stop of this.#stops) stop();
    await Promise.all([...this.#all].map((connection) => connection.close()));
    // An attempt under way closes the connection that it opens.
    await Promise.all([this.#connecting, this.#comparing?.replaced]).catch(() => undefined);
    this.#end(undefined);
  }

  async #replace(signal: Signal | undefined): Promise<Connection> {
    const { clock, connectTimeout, hooks } = this.#setup.profile;
    const due = clock.now() + connectTimeout;
    hooks.emit({ type: "connection-opening", earlier: this.#opened });
    const made = await this.#establish(signal);
    await this.#take(made, { timeout: Math.max(due - clock.now(), 0), ...(signal ? { signal } : {}) });
    return made;
  }

  async #compare(current: Connection): Promise<boolean> {
    let made: Connection;
    try {
      made = await this.#establish(undefined);
    } catch {
      // The error of the refused request is more precise.
      return false;
    }
    if (made.view === current.view) {
      await made.close();
      return false;
    }
    await this.#take(made, { timeout: this.#setup.profile.connectTimeout });
    current.draining(new McpError("connection-closed", "the server was replaced by one of another revision"));
    return true;
  }

  /**
   * Makes a connection the current one.
   *
   * @param bounds limits of the requests that set it up
   */
  async #take(made: Connection, bounds: RequestOptions): Promise<void> {
    if (!this.#stopped) {
      if (this.#current) this.#setup.onReplaced();
      await this.#sendLogLevel(made, bounds);
    }
    const { signal } = bounds;
    if (this.#stopped || signal?.aborted) {
      await made.close();
      if (this.#stopped) throw closedByUs();
      throw new McpError("cancelled", "connect was cancelled", { cause: signal?.reason });
    }
    const { hooks } = this.#setup.profile;
    this.#current = made;
    this.#opened++;
    hooks.emit({ type: "connection-opened", revision: made.negotiated.view.id });
    made.whenClosed((why) => {
      // The end of the last connection ends the client, unless another connection can follow.
      if (!this.#stopped && !this.renewable) this.#end(why);
      hooks.emit({ type: "connection-closed", reason: why.message });
    });
  }

  /** Sends the log level, in eras with a request for it. */
  async #sendLogLevel(made: Connection, bounds: RequestOptions): Promise<void> {
    const { logLevel: level } = this;
    const { view, capabilities } = made.negotiated;
    if (level === undefined || !eraOf(view).logLevelRequest || !capabilities.logging) return;
    const method = "logging/setLevel";
    try {
      const params = view.lower("outgoingRequests", method, { level });
      const response = await made.exchange(view, method, params, bounds);
      if (response.error) throw remoteError(method, response);
    } catch (error) {
      this.#setup.onWarning(`the log level could not be set: ${messageOf(error)}`);
    }
  }

  /**
   * Opens a connection and negotiates the revision.
   *
   * @param signal aborts the attempt
   * @throws {McpError} `timeout`, `cancelled`, or the error of the transport or the negotiation
   */
  async #establish(signal: Signal | undefined): Promise<Connection> {
    const bounds = whileOpening(this.#setup.profile, signal, "no answer that settles the revision");
    const opening: Opening = { due: bounds.due, last: undefined };
    try {
      return await withinBounds(bounds, (ended) => this.#negotiated(opening, ended));
    } catch (error) {
      await opening.last?.close();
      throw error;
    }
  }

  /** @param ended aborts when the result is no longer needed */
  async #negotiated(opening: Opening, ended: AbortSignal): Promise<Connection> {
    const { opener, views } = this.#setup;
    if (this.view && !eraOf(this.view).discovery) return this.#attempt(handshakeFirst, opening, ended);
    try {
      return await this.#attempt(negotiate, opening, ended);
    } catch (error) {
      // If the process exits on the probe, retry with `initialize`.
      const died = startRetry.when({ error, answered: opening.last?.hasAnswered ?? false });
      const { modern, legacy } = byEra(views);
      const both = modern.length > 0 && legacy.length > 0;
      if (!died || !both || ended.aborted || this.#stopped || typeof opener !== "function") throw error;
      return this.#attempt(handshakeOnly, opening, ended);
    }
  }

  async #attempt(settle: Settle, opening: Opening, ended: AbortSignal): Promise<Connection> {
    const { opener, views, profile, handshake } = this.#setup;
    const channel: unknown = typeof opener === "function" ? await opener() : opener;
    checkChannel(channel, "source");
    const made = (opening.last = new Connection(channel, this.#setup));
    this.#register(made);
    try {
      if (ended.aborted) throw ended.reason;
      made.negotiated = await settle(made, views, { ...profile, due: opening.due, handshake });
      return made;
    } catch (error) {
      await made.close();
      throw error instanceof McpError || ended.aborted
        ? error
        : invalidResult("connect", messageOf(error), error);
    }
  }

  /** Registers a connection before the first message goes through it. */
  #register(made: Connection): void {
    for (const each of this.#all) {
      if (!each.over || each.waiting > 0) continue;
      this.#all.delete(each);
      // Its remaining messages are not needed: no request waits for them.
      void each.close().catch(() => undefined);
    }
    this.#all.add(made);
    if (this.#stopped) made.closed(closedByUs());
  }
}

/** A connection that is being opened. */
interface Opening {
  /** The deadline, by the clock. */
  readonly due: number;
  /** The connection of the last attempt. */
  last: Connection | undefined;
}

function closedByUs(): McpError {
  return new McpError("connection-closed", "the client is closed");
}

type Settle = typeof negotiate;

/** Negotiates only by the handshake, for servers that exit on a probe. */
const handshakeOnly: Settle = (made, views, context) =>
  context.handshake!(made, byEra(views).legacy, context);

/**
 * Starts with the handshake, because an earlier connection did. If the server refuses it, the client probes over the same
 * connection: another server may have taken its place (2026-07-28, versioning: a client probes again if the era it knows fails).
 */
const handshakeFirst: Settle = async (made, views, context) => {
  try {
    return await handshakeOnly(made, views, context);
  } catch (error) {
    if (made.over || !isRefusal(error) || byEra(views).modern.length === 0) throw error;
    return negotiate(made, views, context);
  }
};

/** Whether the server answered that it does not accept the handshake. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof McpError)) return false;
  const { code } = error;
  const status = httpStatusOf(error);
  if (status !== undefined) return isMisunderstood(status);
  return code === "unsupported-version" || code === "remote-error" || code === "method-not-found";
}

/** The error of a request after the connection has ended. The server cannot have run it. */
function notSent(end: McpError): McpError {
  if (!isInterrupted(end)) return end;
  return new McpError(end.code, end.message, {
    data: { ...(end.data as object), interrupted: false },
    cause: end,
  });
}
