import { type NodeHandler, nodeHandler } from "../../http/server/node-http.js";
import { type HttpServer, type ListenOptions, listen } from "../../http/server/serve-http.js";
import type { Server } from "../../server/server.js";
import { type HttpOptions, httpRules } from "./http-options.js";
import { checkedEndpoint, endpointOf } from "./legacy-endpoint.js";

export interface ServeHttpOptions extends HttpOptions, ListenOptions {}

/**
 * Creates a handler for a server of node:http, Express, Fastify and similar frameworks.
 *
 * @throws {McpError} `invalid-definition`: an option is wrong
 */
export function createNodeHandler(server: Server, options?: HttpOptions): NodeHandler {
  return nodeHandler(checkedEndpoint(server, options));
}

/**
 * Listens on a port and serves over HTTP.
 *
 * @throws {McpError} `invalid-definition`: an option is wrong; `listen-failed`: the port cannot be opened
 */
export function serveHttp(server: Server, options: ServeHttpOptions = {}): Promise<HttpServer> {
  return listen<HttpOptions>(options, httpRules, (rest) => endpointOf(server, rest));
}
