// The conventions of OpenTelemetry for MCP as data, and the spans that they describe for each method of the tables.
import type { IncomingNotification, IncomingRequest, Role } from "@mcpgen/protocol/model";
import type { Revision } from "@mcpgen/protocol/model";

/** How an operation ends. */
export type Ending =
  | "success"
  | "isError"
  | "cancelled"
  | "timeout"
  | "disconnect"
  | { readonly code: number; readonly message: string };

/** A message of one side: a request, or a notification. */
export interface Operation {
  readonly method: string;
  readonly sender: Role;
  readonly kind: "request" | "notification";
  /** A request that is a part of a result (2026-07-28, multi round-trip requests): no message carries it. */
  readonly isPartOfResult: boolean;
  /** The method is a subscription: it ends when one side ends it. */
  readonly isStream: boolean;
}

/** The parts of a span that tests compare. */
export interface SpanFacts {
  readonly name: string;
  readonly kind: "CLIENT" | "SERVER";
  readonly status: "UNSET" | "ERROR";
  /** Description of the status: the message of the JSON-RPC error. */
  readonly description: string | undefined;
  readonly attributes: { readonly [name: string]: unknown };
}

/** Every method of a revision, by its tables: once for each side that may send it. */
export function operationsOf(client: Revision<"client">, server: Revision<"server">): Operation[] {
  const sent = (
    sender: Role,
    kind: Operation["kind"],
    table: ReadonlyMap<string, IncomingNotification | IncomingRequest>,
  ): Operation[] =>
    [...table].map(([method, { payload, listening }]) => ({
      method,
      sender,
      kind,
      isPartOfResult: payload === true,
      isStream: listening === true,
    }));
  return [
    ...sent("client", "request", server.table.incomingRequests),
    ...sent("server", "request", client.table.incomingRequests),
    ...sent("client", "notification", server.table.incomingNotifications),
    ...sent("server", "notification", client.table.incomingNotifications),
  ];
}

/** The attribute with the subject of a request, and the member of the parameters from which it comes. */
const targets: { readonly [method: string]: string } = {
  "tools/call": "gen_ai.tool.name",
  "prompts/get": "gen_ai.prompt.name",
};

/** The methods whose parameter `uri` is the URI of a resource. */
const ofResources = new Set([
  "resources/read",
  "resources/subscribe",
  "resources/unsubscribe",
  "notifications/resources/updated",
]);

/**
 * Whether a code is an error of the side that sends it. In the conventions, −32603 and −32099 to −32000 are, and the
 * other codes of JSON-RPC are not. The conventions do not define codes of applications: they count as errors.
 */
const isServerError = (code: number): boolean => ![-32700, -32600, -32601, -32602].includes(code);

/** `error.type` of each ending, on the side that sent the request and on the side that received it. */
function errorTypes(
  ending: Ending,
  isPartOfResult: boolean,
): { readonly CLIENT?: string; readonly SERVER?: string } {
  if (ending === "success") return {};
  if (ending === "isError") return { CLIENT: "tool_error", SERVER: "tool_error" };
  if (ending === "cancelled") return { CLIENT: "cancelled", SERVER: "cancelled" };
  // The waiting side cancels the request. A request inside of a result is answered by the client itself, which knows
  // the reason.
  if (ending === "timeout" && isPartOfResult) return { SERVER: "timeout" };
  if (ending === "timeout") return { CLIENT: "timeout", SERVER: "cancelled" };
  if (ending === "disconnect") return { CLIENT: "connection-closed", SERVER: "connection-closed" };
  const code = String(ending.code);
  return isServerError(ending.code) ? { CLIENT: code, SERVER: code } : { CLIENT: code };
}

/** The spans of an operation on both sides. */
export function spansOf(
  { method, kind, isPartOfResult }: Operation,
  params: { readonly [name: string]: unknown },
  ending: Ending,
  revision: string,
): SpanFacts[] {
  const target = targets[method];
  const types = errorTypes(ending, isPartOfResult);
  const error = typeof ending === "object" ? ending : undefined;
  // Messages about wrong parameters quote them: they may hold secrets.
  const message = error?.code === -32602 || error?.code === -32603 ? undefined : error?.message;
  const span = (side: "CLIENT" | "SERVER"): SpanFacts => ({
    name: target ? `${method} ${String(params["name"])}` : method,
    kind: side,
    status: types[side] === undefined ? "UNSET" : "ERROR",
    description: types[side] === undefined ? undefined : message,
    attributes: {
      "mcp.method.name": method,
      "mcp.protocol.version": revision,
      "network.transport": "pipe",
      ...(kind === "request" && !isPartOfResult && { "jsonrpc.request.id": "an id" }),
      ...(target && { [target]: params["name"] }),
      ...(method === "tools/call" && { "gen_ai.operation.name": "execute_tool" }),
      // Without its query, which may hold secrets.
      ...(ofResources.has(method) && { "mcp.resource.uri": String(params["uri"]).replace(/\?.*/, "") }),
      ...(error && { "rpc.response.status_code": String(error.code) }),
      ...(types[side] !== undefined && { "error.type": types[side] }),
    },
  });
  return isPartOfResult ? [span("SERVER")] : [span("CLIENT"), span("SERVER")];
}
