import type { ClientCapabilities, Implementation, ServerCapabilities } from "@mcpgen/protocol/authoring";
import type { IncomingRequest, RequestOptions } from "@mcpgen/protocol/model";
import { McpError, invalidRequest, rpc, invalidParams, internalError } from "../jsonrpc/errors.js";
import {
  type NotificationMessage,
  type Params,
  type RequestId,
  type RequestMessage,
  type ResponseMessage,
  isObject,
} from "../jsonrpc/message.js";
import { type LogLevel, isLogLevel, metaKeys } from "../protocol/meta.js";
import { refusal } from "../protocol/refusals.js";
import { type RevisionView, declaredIn, isNewer } from "../protocol/revision-view.js";
import type { Ask } from "./ask.js";
import type { Change } from "./changes.js";
import type { ServerConnection } from "./connection.js";
import type { RequestContext } from "./context.js";
import type { CacheHints, MethodHandler, ServerDefinition } from "./server-definition.js";
import { askInRounds } from "./rounds.js";
import type { ConnectedSession } from "./server-session.js";

/**
 * The protocol of one request: the revision, and what the client has declared. Legacy revisions negotiate it once for a
 * session; in the modern era each request states it.
 */
export interface RequestProtocol {
  readonly era: ServerEra;
  readonly revision: RevisionView<"server">;
  readonly clientCapabilities: ClientCapabilities;
  readonly clientInfo?: Implementation | undefined;
  /** Why the server cannot send requests to this client, whatever the client has declared. */
  readonly unasked?: string;
  /** `false` until the client is initialized: before that, the server sends no requests but pings. */
  readonly ready?: boolean;
  /** Of a session: the object that handlers and the application hold; made when it is first used. */
  client?: ConnectedSession;
  /** The lowest level of log messages that are sent; without it, none are sent. */
  readonly logLevel?: LogLevel | undefined;
}

/** What a server does differently in each era. */
export interface ServerEra {
  /**
   * Adds the members that the era requires to a result, in the words of its revision.
   *
   * @param hints for caches; none if the result is not for them
   * @param resultType of a result that is not complete
   */
  finish(result: Params, context: RequestContext, hints: Partial<CacheHints>, resultType?: string): Params;
  /** Why the server sends no requests to the client. */
  readonly noRequests?: string;
  /** Returns the functions that a handler calls to ask the client for input. */
  ask(context: RequestContext): Ask;
}

/** The roots of a session; without a result while they are asked for. */
export interface KeptRoots {
  /** As JSON: handlers may change what they get. */
  readonly result?: string;
  /** Bytes reserved for the result. */
  readonly weight?: number;
}

/** A session: the protocol that a handshake negotiated, and its state (2025-11-25 and before, lifecycle). */
export interface Session extends RequestProtocol {
  readonly era: LegacyEra;
  logLevel: LogLevel | undefined;
  ready: boolean;
  /** Sends the notifications that wait until the client is initialized; changes by notification and URI. */
  held?: Map<unknown, () => void> | undefined;
  /** Capabilities that the server declared in the handshake: the client gets no notifications of later ones. */
  readonly declared: ServerCapabilities;
  /** URIs of the resources that the client subscribed to. */
  watched?: Set<string> | undefined;
  /** Bytes that the session reserves on its connection, `watched` and `roots` included. */
  weight: number;
  /** The client's roots, once a handler or the application has asked for them. */
  roots?: KeptRoots | undefined;
}

/** The era of sessions (2025-11-25 and before); the entries inject it, `runtime/core/legacy/server` has it. */
export interface LegacyEra extends ServerEra {
  /** The handlers of methods that legacy revisions alone have. */
  readonly methods: readonly [method: string, handler: MethodHandler][];
  /** The requests of the server to one client. */
  requestsOf(connection: ServerConnection): ClientRequests;
  /** Notifies a session of a change, if its client wants to know of it. */
  changed(connection: ServerConnection, session: Session, change: Change): void;
  /** Sends a notification of no request once the client is initialized. */
  notify(connection: ServerConnection, session: Session, method: string, params: Params | undefined): void;
  /** The client of a session has sent a notification. */
  heard(connection: ServerConnection, session: Session, method: string): void;
}

/** Requests that a server sends to one client (legacy era). */
export interface ClientRequests {
  /**
   * @param origin the request of the client that it belongs to
   * @throws {McpError}
   */
  ask(
    revision: RevisionView<"server">,
    method: string,
    params: Params | undefined,
    options: RequestOptions,
    origin: RequestId | undefined,
  ): Promise<Params>;
  /** Sends the requests that waited until the client was initialized, or opened a stream. */
  sendHeld(): void;
  answered(response: ResponseMessage): void;
  progressed(params: Params | undefined): void;
  /** Rejects all requests: the client can no longer answer. */
  end(reason: McpError): void;
}

/** The protocol of a request that needs no handshake, or opens it. */
export function beforeHandshake(
  { legacyEra }: ServerDefinition,
  revision: RevisionView<"server">,
): Pick<Session, "era" | "revision" | "clientCapabilities"> {
  return { era: legacyEra!, revision, clientCapabilities: {} };
}

/**
 * Finds the protocol of a request: stated in the request (modern era), or negotiated for the session (legacy era).
 *
 * @throws {McpError} if the request must follow a handshake, or names a revision that the server does not serve
 */
export function resolveProtocol(
  { definition, session, era }: ServerConnection,
  request: RequestMessage,
): RequestProtocol {
  const { modern, legacy } = definition;
  const servesModern = modern.length > 0;
  if (servesModern && era !== "legacy" && statesRevision(request)) return modernProtocol(definition, request);
  if (request.method === "initialize") {
    const version = request.params?.["protocolVersion"];
    // That revision, or the newest one with a handshake.
    const revision = legacy.find(({ id }) => id === version) ?? legacy[0];
    if (!revision) throw unsupportedVersion(definition, version);
    return beforeHandshake(definition, revision);
  }
  if (session) return session;
  const oldest = legacy.at(-1);
  if (request.method === "ping" && oldest) return beforeHandshake(definition, oldest);
  if (servesModern) return modernProtocol(definition, request);
  throw invalidRequest("the session has not been opened: send initialize first");
}

/**
 * The revision of a notification: that of the session, or in the modern era the stated one, or else the newest.
 * `undefined` if it is not served, or must follow a handshake.
 */
export function revisionOfNotification(
  { definition: { modern }, session, era }: ServerConnection,
  { params }: NotificationMessage,
): RevisionView<"server"> | undefined {
  if (session || era === "legacy") return session?.revision;
  const version = params?._meta?.[metaKeys.protocolVersion];
  return version === undefined ? modern[0] : modern.find(({ id }) => id === version);
}

/** The revision that a request states in its `_meta`, if the server serves it. The request is not checked yet. */
export function statedRevision(
  { modern }: ServerDefinition,
  params: Params | undefined,
): RevisionView<"server"> | undefined {
  const meta: unknown = params?._meta;
  const version = isObject(meta) ? meta[metaKeys.protocolVersion] : undefined;
  return modern.find(({ id }) => id === version);
}

/** The table entry of each message that the revision does not define. */
export const vendorMessage: IncomingRequest = {
  name: "Message",
  accepts: (message) => isObject((message as { readonly params?: unknown }).params ?? {}),
};

/** The error for a method that the revision does not have, or that has no handler. */
export function methodNotFound({ revision }: RequestProtocol, method: string): McpError {
  const message = `there is no method ${JSON.stringify(method)} at ${revision.id}`;
  const error = new McpError("method-not-found", message, { rpcCode: rpc.methodNotFound });
  return refusal(revision, "METHOD_NOT_FOUND", error, method);
}

/** Whether a parsed message states its revision in `_meta` (2026-07-28, versioning). It may be any value. */
export function statesRevision(message: unknown): boolean {
  const meta = (message as RequestMessage | null | undefined)?.params?._meta;
  return isObject(meta) && (metaKeys.protocolVersion in meta || metaKeys.clientCapabilities in meta);
}

/**
 * Reads the protocol of a request from its `_meta`.
 *
 * @throws {McpError} `unsupported-version`, `invalid-params`
 */
export function modernProtocol(definition: ServerDefinition, request: RequestMessage): RequestProtocol {
  const meta = request.params?._meta ?? {};
  const version = meta[metaKeys.protocolVersion];
  if (typeof version !== "string")
    throw missing(metaKeys.protocolVersion, definition.legacy[0] ? ": send initialize first, or add it" : "");
  const revision = definition.modern.find(({ id }) => id === version);
  if (!revision) throw unsupportedVersion(definition, version);
  const capabilities = meta[metaKeys.clientCapabilities];
  if (!isObject(capabilities)) throw missing(metaKeys.clientCapabilities);
  const given = revision.lift(
    "incomingRequests",
    "*",
    {
      [metaKeys.clientCapabilities]: capabilities,
      [metaKeys.clientInfo]: meta[metaKeys.clientInfo] ?? undefined,
      [metaKeys.logLevel]: meta[metaKeys.logLevel] ?? undefined,
    },
    undefined,
    false,
  );
  const level = given[metaKeys.logLevel];
  return {
    era: modernServer,
    revision,
    clientCapabilities: declaredIn(capabilities, given[metaKeys.clientCapabilities]) as ClientCapabilities,
    clientInfo: given[metaKeys.clientInfo] as Implementation | undefined,
    logLevel: level === undefined ? level : logLevelOf(level),
  };
}

/** @throws {McpError} `invalid-params`: a client sent something else as a log level */
export function logLevelOf(level: unknown): LogLevel {
  if (!isLogLevel(level)) throw invalidParams(`there is no log level ${JSON.stringify(level)}`);
  return level;
}

/** Characters of an unsupported version that its error repeats. */
const versionLimit = 64;

/** The error for a revision that the server does not serve (2026-07-28, versioning, negotiation). */
export function unsupportedVersion(definition: ServerDefinition, version: unknown): McpError {
  const requested = typeof version === "string" ? version.slice(0, versionLimit) : undefined;
  const { modern, revisions } = definition;
  const supported = revisions.map(({ id }) => id);
  // Another revision may have another code for it: the client knows the one of its time.
  const nearest = modern.find(({ id }) => isNewer(requested ?? "", id)) ?? revisions[0]!;
  return new McpError(
    "unsupported-version",
    `protocol version ${JSON.stringify(requested)} is not supported; supported: ${supported.join(", ")}`,
    {
      rpcCode: nearest.errorCode("UNSUPPORTED_PROTOCOL_VERSION"),
      data: { supported, requested },
    },
  );
}

function missing(key: string, more = ""): McpError {
  return invalidParams(`params._meta: ${key} is missing or malformed${more}`);
}

/** Each request states its protocol (2026-07-28). */
export const modernServer: ServerEra = {
  finish(result, { entry, connection, protocol: { revision } }, hints, resultType = "complete") {
    // Other result types need members that a handler cannot supply.
    const given = result["resultType"] as string | undefined;
    if (given !== undefined && given !== resultType && !entry.resultTypes?.includes(given))
      throw internalError(
        "the server failed to answer",
        `a handler's result has the resultType ${JSON.stringify(given)}; use context.ask`,
      );
    return {
      resultType,
      ...revision.lower("outgoingResults", "*", hints as Params),
      ...result,
      _meta: {
        ...revision.lower("outgoingResults", "*", { [metaKeys.serverInfo]: connection.definition.info }),
        ...result._meta,
      },
    };
  },
  noRequests: "a server sends no requests at this revision",
  ask: askInRounds,
};
