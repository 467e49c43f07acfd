import type { ClientCapabilities, Implementation } from "@mcpgen/protocol/authoring";
import type { Era } from "@mcpgen/protocol/model";
import { McpError, invalidRequest, invalidParams, internalError } from "../jsonrpc/errors.js";
import * as rpc from "../jsonrpc/rpc-codes.js";
import { mostReserved, weightOf } from "../jsonrpc/json-limits.js";
import { type NotificationMessage, type Params, type RequestMessage, isObject } from "../jsonrpc/message.js";
import { type LogLevel, isLogLevel, metaKeys } from "../protocol/meta.js";
import { refusal } from "../protocol/refusals.js";
import { type RevisionView, declaredIn, isGranted, isNewer, mayGet } from "../protocol/revision-view.js";
import { askInRounds } from "./ask.js";
import type { RequestContext } from "./request.js";
import type { RequestProtocol, ServerDefinition, ServerEra, Session } from "./server-definition.js";

/** The protocol of a request that needs no handshake, or opens it. */
export function beforeHandshake(
  { legacyEra }: ServerDefinition,
  revision: RevisionView<"server">,
): Pick<Session, "era" | "revision" | "clientCapabilities"> {
  return { era: legacyEra!, revision, clientCapabilities: {} };
}

/** What decides the protocol of a message, beside the message. */
interface Conversation {
  readonly definition: ServerDefinition;
  readonly session: Session | undefined;
  readonly era: Era | undefined;
}

/**
 * Finds the protocol of a request: stated in the request (modern era), or negotiated for the session (legacy era).
 *
 * @throws {McpError} if the request must follow a handshake, or names a revision that the server does not serve
 */
export function resolveProtocol(
  { definition, session, era }: Conversation,
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
  { definition: { modern }, session, era }: Conversation,
  { params }: NotificationMessage,
): RevisionView<"server"> | undefined {
  if (session || era === "legacy") return session?.revision;
  const version = params?._meta?.[metaKeys.protocolVersion];
  return version === undefined ? modern[0] : revisionOf(modern, version);
}

/** The revision that a request states in its `_meta`, if the server serves it. The request is not checked yet. */
export function statedRevision(
  { modern }: ServerDefinition,
  params: Params | undefined,
): RevisionView<"server"> | undefined {
  return revisionOf(modern, params?._meta?.[metaKeys.protocolVersion]);
}

/** A loop: every request asks, and one of the first is the one. */
function revisionOf(
  revisions: readonly RevisionView<"server">[],
  version: unknown,
): RevisionView<"server"> | undefined {
  for (const each of revisions) if (each.id === version) return each;
  return undefined;
}

/** The error for a method that the revision does not have, or that has no handler. */
export function methodNotFound({ revision }: RequestProtocol, method: string): McpError {
  const message = `there is no method ${JSON.stringify(method)} at ${revision.id}`;
  const error = new McpError("method-not-found", message, { rpcCode: rpc.methodNotFound });
  return refusal(revision, "METHOD_NOT_FOUND", error, method);
}

/** Whether a parsed message states its revision in `_meta` (2026-07-28, versioning). It may be any value. */
export function statesRevision(message: unknown): boolean {
  const meta = (message as RequestMessage | null | undefined)?.params?._meta;
  return meta?.[metaKeys.protocolVersion] !== undefined || meta?.[metaKeys.clientCapabilities] !== undefined;
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
  const revision = revisionOf(definition.modern, version);
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
      ...(hints && revision.lower("outgoingResults", "*", hints as unknown as Params)),
      ...result,
      _meta: {
        ...revision.lower("outgoingResults", "*", { [metaKeys.serverInfo]: connection.definition.info }),
        ...result._meta,
      },
    };
  },
  noRequests: "a server sends no requests at this revision",
  stated: modernProtocol,
  ask: askInRounds,
};

/** Handles `subscriptions/listen` (2026-07-28, subscriptions). Resolves when the server ends the stream. */
export function listen(params: { readonly notifications: Params }, context: RequestContext): Promise<Params> {
  const { connection, protocol, requestId, signal } = context;
  // A bus may throw: nothing is reserved or acknowledged before.
  connection.definition.followChanges();
  // The request stays in memory as long as the stream is open.
  const weight = weightOf(context.request, mostReserved);
  connection.reserve(weight);
  const honoured = honouredFilter(params.notifications, context);
  const wanted = new Map(
    Object.entries(honoured).map(([member, value]) => [member, new Set([value].flat())]),
  );
  const _meta = { [metaKeys.subscriptionId]: requestId };
  context.send("notifications/subscriptions/acknowledged", { notifications: honoured });
  return new Promise((resolve, reject) => {
    const removeListener = connection.onChange(({ method, uri, params: sent = { uri } as Params }) => {
      const { filter, filterKey } = protocol.revision.table.outgoingNotifications.get(method) ?? {};
      if (wanted.get(filter!)?.has(filterKey === undefined || sent[filterKey])) context.send(method, sent);
    }, wanted);
    const removeCloser = connection.onClosing(() => {
      end();
      resolve({ _meta });
    });
    const end = (): void => {
      connection.release(weight);
      removeListener();
      removeCloser();
    };
    signal.addEventListener("abort", () => {
      end();
      reject(new McpError("cancelled", "the subscription was ended"));
    });
  });
}

/** The part of a filter that the server honours: the notifications whose capabilities are declared. */
function honouredFilter(filter: Params, { connection, protocol }: RequestContext): Params {
  const declared = connection.definition.capabilities();
  const honoured: Record<string, unknown> = {};
  for (const facts of protocol.revision.table.outgoingNotifications.values()) {
    const { filter: member } = facts;
    if (
      member !== undefined &&
      filter[member] &&
      isGranted(facts, "server", declared) &&
      mayGet(facts, protocol)
    )
      honoured[member] = filter[member];
  }
  return honoured;
}
