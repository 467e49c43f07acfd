// The client's end: give `connect` a function that calls this, and it connects again after the connection was lost.
import type { IncomingMessage } from "node:http";
import { McpError } from "@mcpgen/runtime";
import { WebSocket } from "ws";
import { WebSocketChannel, defaultLimit, subprotocol } from "./channel.js";

export interface OpenWebSocketOptions {
  /** Headers of the request that opens the connection. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes of one incoming message. Default: 10 MiB. */
  readonly limit?: number;
  /** Milliseconds between pings. A server that is silent for as long is given up. Default: 15,000. */
  readonly keepAliveMs?: number;
  /** Milliseconds for the connection to open. Default: 10,000. */
  readonly openMs?: number;
}

/** Characters of a refusal that are kept. */
const mostBody = 1024;

/**
 * Opens a WebSocket.
 *
 * @throws {McpError} `connection-closed`: the server cannot be reached (`data.unreachable`), or refuses (`data.status`);
 *   `invalid-definition`: the URL is none of a WebSocket
 */
export async function openWebSocket(
  url: string,
  options: OpenWebSocketOptions = {},
): Promise<WebSocketChannel> {
  const { limit = defaultLimit, keepAliveMs = 15_000, openMs = 10_000, headers = {} } = options;
  // A client reads on however much waits, but for answers: two sides that both stop reading wait forever.
  const limits = { limit, keepAliveMs, backlog: Infinity, waitingLimit: Infinity };
  let socket: WebSocket;
  try {
    const how = { headers, maxPayload: limit, perMessageDeflate: false, handshakeTimeout: openMs };
    socket = new WebSocket(url, subprotocol, how);
  } catch (cause) {
    throw new McpError("invalid-definition", `cannot connect to ${JSON.stringify(url)}`, { cause });
  }
  return new Promise((resolve, reject) => {
    socket.once("open", () => resolve(new WebSocketChannel(socket, limits)));
    socket.once("unexpected-response", (_request, response) => void refused(response).then(reject));
    socket.on("error", (cause) => {
      const text = `cannot open a WebSocket: ${cause.message}`;
      reject(new McpError("connection-closed", text, { data: { unreachable: true }, cause }));
    });
  });
}

async function refused(response: IncomingMessage): Promise<McpError> {
  const { statusCode: status } = response;
  let body = "";
  response.setEncoding("utf8");
  const timer = setTimeout(() => response.destroy(), 1000);
  try {
    for await (const chunk of response) if ((body += String(chunk)).length >= mostBody) break;
  } catch {
    // The status says enough.
  }
  clearTimeout(timer);
  body = body.slice(0, mostBody);
  const text = `the server refused the WebSocket with ${status}${body === "" ? "" : `: ${body}`}`;
  return new McpError("connection-closed", text, { data: { status, body } });
}
