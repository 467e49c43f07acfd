import type { ClientCapabilities, Implementation } from "@mcpgen/protocol/authoring";
import { type LogLevel, metaKeys } from "../protocol/meta.js";
import type { RevisionView } from "../protocol/revision-view.js";
import type { Clock } from "../time/clock.js";
import type { Params } from "../jsonrpc/message.js";
import type { Timeouts } from "../jsonrpc/pending.js";
import type { Nulls } from "./decode.js";
import type { Era } from "@mcpgen/protocol/model";

/** The client as it describes itself, and its settings. */
export interface ClientProfile {
  readonly info: Implementation;
  readonly capabilities: ClientCapabilities;
  /** The least severity of log messages: sent with each request (2026-07-28), or once for a connection (before). */
  readonly logLevel: LogLevel | undefined;
  /** Milliseconds for opening a connection and negotiating the revision. */
  readonly connectTimeout: number;
  /** The timeouts of requests without options. */
  readonly timeouts: Timeouts;
  readonly clock: Clock;
  readonly nulls: Nulls;
}

/** The profile during a negotiation. */
export interface HandshakeContext extends ClientProfile {
  /** Called before a handshake is sent: from then on the server may send requests. */
  readonly handshaking: (offered: RevisionView<"client">) => void;
  /** When the negotiation times out, by the clock. The caller enforces it. */
  readonly due: number;
}

/** The capabilities for one revision; `roots.listChanged` if the revision has its notification (2025-11-25, roots). */
export function declaredBy(
  { table }: RevisionView<"client">,
  { capabilities }: Pick<ClientProfile, "capabilities">,
): ClientCapabilities {
  const { roots } = capabilities;
  if (!roots || !table.outgoingNotifications.has("notifications/roots/list_changed")) return capabilities;
  const changing: typeof roots & { listChanged: true } = { ...roots, listChanged: true };
  return { ...capabilities, roots: changing };
}

/** The `_meta` of every modern request (2026-07-28, basic, `_meta`). */
export function requestMeta(
  view: RevisionView<"client">,
  { info, capabilities, logLevel: usual }: ClientProfile,
  logLevel = usual,
): Params {
  return {
    [metaKeys.protocolVersion]: view.id,
    [metaKeys.clientInfo]: info,
    [metaKeys.clientCapabilities]: declaredBy(view, { capabilities }),
    ...(logLevel === undefined ? {} : { [metaKeys.logLevel]: logLevel }),
  };
}

/** The differences between the eras for a client. */
export interface ClientEra {
  /** Whether `server/discover` negotiates the revision. Otherwise the handshake does. */
  readonly discovery: boolean;
  /** Whether servers send JSON-RPC requests. Otherwise they ask for input in results. */
  readonly serverRequests: boolean;
  /** Whether results have a `resultType`, and defaults for absent members. */
  readonly resultTypes: boolean;
  /** Whether each request carries the revision, the client and the log level in `_meta`. */
  readonly requestMeta: boolean;
  /** Whether a request sets the log level, once for each connection. */
  readonly logLevelRequest: boolean;
  /** Whether the end of an HTTP exchange cancels its request. */
  readonly cancelsByExchange: boolean;
  /** Whether headers mirror parameters of tools. */
  readonly paramHeaders: boolean;
}

const eras: { readonly [era in Era]: ClientEra } = {
  legacy: {
    discovery: false,
    serverRequests: true,
    resultTypes: false,
    requestMeta: false,
    logLevelRequest: true,
    cancelsByExchange: false,
    paramHeaders: false,
  },
  modern: {
    discovery: true,
    serverRequests: false,
    resultTypes: true,
    requestMeta: true,
    logLevelRequest: false,
    cancelsByExchange: true,
    paramHeaders: true,
  },
};

export function eraOf({ era }: RevisionView<"client">): ClientEra {
  return eras[era];
}

type Views = readonly RevisionView<"client">[];

/** Groups revisions by what negotiates them: `server/discover` (modern) or the handshake (legacy). */
export function byEra(views: Views): { readonly modern: Views; readonly legacy: Views } {
  return {
    modern: views.filter((view) => eraOf(view).discovery),
    legacy: views.filter((view) => !eraOf(view).discovery),
  };
}
