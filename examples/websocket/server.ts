// A server that listens on a port: node:http, and `ws` for the upgrade.
import { once } from "node:events";
import {
  createServer as createHttpServer,
  STATUS_CODES,
  type IncomingMessage,
  type Server as HttpServer,
} from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { Server, ServerConnection } from "@mcpgen/runtime";
import { WebSocketServer } from "ws";
import { WebSocketChannel, type WebSocketChannelOptions, defaultLimit, subprotocol } from "./channel.js";
import type { GuardOptions } from "@mcpgen/runtime/http";
import { guard } from "./guard.js";

export interface ServeWebSocketOptions extends GuardOptions {
  /** Default: 0, any free port. */
  readonly port?: number;
  /** Default: `127.0.0.1`. */
  readonly host?: string;
  /** Default: `/mcp`. */
  readonly path?: string;
  /** Connections at a time; the next one is refused with 503. Default: 100. */
  readonly maxConnections?: number;
  /** Bytes of one incoming message. Default: 10 MiB. */
  readonly limit?: number;
  /** Bytes that a client may leave unread before the server stops reading its requests. Default: 4 MiB. */
  readonly backlog?: number;
  /** Bytes that a client may leave unread before the server cuts the connection. Default: 64 MiB. */
  readonly waitingLimit?: number;
  /** Milliseconds between pings. A client that is silent for as long is cut. Default: 15,000. */
  readonly keepAliveMs?: number;
  /** Milliseconds in which running requests may be answered after `close`. Default: 5000. */
  readonly graceMs?: number;
}

export interface WebSocketService {
  readonly url: string;
  /** Refuses new connections, lets running requests be answered, then ends all connections. */
  close(): Promise<void>;
}

/** Serves over WebSockets. Rejects if the port cannot be listened on. */
export async function serveWebSocket(
  server: Server,
  options: ServeWebSocketOptions = {},
): Promise<WebSocketService> {
  const { port = 0, host = "127.0.0.1", path = "/mcp", maxConnections = 100 } = options;
  const limits = limitsOf(options);
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: limits.limit,
    // What is compressed costs memory for each connection, and a small message may become a large one.
    perMessageDeflate: false,
    handleProtocols: () => subprotocol,
  });
  const connections = new Set<ServerConnection>();
  let closed: Promise<void> | undefined;

  const http = createHttpServer({ headersTimeout: 10_000 }, (_request, response) => {
    response.writeHead(426, { upgrade: "websocket", connection: "upgrade, close" }).end();
  });
  http.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const refusal = guard(request, path, options);
    if (refusal) return refuse(socket, refusal.status, refusal.message);
    if (closed) return refuse(socket, 503, "the server is closing");
    if (connections.size >= maxConnections) return refuse(socket, 503, "the server is busy");
    sockets.handleUpgrade(request, socket, head, (upgraded) => {
      const channel = new WebSocketChannel(upgraded, limits);
      const connection = server.connect(channel);
      connections.add(connection);
      void channel.closed.then(() => connections.delete(connection));
    });
  });
  http.listen(port, host);
  await once(http, "listening");
  const address = `${host.includes(":") ? `[${host}]` : host}:${(http.address() as AddressInfo).port}`;
  const close = (): Promise<void> => (closed ??= end(http, connections, options.graceMs ?? 5000));
  return { url: `ws://${address}${path}`, close };
}

function limitsOf(options: ServeWebSocketOptions): WebSocketChannelOptions {
  return {
    limit: options.limit ?? defaultLimit,
    backlog: options.backlog ?? 4 * 1024 * 1024,
    waitingLimit: options.waitingLimit ?? 64 * 1024 * 1024,
    keepAliveMs: options.keepAliveMs ?? 15_000,
  };
}

async function end(http: HttpServer, connections: Set<ServerConnection>, graceMs: number): Promise<void> {
  const ended = once(http, "close");
  http.close();
  await within(graceMs, Promise.all([...connections].map((each) => each.drain())));
  await Promise.all([...connections].map((each) => each.close()));
  http.closeAllConnections();
  await ended;
}

function refuse(socket: Duplex, status: number, message: string): void {
  socket.on("error", () => {});
  socket.once("finish", () => socket.destroy());
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "Connection: close",
    "Content-Type: text/plain; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(message)}`,
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${message}`);
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([work, new Promise((resolve) => (timer = setTimeout(resolve, ms)))]);
  clearTimeout(timer);
}
