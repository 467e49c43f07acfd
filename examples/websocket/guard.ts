// Which requests for a WebSocket are refused. Browsers let any page open a WebSocket to any address, this machine's
// included, and ask no server before: only these checks keep strange pages out.
import type { IncomingMessage } from "node:http";
import { type GuardOptions, type Refusal, guardRequest } from "@mcpgen/runtime/http";
import { subprotocol } from "./channel.js";

/** The refusal of a request, or `undefined` if it may be upgraded. */
export function guard(
  request: IncomingMessage,
  path: string,
  options: GuardOptions,
): Pick<Refusal, "status" | "message"> | undefined {
  const refusal = guardRequest((name) => request.headersDistinct[name]?.join(","), options);
  if (refusal) return refusal;
  if (request.url?.split("?")[0] !== path) return { status: 404, message: `the endpoint is ${path}` };
  const offered = request.headers["sec-websocket-protocol"]?.split(",").map((each) => each.trim());
  if (!offered?.includes(subprotocol))
    return { status: 400, message: `the client has to offer the subprotocol ${subprotocol}` };
  return undefined;
}
