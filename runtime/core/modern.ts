// Servers and clients that only use modern revisions (2026-07-28 and later), over every transport. The code for earlier
// revisions is left out, and a legacy revision is refused.
import { type EndpointOptions, endpointRules } from "./http/server/endpoint-options.js";
import { Endpoint, modernEndpoint } from "./http/server/endpoint.js";
import { type HttpHandler, fetchHandler } from "./http/server/fetch-http.js";
import { type NodeHandler, nodeHandler } from "./http/server/node-http.js";
import { type HttpServer, type ListenOptions, listen } from "./http/server/serve-http.js";
import type { Server } from "./server/server.js";

export * from "./modern-web.js";

export type { NodeHandler } from "./http/server/node-http.js";
export type { HttpServer } from "./http/server/serve-http.js";

/** The options of `serveHttp` of @mcpgen/runtime/http, without session options. */
export type ServeHttpOptions = EndpointOptions & ListenOptions;

/** Like `createHttpHandler` of @mcpgen/runtime/http. @throws {McpError} `invalid-definition` */
export function createHttpHandler(server: Server, options?: EndpointOptions): HttpHandler {
  return fetchHandler(modernEndpoint(server, options));
}

/** Like `createNodeHandler` of @mcpgen/runtime/http. @throws {McpError} `invalid-definition` */
export function createNodeHandler(server: Server, options?: EndpointOptions): NodeHandler {
  return nodeHandler(modernEndpoint(server, options));
}

/** Like `serveHttp` of @mcpgen/runtime/http. @throws {McpError} `invalid-definition`, `listen-failed` */
export function serveHttp(server: Server, options: ServeHttpOptions = {}): Promise<HttpServer> {
  return listen<EndpointOptions>(options, endpointRules, (rest) => new Endpoint(server, rest));
}
