import type { ClientCapabilities, Implementation } from "@mcpgen/protocol/authoring";
import { type LogLevel, metaKeys } from "../protocol/meta.js";
import type { ClientEvent, NullReader } from "../protocol/events.js";
import type { Hooks } from "../protocol/hooks.js";
import type { RevisionView } from "../protocol/revision-view.js";
import { type Clock, McpError, type Params, type Timeouts } from "@mcpgen/base";
import * as rpc from "@mcpgen/base/rpc-codes";
import type { Era, Extended, RequestOptions, Role } from "@mcpgen/protocol/model";

/** The client's description of itself, and its settings. */
export interface ClientProfile {
  readonly info: Implementation;
  /** Capabilities for every revision, without extensions. */
  readonly capabilities: ClientCapabilities;
  readonly extended: Pick<Extended<"client">, "declared"> | undefined;
  /** The least severity of log messages: sent with each request (2026-07-28), or once for a connection (before). */
  readonly logLevel: LogLevel | undefined;
  /** Milliseconds for opening a connection and negotiating the revision. */
  readonly connectTimeout: number;
  /** The timeouts of requests without options. */
  readonly timeouts: Timeouts;
  readonly clock: Clock;
  readonly readNulls: NullReader;
  /** Whether null also counts as absent outside of the params of messages; the setting of `readNulls`. */
  readonly nulls?: "absent" | "reject" | undefined;
  readonly hooks: Hooks<ClientEvent>;
  /** Address of a server over HTTP, without a query. */
  readonly endpoint?: string | undefined;
}

/** Limits on what a server can make a client keep or do. */
export interface ClientLimits {
  /** Questions of the server (forms, pages, sampling, roots) that the application handles at the same time: 4. */
  readonly maxQuestions: number;
  /** Questions that wait for their turn: 256, of 32 MiB in all. Further ones are refused. */
  readonly maxWaitingQuestions: number;
  /** Questions in one round of a request: 32. A round with more fails the request. */
  readonly maxRoundQuestions: number;
  /** Notices that a subscription keeps until they are read: 1,000, of 2 MiB in all. */
  readonly maxNotices: number;
  /** Bytes of all cached results: 16 MiB. The oldest are dropped; 0 caches nothing. */
  readonly maxCacheBytes: number;
  /** Bytes of one cached result: 1 MiB. A larger one is not cached. */
  readonly maxCacheEntryBytes: number;
}

/** The limits that an application chooses. */
export interface ConnectLimits {
  /**
   * Questions of the server (forms, pages, sampling, roots) that the application handles at the same time. Default: 4.
   */
  readonly maxQuestions?: number;
  /** Bytes of all cached results; one result takes at most a sixteenth of it. Default: 16 MiB; 0 caches nothing. */
  readonly maxCacheBytes?: number;
}

/**
 * Completes the limits.
 *
 * @throws {McpError} `invalid-definition`: `maxQuestions` is below 1
 */
export function limitsOf({
  maxQuestions = 4,
  maxCacheBytes = 16 * 1_048_576,
}: ConnectLimits = {}): ClientLimits {
  if (maxQuestions < 1)
    throw new McpError("invalid-definition", "limits.maxQuestions: expected a number from 1 on");
  const fixed = { maxWaitingQuestions: 256, maxRoundQuestions: 32, maxNotices: 1000 };
  return { ...fixed, maxQuestions, maxCacheBytes, maxCacheEntryBytes: maxCacheBytes / 16 };
}

/** The error for a server that exceeds a limit; `data` names the limit. */
export function limitExceeded(message: string, limit: keyof ClientLimits, value: number): McpError {
  return new McpError("limit-exceeded", message, { rpcCode: rpc.internalError, data: { limit, value } });
}

/** The parts of a client that each request states (2026-07-28, basic, `_meta`). */
export interface Sender extends Pick<ClientProfile, "capabilities" | "extended" | "logLevel"> {
  readonly info: ClientProfile["info"] | undefined;
}

/** The sender of a request: the client itself, or the one for which the request is sent. */
export function senderOf(itself: Sender, { onBehalfOf }: RequestOptions): Sender {
  if (!onBehalfOf) return itself;
  const { clientInfo: info, clientCapabilities: capabilities = {}, logLevel } = onBehalfOf;
  return { info, capabilities, extended: undefined, logLevel: logLevel as LogLevel | undefined };
}

/**
 * The capabilities for one revision; `roots.listChanged` if the revision has its notification (2025-11-25, roots), unless it
 * is false.
 */
export function declaredBy(
  { id, table }: RevisionView<"client">,
  { capabilities: given, extended }: Pick<ClientProfile, "capabilities" | "extended">,
): ClientCapabilities {
  const capabilities = extended?.declared(given, id) ?? given;
  if (!capabilities.roots) return capabilities;
  const { listChanged = true, ...roots }: { listChanged?: boolean } = capabilities.roots;
  const isReported = listChanged && table.outgoingNotifications.has("notifications/roots/list_changed");
  const declared: typeof roots & { listChanged?: true } = isReported
    ? { ...roots, listChanged: true }
    : roots;
  return { ...capabilities, roots: declared };
}

/** The capabilities of each role, once a revision is negotiated. */
export function declarations(
  view: RevisionView<"client">,
  server: object,
  sender: Pick<Sender, "capabilities" | "extended">,
): (role: Role) => object {
  return (role) => (role === "server" ? server : declaredBy(view, sender));
}

/** The `_meta` of every modern request (2026-07-28, basic, `_meta`). */
export function requestMeta(
  view: RevisionView<"client">,
  sender: Sender,
  logLevel = sender.logLevel,
): Params {
  const { info } = sender;
  return {
    [metaKeys.protocolVersion]: view.id,
    ...view.lower("outgoingRequests", "*", {
      ...(info === undefined ? {} : { [metaKeys.clientInfo]: info }),
      [metaKeys.clientCapabilities]: declaredBy(view, sender),
      ...(logLevel === undefined ? {} : { [metaKeys.logLevel]: logLevel }),
    }),
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

/** Groups revisions by their negotiation: `server/discover` (modern) or the handshake (legacy). */
export function byEra(views: Views): { readonly modern: Views; readonly legacy: Views } {
  return {
    modern: views.filter((view) => eraOf(view).discovery),
    legacy: views.filter((view) => !eraOf(view).discovery),
  };
}
