import type { Era, RequestOptions, Signal } from "@mcpgen/protocol/model";
import type { LogLevel } from "../protocol/meta.js";
import { McpError, messageOf } from "../jsonrpc/errors.js";
import type { Agreement } from "./agreement.js";
import type { Introduction } from "./introduction.js";
import type { Link } from "./link.js";
import { mirrorHeaders } from "./mirror-headers.js";
import { remoteError } from "./remote-error.js";

/** A link, and what was agreed on over it. */
export interface Connection {
  readonly link: Link;
  readonly agreement: Agreement;
}

/** What connections are made with. */
export interface ConnectionSource {
  readonly introduction: Introduction;
  /** Whether another connection can be had where one broke. */
  readonly reconnects: boolean;
  readonly onWarning: (message: string) => void;
  /** Opens a connection, unless the signal aborts. */
  readonly connect: (connections: Connections, signal: Signal | undefined) => Promise<Connection>;
  /** A connection took another's place: another process may answer otherwise. */
  readonly onReplaced: () => void;
}

/** A client's connection: the one that stands, and the next where it broke. */
export class Connections {
  /** Log messages wanted from whatever server is connected to. */
  logLevel: LogLevel | undefined;
  private readonly source: ConnectionSource;
  private current: Connection | undefined;
  private connecting: Promise<Connection> | undefined;
  /** All that were opened and may still bring something, whether or not a revision was agreed on. */
  private readonly links = new Set<Link>();
  /** The connection whose server was asked last whether it is another now, and what came of it. */
  private comparing: { readonly connection: Connection; readonly replaced: Promise<boolean> } | undefined;
  private stopped = false;
  private readonly stops = new Set<() => void>();

  constructor(source: ConnectionSource) {
    this.source = source;
    this.logLevel = source.introduction.logLevel;
  }

  /** What was agreed on last. */
  get agreed(): Agreement {
    if (!this.current) throw new McpError("connection-closed", "the client is not connected");
    return this.current.agreement;
  }

  /** What is known of the server's era from an earlier connection. */
  get knownEra(): Era | undefined {
    return this.current?.agreement.spoken.era;
  }

  /** Requests that wait for answers. */
  get waiting(): number {
    return this.current?.link.waiting ?? 0;
  }

  /** Whether it was closed. */
  get closed(): boolean {
    return this.stopped;
  }

  /** Whether a session that was lost can be followed by another. */
  get renewable(): boolean {
    return this.source.reconnects && !this.stopped;
  }

  /** Calls once when the client is closed. Returns what calls it off. */
  whenStopped(callback: () => void): () => void {
    this.stops.add(callback);
    return () => void this.stops.delete(callback);
  }

  /** The connection, if it stands. */
  get standing(): Connection | undefined {
    const { current } = this;
    return current && !current.link.over ? current : undefined;
  }

  /**
   * The connection that stands, or another.
   *
   * @param signal gives up opening it, for all who wait for it
   */
  open(signal?: Signal): Promise<Connection> {
    const { current } = this;
    if (current && (!current.link.over || !this.renewable)) {
      const { over } = current.link;
      return over ? Promise.reject(over) : Promise.resolve(current);
    }
    return (this.connecting ??= this.replace(signal).finally(() => (this.connecting = undefined)));
  }

  /**
   * Whether the server is another now, and speaks otherwise than was agreed on: it is asked once for each connection
   * (2026-07-28, versioning: probing again where what was known of the era fails). Where it does, what was agreed on
   * anew stands.
   */
  isReplaced(connection: Connection): Promise<boolean> {
    if (this.current !== connection) return Promise.resolve(true);
    if (this.comparing?.connection !== connection)
      this.comparing = { connection, replaced: this.compare(connection) };
    return this.comparing.replaced;
  }

  /** Told of each link before anything is sent through it. */
  opens(link: Link): void {
    for (const each of this.links) {
      if (!each.over || each.waiting > 0) continue;
      this.links.delete(each);
      // What it still reads is for nobody.
      void each.close().catch(() => undefined);
    }
    this.links.add(link);
    if (this.stopped) link.closed(closedByUs());
  }

  async close(): Promise<void> {
    this.stopped = true;
    for (const stop of this.stops) stop();
    await Promise.all([...this.links].map((link) => link.close()));
    // What was on its way to another connection closes what it opens.
    await Promise.all([this.connecting, this.comparing?.replaced]).catch(() => undefined);
  }

  private async replace(signal: Signal | undefined): Promise<Connection> {
    const { clock, connectTimeout } = this.source.introduction;
    const due = clock.now() + connectTimeout;
    const made = await this.source.connect(this, signal);
    await this.take(made, { timeout: Math.max(due - clock.now(), 0), ...(signal ? { signal } : {}) });
    return made;
  }

  private async compare({ link, agreement }: Connection): Promise<boolean> {
    let made: Connection;
    try {
      made = await this.source.connect(this, undefined);
    } catch {
      // What was refused says more than that.
      return false;
    }
    if (made.agreement.spoken === agreement.spoken) {
      await made.link.close();
      return false;
    }
    await this.take(made, { timeout: this.source.introduction.connectTimeout });
    link.retired(new McpError("connection-closed", "the server was replaced by one that speaks otherwise"));
    return true;
  }

  /**
   * Makes a connection the one that stands.
   *
   * @param bounds of what is said over it first
   */
  private async take(made: Connection, bounds: RequestOptions): Promise<void> {
    if (!this.stopped) {
      if (this.current) this.source.onReplaced();
      await this.wantLogs(made, bounds);
    }
    const { signal } = bounds;
    if (!this.stopped && signal?.aborted !== true) return void (this.current = made);
    await made.link.close();
    throw this.stopped
      ? closedByUs()
      : new McpError("cancelled", "connect was cancelled", { cause: signal?.reason });
  }

  /** Tells a server of the legacy era, once for a connection, which log messages are wanted. */
  private async wantLogs(
    { link, agreement: { spoken, capabilities } }: Connection,
    bounds: RequestOptions,
  ): Promise<void> {
    const { logLevel: level } = this;
    const { onWarning } = this.source;
    if (level === undefined || spoken.era !== "legacy" || !capabilities.logging) return;
    const method = "logging/setLevel";
    try {
      const response = await link.request(method, () => ({ level }), bounds, {
        headers: (_, sent) => mirrorHeaders(spoken, method, sent),
      });
      if (response.error) throw remoteError(method, response);
    } catch (error) {
      onWarning(`the log level could not be set: ${messageOf(error)}`);
    }
  }
}

function closedByUs(): McpError {
  return new McpError("connection-closed", "the client is closed");
}
