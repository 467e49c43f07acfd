import type { Implementation, Root } from "@mcpgen/protocol/authoring";
import type { Revision, Signal } from "@mcpgen/protocol/model";
import type { LogLevel } from "../protocol/meta.js";
import { linkRevisions, selectRevisions } from "../protocol/revision-view.js";
import type { HttpClientOptions } from "../http/client/http-client-options.js";
import { type Clock, systemClock } from "../time/clock.js";
import { McpError } from "../jsonrpc/errors.js";
import { type Timeouts, defaultTimeouts } from "../jsonrpc/pending.js";
import { printWarning } from "../jsonrpc/warning.js";
import { capabilitiesOf, rootsProblem } from "../client/answers.js";
import { Client } from "../client/client.js";
import { checkConnectOptions } from "./connect-rules.js";
import type { Nulls } from "../client/decode.js";
import { establish } from "../client/establish.js";
import type { ClientHandlers } from "../client/handlers.js";
import type { Introduction } from "../client/introduction.js";
import { type ClientLimits, limitsOf } from "../client/limits.js";
import { type Source, openerOf } from "./source.js";

export type { Command, Source } from "./source.js";

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
  const spoken = selectRevisions(
    linkRevisions(options.revisions),
    revision === undefined ? undefined : [revision],
  );
  const { clock = systemClock, nulls = "absent", onWarning = printWarning } = options;
  const introduction: Introduction = {
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
  const opener = await openerOf(source, options.http, spoken, options.onWarning);
  const given = { source: opener, spoken, introduction };
  const client = new Client({
    introduction,
    handlers: options,
    limits: limitsOf(options.limits),
    onWarning,
    reconnects: typeof opener === "function",
    resend: options.http?.resend,
    connect: (connections, incoming, signal) => establish(given, connections, incoming, signal),
  });
  return client.start(options.signal);
}
