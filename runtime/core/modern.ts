// Servers and clients of modern revisions alone (2026-07-28 and later), over every transport: what only the revisions before need
// is left out. A legacy revision is refused.
import { type EndpointOptions, endpointRules } from "./http/server/endpoint-options.js";
import { Endpoint, modernEndpoint } from "./http/server/endpoint.js";
import { type NodeHandler, nodeHandler } from "./http/server/node-http.js";
import { type HttpServer, type ListenOptions, listen } from "./http/server/serve-http.js";
import type { Server } from "./server/server.js";

export * from "./modern-web.js";

export type { NodeHandler } from "./http/server/node-http.js";
export type { HttpServer } from "./http/server/serve-http.js";

/** As of @mcpgen/runtime/http, without options of sessions. */
export type ServeHttpOptions = EndpointOptions & ListenOptions;

/** As `createNodeHandler` of @mcpgen/runtime/http. @throws {McpError} `invalid-definition` */
export function createNodeHandler(server: Server, options?: EndpointOptions): NodeHandler {
  return nodeHandler(modernEndpoint(server, options));
}

/** As `serveHttp` of @mcpgen/runtime/http. @throws {McpError} `invalid-definition`, `listen-failed` */
export function serveHttp(server: Server, options: ServeHttpOptions = {}): Promise<HttpServer> {
  return listen<EndpointOptions>(options, endpointRules, (rest) => new Endpoint(server, rest));
}
