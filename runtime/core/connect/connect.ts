import type { Implementation, Root } from "@mcpgen/protocol/authoring";
import type { Revision, Signal } from "@mcpgen/protocol/model";
import type { LogLevel } from "../protocol/meta.js";
import { type RevisionView, linkRevisions, selectRevisions } from "../protocol/revision-view.js";
import type { HttpClientOptions } from "../http/client/http-client-options.js";
import { type Clock, systemClock } from "../time/clock.js";
import { McpError } from "../jsonrpc/errors.js";
import { type Timeouts, defaultTimeouts } from "../jsonrpc/pending.js";
import { printWarning } from "../jsonrpc/warning.js";
import { type ClientHandlers, capabilitiesOf, rootsProblem } from "../client/server-requests.js";
import { Client } from "../client/client.js";
import { checkCommand, checkConnectOptions } from "./connect-rules.js";
import type { Nulls } from "../client/decode.js";
import { establish } from "../client/connections.js";
import type { ClientProfile } from "../client/client-profile.js";
import { type ClientLimits, limitsOf } from "../client/limits.js";
import type { StdioClientOptions } from "../stdio/client-channel.js";
import type { Channel, Opener } from "../jsonrpc/channel.js";
import type * as platform from "../platform/platform.js";

export interface ConnectOptions extends ClientHandlers {
  /** The revisions it speaks: `clientRevisions` of the generated package, or some of them. */
  readonly revisions: readonly Revision<"client">[];
  /** Id of one of `revisions`, to speak that one and no other. */
  readonly revision?: string;
  readonly info?: Implementation;
  /** Log messages wanted from the server, from this severity on. */
  readonly logLevel?: LogLevel;
  /** Of requests, unless their options say otherwise. Milliseconds. */
  readonly timeouts?: Partial<Timeouts>;
  /** Milliseconds that connecting and finding the common revision may take in all; 30,000 without it. */
  readonly connectTimeout?: number;
  /** Gives up connecting; it has no meaning for a client that is connected. */
  readonly signal?: Signal;
  /** What null means where a member may be absent; `absent` without it. */
  readonly nulls?: Nulls;
  /** What the server may make the client keep or do, where the defaults do not fit. */
  readonly limits?: Partial<ClientLimits>;
  readonly clock?: Clock;
  /** How a server over HTTP is reached. */
  readonly http?: HttpClientOptions;
  /** Hears of what is left out of lists and of listeners that throw; stderr without it. */
  readonly onWarning?: (message: string) => void;
}

/**
 * Connects to a server and finds the revision to speak with it.
 *
 * @throws {McpError} `unsupported-version`, `spawn-failed`, `connection-closed`, `timeout`, `cancelled`,
 *   `authorize-failed`, `invalid-definition`
 */
export async function connect(source: Source, options: ConnectOptions): Promise<Client> {
  checkConnectOptions(options);
  const { revision } = options;
  const views = selectRevisions(
    linkRevisions(options.revisions),
    revision === undefined ? undefined : [revision],
  );
  const { clock = systemClock, nulls = "absent", onWarning = printWarning } = options;
  const profile: ClientProfile = {
    info: options.info ?? { name: "mcpgen-client", version: "0.1.0" },
    capabilities: capabilitiesOf(options),
    logLevel: options.logLevel,
    connectTimeout: options.connectTimeout ?? 30_000,
    timeouts: { ...defaultTimeouts, ...options.timeouts },
    clock,
    nulls,
  };
  const stray = Array.isArray(options.roots) ? rootsProblem(options.roots as readonly Root[]) : undefined;
  if (stray !== undefined) throw new McpError("invalid-definition", stray);
  const opener = await openerOf(source, options.http, views, options.onWarning);
  const given = { source: opener, views, profile };
  const client = new Client({
    profile,
    handlers: options,
    limits: limitsOf(options.limits),
    onWarning,
    reconnects: typeof opener === "function",
    resend: options.http?.resend,
    connect: (connections, incoming, signal) => establish(given, connections, incoming, signal),
  });
  return client.start(options.signal);
}

/**
 * Where a server is: a URL, `stdio:` and a command, a command with its arguments, an open channel, or something
 * that opens one each time it is called.
 */
export type Source = string | platform.URL | Command | Channel | (() => Channel | Promise<Channel>);

/** A program to start, without a shell. */
export interface Command extends StdioClientOptions {
  readonly command: string;
  readonly args?: readonly string[];
}

/** What opens a channel to a source; code of a transport is loaded by who uses it. */
export async function openerOf(
  source: Source,
  http: HttpClientOptions | undefined,
  views: readonly RevisionView<"client">[],
  onWarning: ((message: string) => void) | undefined,
): Promise<Opener> {
  if (typeof source === "function") return source;
  if (typeof source === "object" && source !== null && "open" in source) return source;
  const address = typeof source === "string" || source instanceof URL ? String(source) : undefined;
  if (address !== undefined && /^https?:/i.test(address)) {
    const { httpClientChannel } = await import("../http/client/http-client.js");
    // By these errors a server shows that it knows this transport (2026-07-28, Streamable HTTP, compatibility).
    const modern = views.filter(({ era }) => era === "modern");
    const known = modern.flatMap(({ table }) => Object.values(table.errors).map(({ code }) => code));
    let opened = 0;
    return () => httpClientChannel(address, http, known, opened++ > 0, onWarning);
  }
  if (address === undefined) checkCommand(source);
  // By the name of the package: where no programs can be started, another module answers to it.
  const { parseStdioSource, stdioClientChannel } = await import("@mcpgen/runtime/stdio");
  if (address !== undefined) {
    const command = parseStdioSource(address);
    return () => stdioClientChannel(command);
  }
  const { command, args = [], ...options } = source as Command;
  return () => stdioClientChannel([command, ...args], options);
}
