import { type HttpHandler, fetchHandler } from "../../http/server/fetch-http.js";
import type { Server } from "../../server/server.js";
import type { HttpOptions } from "./http-options.js";
import { checkedEndpoint } from "./legacy-endpoint.js";

/**
 * Creates a handler for platforms with `Request` and `Response`.
 *
 * @throws {McpError} `invalid-definition`: an option is wrong
 */
export function createHttpHandler(server: Server, options?: HttpOptions): HttpHandler {
  return fetchHandler(checkedEndpoint(server, options));
}
