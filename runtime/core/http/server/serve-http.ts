import { once } from "node:events";
import {
  type IncomingMessage,
  type Server as NodeServer,
  type ServerOptions,
  type ServerResponse,
  createServer as createNodeServer,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { gone, invalid, McpError, messageOf, type Rules } from "@mcpgen/base";
import { parseTarget, unslashed } from "./exchange.js";
import { anyName } from "./access.js";
import { type EndpointOptions, checkEndpointOptions } from "./endpoint-options.js";
import { type Endpoint, defaultGraceMs } from "./endpoint.js";
import type { HttpSessions, HttpStats } from "./http-stats.js";
import { deferContinue, nodeHandler } from "./node-http.js";

/** Options of a listening port. */
export interface ListenOptions {
  /** Default: 3000; 0 for any free port. */
  readonly port?: number;
  /** Interface to listen on; its address is then an allowed host. Default: the loopback interface. */
  readonly host?: string;
  /** Path of the endpoint, as it stands in URLs; a slash may follow in requests. Default: `/mcp`. */
  readonly path?: string;
}

const listenRules: Rules<ListenOptions, "headersTimeout" | "requestTimeout"> = {
  port: [0, 65_535],
  host: "string",
  path: "string",
  headersTimeout: gone("Set node.headersTimeout of the server that serveHttp returns; it is 10 seconds."),
  requestTimeout: gone("Set node.requestTimeout of the server that serveHttp returns; it is 60 seconds."),
};

const defaultPath = "/mcp";

/** Validates the options of `serveHttp`. @throws {McpError} `invalid-definition` */
function checkServeOptions(options: EndpointOptions & ListenOptions, rules: Rules<EndpointOptions>): void {
  checkEndpointOptions(options, { ...rules, ...listenRules });
  const { host = "localhost", path = defaultPath, routes = [] } = options;
  if (host === "") throw invalid('host: expected a name or an address, got "".');
  // Requests contain the path as a URL writes it, so any other spelling never matches.
  if (parseTarget(path)?.pathname !== path)
    throw invalid(`path: expected one as it stands in URLs, such as "/mcp", got ${JSON.stringify(path)}.`);
  const isEndpoint = (other: unknown): boolean =>
    typeof other === "string" && unslashed(other) === unslashed(path);
  if (routes.some((route) => isEndpoint((route as Partial<typeof route> | null)?.path)))
    throw invalid(`routes: ${path} is the path of the endpoint. Choose another path.`);
}

/** A listening server. */
export interface HttpServer {
  /** URL of the endpoint for programs on this machine. */
  readonly url: string;
  readonly port: number;
  readonly node: NodeServer;
  readonly sessions: HttpSessions;
  stats(): HttpStats;
  /** Ends sessions and streams, then connections. */
  close(): Promise<void>;
}

/**
 * Listens on a port and serves over HTTP.
 *
 * @param rules of the options of the endpoint
 * @param endpointOf makes the endpoint
 * @throws {McpError} `invalid-definition`: an option is wrong; `listen-failed`: the port cannot be opened
 */
export async function listen<Options extends EndpointOptions>(
  options: Options & ListenOptions,
  rules: Rules<Options>,
  endpointOf: (options: Options) => Endpoint,
): Promise<HttpServer> {
  checkServeOptions(options, rules);
  const { port = 3000, host = "127.0.0.1", path = defaultPath, ...rest } = options;
  const name = nameOf(host);
  const { allowedHosts = [] } = rest;
  const hosts = allowedHosts === anyName ? anyName : [name, ...allowedHosts];
  const endpoint = endpointOf({ ...rest, allowedHosts: hosts } as unknown as Options);
  const handle = nodeHandler(endpoint, path, rest.publicUrl);
  const node = createNodeServer(timeLimits, handle);
  // A rejected client gets its answer before it sends the body.
  node.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
    deferContinue(request, response);
    handle(request, response);
  });
  const sockets = new Set<Socket>();
  // One function for all connections, and none that `once` would make for each.
  const forget = function (this: Socket): void {
    sockets.delete(this);
  };
  node.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", forget);
  });
  const taken = await listening(node, port, host);
  return {
    port: taken,
    url: `http://${name}:${taken}${path}`,
    node,
    sessions: handle.sessions,
    stats: handle.stats,
    close: async () => {
      await handle.close();
      await endConnections(node, sockets, Math.min(rest.graceMs ?? defaultGraceMs, mostFlushing));
    },
  };
}

/** Milliseconds that written responses have to leave after `close`. */
const mostFlushing = 1000;

/** @param flushMs milliseconds that written responses have to leave */
async function endConnections(
  node: NodeServer,
  sockets: ReadonlySet<Socket>,
  flushMs: number,
): Promise<void> {
  // Node emits no event when all sockets are flushed, and closing connections drops unsent data. So this polls.
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

/** The host name for URLs on this machine: the wildcard address becomes the loopback address. */
function nameOf(host: string): string {
  if (!/^[0.:]+$/.test(host)) return host.includes(":") ? `[${host}]` : host;
  return host.includes(":") ? "[::1]" : "127.0.0.1";
}

/** Timeouts against clients that send slowly or nothing, in milliseconds. */
const timeLimits: ServerOptions = {
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  // Longer than proxies keep their connections, so that no proxy sends a request on a closed one.
  keepAliveTimeout: 65_000,
  // Checked late, a timeout has no effect; checked too often, it costs time.
  connectionsCheckingInterval: 5000,
};

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
