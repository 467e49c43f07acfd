import { type McpError, invalidRequest, rpc } from "../../jsonrpc/errors.js";
import { type RequestId, errorText } from "../../jsonrpc/message.js";
import { type Refusal, corsHeaders } from "./access.js";
import { type Exchange, jsonHeaders } from "./exchange.js";

/** Replies with a JSON-RPC error. */
export function replyError(
  exchange: Exchange,
  status: number,
  id: RequestId | undefined,
  error: McpError,
  cors = corsHeaders(exchange),
): void {
  const { message, data, rpcCode = rpc.internalError } = error;
  const body = { code: rpcCode, message, ...(data === undefined ? {} : { data }) };
  exchange.reply(status, { ...jsonHeaders, ...cors }, errorText(id, body));
}

/** Replies with the JSON-RPC error "invalid request". */
export function replyInvalid(exchange: Exchange, status: number, message: string, id?: RequestId): void {
  replyError(exchange, status, id, invalidRequest(message));
}

/**
 * Replies to a host or origin that is not allowed, without CORS headers: a page of that origin cannot read the
 * answer.
 */
export function replyForbidden(exchange: Exchange, { status, message }: Refusal): void {
  replyError(exchange, status, undefined, invalidRequest(message), {});
}

/** Replies with 503 because a limit is reached. */
export function replyBusy(exchange: Exchange, id: RequestId | undefined): void {
  replyUnavailable(exchange, id, "the server is busy: try again later", { "retry-after": "1" });
}

/** Replies with 503 because the server is closing, and closes the connection. */
export function replyClosing(exchange: Exchange): void {
  replyUnavailable(exchange, undefined, "the server is closing", { connection: "close" });
}

function replyUnavailable(
  exchange: Exchange,
  id: RequestId | undefined,
  message: string,
  headers: Readonly<Record<string, string>>,
): void {
  const text = errorText(id, { code: rpc.internalError, message });
  exchange.reply(503, { ...jsonHeaders, ...corsHeaders(exchange), ...headers }, text);
}
