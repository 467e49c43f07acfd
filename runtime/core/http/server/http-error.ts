import { type McpError, invalidRequest, rpc } from "../../jsonrpc/errors.js";
import { type RequestId, errorText } from "../../jsonrpc/message.js";
import { type Refusal, corsHeaders } from "./access.js";
import { type Exchange, jsonHeaders } from "./exchange.js";

/** Answers with an error, in the form of JSON-RPC. */
export function refuse(
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

/** Answers that a request is not one of the protocol's. */
export function refuseInvalid(exchange: Exchange, status: number, message: string, id?: RequestId): void {
  refuse(exchange, status, id, invalidRequest(message));
}

/** Answers whom the guard does not let in: a page of another origin gets nothing that it could read. */
export function refuseStranger(exchange: Exchange, { status, message }: Refusal): void {
  refuse(exchange, status, undefined, invalidRequest(message), {});
}

/** Answers that there is too much to do already. */
export function refuseBusy(exchange: Exchange, id: RequestId | undefined): void {
  refuseForNow(exchange, id, "the server is busy: try again later", { "retry-after": "1" });
}

/** Answers that nothing is begun any more, and lets go of the connection. */
export function refuseClosing(exchange: Exchange): void {
  refuseForNow(exchange, undefined, "the server is closing", { connection: "close" });
}

function refuseForNow(
  exchange: Exchange,
  id: RequestId | undefined,
  message: string,
  headers: Readonly<Record<string, string>>,
): void {
  const text = errorText(id, { code: rpc.internalError, message });
  exchange.reply(503, { ...jsonHeaders, ...corsHeaders(exchange), ...headers }, text);
}
