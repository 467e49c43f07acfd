import { once } from "node:events";
import {
  type IncomingMessage,
  type RequestListener,
  type Server as NodeServer,
  type ServerOptions,
  type ServerResponse,
  createServer as createNodeServer,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { McpError, messageOf } from "../../jsonrpc/errors.js";
import { type Rules, checkOptions, invalid } from "../../options/option-check.js";
import type { Server } from "../../server/server.js";
import { locate } from "./exchange.js";
import { type HttpOptions, defaults, httpRules } from "./http-options.js";
import { holdBody, nodeHandler } from "./node-http.js";

export interface ServeHttpOptions extends HttpOptions {
  /** 0 for any that is free; 3000 without it. */
  readonly port?: number;
  /** Interface to listen on, whose address is a name of the server, then; the loopback one without it. */
  readonly host?: string;
  /** Path of the endpoint, as it stands in URLs; `/mcp` without it. */
  readonly path?: string;
  /** Milliseconds that the head of a request may take to come; 10 s without it, for ever with 0. */
  readonly headersTimeout?: number;
  /** Milliseconds that a request may take to come; 60 s without it, for ever with 0. */
  readonly requestTimeout?: number;
}

const serveRules: Rules<ServeHttpOptions> = {
  ...httpRules,
  port: [0, 65_535],
  host: "string",
  path: "string",
  headersTimeout: 0,
  requestTimeout: 0,
};

/** The same of a server with a port of its own. @throws {McpError} `invalid-definition` */
function checkServeOptions(options: ServeHttpOptions): void {
  checkOptions(options, serveRules);
  const { host = "localhost", path = "/" } = options;
  if (host === "") throw invalid('host: expected a name or an address, got "".');
  // What a URL would write otherwise never comes.
  if (locate(path)?.pathname !== path)
    throw invalid(`path: expected one as it stands in URLs, such as "/mcp", got ${JSON.stringify(path)}.`);
}

/** A server that listens. */
export interface HttpServer {
  /** Where programs of this machine reach it. */
  readonly url: string;
  readonly port: number;
  readonly node: NodeServer;
  /** Ends sessions and streams in order, then the connections. */
  close(): Promise<void>;
}

/**
 * Serves over HTTP on a port of its own.
 *
 * @throws {McpError} `invalid-definition`: an option is wrong; `listen-failed`: the port cannot be had
 */
export async function serveHttp(server: Server, options: ServeHttpOptions = {}): Promise<HttpServer> {
  checkServeOptions(options);
  const { port = 3000, host = "127.0.0.1", path = "/mcp", headersTimeout, requestTimeout, ...rest } = options;
  const name = nameOf(host);
  const handle = nodeHandler(server, { ...rest, allowedHosts: [name, ...(rest.allowedHosts ?? [])] });
  const answer: RequestListener = (request, response) => {
    if (pathOf(request.url) === path) return handle(request, response);
    response.writeHead(404).end();
  };
  const node = createNodeServer(timeLimits(headersTimeout, requestTimeout), answer);
  // Who is refused is told before the body is sent.
  node.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
    holdBody(request, response);
    answer(request, response);
  });
  const sockets = new Set<Socket>();
  node.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  const taken = await listening(node, port, host);
  return {
    port: taken,
    url: `http://${name}:${taken}${path}`,
    node,
    close: async () => {
      await handle.close();
      await endConnections(node, sockets, Math.min(rest.graceMs ?? defaults.graceMs, mostFlushing));
    },
  };
}

/** Milliseconds that answers have to leave a server that was closed. */
const mostFlushing = 1000;

/** @param flushMs milliseconds that what was answered has to leave */
async function endConnections(
  node: NodeServer,
  sockets: ReadonlySet<Socket>,
  flushMs: number,
): Promise<void> {
  // Nothing says when all of them have written what was answered, and `node.close()` cuts that off.
  for (const end = performance.now() + flushMs; performance.now() < end && anyWrites(sockets);)
    await new Promise((resolve) => setTimeout(resolve, 5));
  await new Promise<void>((resolve) => {
    node.close(() => resolve());
    node.closeAllConnections();
  });
}

function anyWrites(sockets: ReadonlySet<Socket>): boolean {
  for (const { writableLength, destroyed } of sockets) if (writableLength > 0 && !destroyed) return true;
  return false;
}

/** By what name programs of this machine reach a host: every interface has none of its own. */
function nameOf(host: string): string {
  if (!/^[0.:]+$/.test(host)) return host.includes(":") ? `[${host}]` : host;
  return host.includes(":") ? "[::1]" : "127.0.0.1";
}

/** What keeps a peer that sends byte by byte, or nothing, from holding a connection; in milliseconds, 0 for none. */
export function timeLimits(
  headersTimeout = 10_000,
  requestTimeout = 60_000,
): Pick<
  ServerOptions,
  "headersTimeout" | "requestTimeout" | "connectionsCheckingInterval" | "keepAliveTimeout"
> {
  const request = requestTimeout || Infinity;
  const headers = Math.min(headersTimeout || Infinity, request);
  return {
    headersTimeout: headers < Infinity ? headers : 0,
    requestTimeout,
    // Longer than the proxies in front keep theirs: none sends what finds its connection closed.
    keepAliveTimeout: 65_000,
    // A limit is no limit if it is looked at long after; often costs, too.
    connectionsCheckingInterval: Math.max(20, Math.min(5000, headers / 2)),
  };
}

/** The path of a request's target, which may be a whole URL (RFC 9112, 3.2.2). */
function pathOf(target = ""): string {
  if (!target.startsWith("/")) return locate(target)?.pathname ?? "";
  const end = target.indexOf("?");
  return end < 0 ? target : target.slice(0, end);
}

/** @throws {McpError} `listen-failed` */
async function listening(node: NodeServer, port: number, host: string): Promise<number> {
  try {
    node.listen(port, host);
    await once(node, "listening");
    return (node.address() as AddressInfo).port;
  } catch (error) {
    const message = `cannot listen: ${messageOf(error)}. Give another port (0 for any free one) or host.`;
    throw new McpError("listen-failed", message, { cause: error });
  }
}
