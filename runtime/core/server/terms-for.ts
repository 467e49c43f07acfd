import { beforeHandshake, negotiate } from "./legacy-server.js";
import { isModern, modernTerms, unsupportedVersion } from "./modern-server.js";
import { McpError, invalidRequest, rpc } from "../jsonrpc/errors.js";
import type { RequestMessage } from "../jsonrpc/message.js";
import type { ServerConnection } from "./connection.js";
import type { Terms } from "./terms.js";

/**
 * The terms a request is answered on: its own (modern era), or those of the session (legacy era).
 *
 * @throws {McpError} if it comes before a handshake that it needs, or names a revision that is not served
 */
export function termsFor({ core, session }: ServerConnection, request: RequestMessage): Terms {
  const servesModern = core.spoken[0]!.era === "modern";
  if (isModern(request) && servesModern) return modernTerms(core, request);
  if (request.method === "initialize") {
    const version = request.params?.["protocolVersion"];
    const spoken = negotiate(core, version);
    if (!spoken) throw unsupportedVersion(core, version);
    return beforeHandshake(spoken);
  }
  if (session) return session;
  const oldest = core.spoken.at(-1)!;
  if (request.method === "ping" && oldest.era === "legacy") return beforeHandshake(oldest);
  if (servesModern) return modernTerms(core, request);
  throw invalidRequest("the session has not been opened: send initialize first");
}

/** A method that the revision does not have, or nobody handles. */
export function methodNotFound({ spoken }: Terms, method: string): McpError {
  return new McpError("method-not-found", `there is no method ${JSON.stringify(method)} at ${spoken.id}`, {
    rpcCode: rpc.methodNotFound,
  });
}
