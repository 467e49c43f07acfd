import type { OpenDefinition, RequestOptions } from "@mcpgen/protocol/model";
import {
  asRemote,
  harmless,
  isObject,
  McpError,
  type Params,
  type RequestId,
  requestOf,
  requestText,
  withProgressToken,
} from "@mcpgen/base";
import { askedAlternative, hasMark, requestParams, sendError } from "../../protocol/revision-view.js";
import { withElicitationId } from "../../server/ask.js";
import type { ServerConnection } from "../../server/connection.js";
import type { LegacyEra, ServerRequest } from "../../server/server-definition.js";
import { listRoots, rootsOf } from "./kept-roots.js";

/** Of a method that the revision does not define. */
const anyResult: OpenDefinition = { accepts: isObject };

export const requestClient: LegacyEra["request"] = (connection, request, options, origin) => {
  const { session } = connection;
  const send = (): Promise<Params> => sendRequest(connection, request, options, origin);
  return request.method === listRoots && session ? rootsOf(connection, session, send) : send();
};

async function sendRequest(
  connection: ServerConnection,
  { revision, method, params }: ServerRequest,
  options: RequestOptions,
  origin: RequestId | undefined,
): Promise<Params> {
  const entry = revision.table.outgoingRequests.get(method);
  if (entry ? entry.payload : connection.definition.defines("outgoingRequests", method))
    throw new McpError("missing-capability", `revision ${revision.id} has no ${method}`);
  if (options.signal?.aborted) throw new McpError("cancelled", `${method}: its request has ended`);
  const { pending } = connection.peer;
  const number = pending.nextId();
  const id = connection.requestId?.(number) ?? number;
  connection.onRequestId?.(id);
  // Progress of the client restarts the timeout.
  const withToken = withProgressToken(withElicitationId(params), params?._meta, id);
  const lowered = revision.lower("outgoingRequests", method, withToken);
  // Parameters that cannot be serialised throw here, before anything waits for a response.
  const text = requestText(id, method, lowered);
  const wrong = sendError(revision, "requests", method, requestOf(id, method, lowered));
  if (wrong) throw wrong;
  const { onProgress } = options;
  const waiting = onProgress ? { ...options, onProgress: harmless(onProgress) } : options;
  const answer = pending.wait(id, method, waiting, (error) => {
    const { code, message } = error;
    if (code === "timeout")
      connection.emit({ type: "request-timed-out", direction: "outgoing", method, error });
    if (!connection.held?.delete(id))
      connection.notify({ revision }, "notifications/cancelled", { requestId: id, reason: message }, origin);
  });
  const send = (): boolean => connection.send(text, origin);
  // Before the client is initialized, only pings are sent (2025-11-25, lifecycle, initialization).
  if ((connection.session?.ready === false && method !== "ping") || !send())
    (connection.held ??= new Map()).set(id, send);
  const { result: given, error } = await answer;
  if (error) throw new McpError("remote-error", error.message, { data: error, remote: asRemote(error) });
  const asked = entry && askedAlternative(entry, lowered);
  const alternative = asked && hasMark(asked, given) ? asked : undefined;
  const definition = alternative ?? entry?.result ?? anyResult;
  const result = await connection.read(
    revision,
    definition,
    given,
    method,
    (problem) => new McpError("invalid-result", `${method}: invalid result: ${problem}`),
  );
  if (alternative) return result as Params;
  return revision.lift("incomingResults", method, result as Params, requestParams(lowered, params));
}
