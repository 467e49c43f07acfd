import type { ClientCapabilities, Implementation } from "@mcpgen/protocol/authoring";
import type { IncomingRequest } from "@mcpgen/protocol/model";
import { McpError, invalidRequest, rpc } from "../jsonrpc/errors.js";
import type { Params, RequestMessage } from "../jsonrpc/message.js";
import type { LogLevel } from "../protocol/meta.js";
import type { RevisionView } from "../protocol/revision-view.js";
import type { Ask } from "./ask.js";
import type { ServerConnection } from "./connection.js";
import type { RequestContext } from "./context.js";
import { beforeHandshake, negotiate } from "./legacy.js";
import { isModern, modernProtocol, unsupportedVersion } from "./modern.js";
import type { CacheHints } from "./result.js";
import type { ServerDefinition } from "./server-definition.js";

/**
 * The protocol of one request: the revision, and what the client has declared. Legacy revisions negotiate it once for a
 * session; in the modern era each request states it.
 */
export interface RequestProtocol {
  readonly era: ServerEra;
  readonly revision: RevisionView<"server">;
  readonly clientCapabilities: ClientCapabilities;
  readonly clientInfo: Implementation | undefined;
  /** Why the server cannot send requests to this client, whatever the client has declared. */
  readonly unasked?: string;
  /** `false` until the client is initialized: before that, the server sends only pings and log messages. */
  readonly ready?: boolean;
  /** The lowest level of log messages that are sent; without it, none are sent. */
  readonly logLevel: LogLevel | undefined;
}

/** What a server does differently in each era. */
export interface ServerEra {
  /**
   * Adds the members that the era requires to a result.
   *
   * @param resultType of a result that is not complete
   */
  finish(
    result: Params,
    entry: IncomingRequest,
    hints: CacheHints,
    definition: ServerDefinition,
    resultType?: string,
  ): Params;
  /** Returns the functions that a handler calls to ask the client for input. */
  ask(context: RequestContext): Ask;
}

/**
 * Finds the protocol of a request: stated in the request (modern era), or negotiated for the session (legacy era).
 *
 * @throws {McpError} if the request must follow a handshake, or names a revision that the server does not serve
 */
export function resolveProtocol(
  { definition, session }: ServerConnection,
  request: RequestMessage,
): RequestProtocol {
  const { modern, legacy } = definition;
  const servesModern = modern.length > 0;
  if (servesModern && isModern(request)) return modernProtocol(definition, request);
  if (request.method === "initialize") {
    const version = request.params?.["protocolVersion"];
    const revision = negotiate(definition, version);
    if (!revision) throw unsupportedVersion(definition, version);
    return beforeHandshake(revision);
  }
  if (session) return session;
  const oldest = legacy.at(-1);
  if (request.method === "ping" && oldest) return beforeHandshake(oldest);
  if (servesModern) return modernProtocol(definition, request);
  throw invalidRequest("the session has not been opened: send initialize first");
}

/** The error for a method that the revision does not have, or that has no handler. */
export function methodNotFound({ revision }: RequestProtocol, method: string): McpError {
  return new McpError("method-not-found", `there is no method ${JSON.stringify(method)} at ${revision.id}`, {
    rpcCode: rpc.methodNotFound,
  });
}
