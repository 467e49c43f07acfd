import type { ClientCapabilities, Implementation } from "@mcpgen/protocol/authoring";
import type { IncomingRequest } from "@mcpgen/protocol/model";
import type { LogLevel } from "../protocol/meta.js";
import type { RevisionView } from "../protocol/revision-view.js";
import type { Params, RequestMessage } from "../jsonrpc/message.js";
import type { Ask } from "./ask.js";
import type { RequestContext } from "./context.js";
import type { CacheHints } from "./result.js";
import type { ServerDefinition } from "./server-definition.js";
import { beforeHandshake, negotiate } from "./legacy.js";
import { isModern, modernProtocol, unsupportedVersion } from "./modern.js";
import { McpError, invalidRequest, rpc } from "../jsonrpc/errors.js";
import type { ServerConnection } from "./connection.js";

/** What holds while one request is answered: negotiated once in the legacy era, said with each request in the modern one. */
export interface RequestProtocol {
  readonly era: ServerEra;
  readonly spoken: RevisionView<"server">;
  readonly clientCapabilities: ClientCapabilities;
  readonly clientInfo: Implementation | undefined;
  /** Why nothing can be asked of the client, whatever it has declared. */
  readonly unasked?: string;
  /** False until the client says that it takes requests and notifications: nothing but pings and logs are sent before. */
  readonly ready?: boolean;
  /** Log messages below it are not sent; without it, none are. */
  readonly logLevel: LogLevel | undefined;
}

/** What the eras do differently, once the protocol of a request is resolved. */
export interface ServerEra {
  /**
   * Adds the members that the era owns to a result.
   *
   * @param resultType of what is no complete result
   */
  finish(
    result: Params,
    entry: IncomingRequest,
    hints: CacheHints,
    core: ServerDefinition,
    resultType?: string,
  ): Params;
  /** How a handler asks the client while it runs. */
  ask(context: RequestContext): Ask;
}

/**
 * Finds the protocol of a request: stated in the request (modern era), or negotiated for the session (legacy era).
 *
 * @throws {McpError} if it comes before a handshake that it needs, or names a revision that is not served
 */
export function resolveProtocol(
  { core, session }: ServerConnection,
  request: RequestMessage,
): RequestProtocol {
  const servesModern = core.spoken[0]!.era === "modern";
  if (isModern(request) && servesModern) return modernProtocol(core, request);
  if (request.method === "initialize") {
    const version = request.params?.["protocolVersion"];
    const spoken = negotiate(core, version);
    if (!spoken) throw unsupportedVersion(core, version);
    return beforeHandshake(spoken);
  }
  if (session) return session;
  const oldest = core.spoken.at(-1)!;
  if (request.method === "ping" && oldest.era === "legacy") return beforeHandshake(oldest);
  if (servesModern) return modernProtocol(core, request);
  throw invalidRequest("the session has not been opened: send initialize first");
}

/** A method that the revision does not have, or nobody handles. */
export function methodNotFound({ spoken }: RequestProtocol, method: string): McpError {
  return new McpError("method-not-found", `there is no method ${JSON.stringify(method)} at ${spoken.id}`, {
    rpcCode: rpc.methodNotFound,
  });
}
