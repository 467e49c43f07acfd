// A server of ours behind resourceServer(), on a free port.
import { createServer as createNodeServer } from "node:http";
import { resourceServer } from "@mcpgen/auth/server";
import { createNodeHandler } from "@mcpgen/runtime/http";
import { protectedTools } from "./protected-tools.mjs";

/**
 * Listens, and serves after `protect(issuers, options)`: the authorization server gets to know the resource before.
 */
export async function startProtected() {
  let handler;
  const http = createNodeServer((request, response) => handler(request, response));
  await new Promise((done) => http.listen(0, "127.0.0.1", done));
  const url = `http://127.0.0.1:${http.address().port}/mcp`;
  return {
    url,
    protect(issuers, options = {}) {
      const auth = resourceServer({
        resource: url,
        issuers,
        scopes: { required: ["mcp"] },
        cacheSeconds: 0,
        ...options,
      });
      handler = createNodeHandler(protectedTools(), auth.http);
    },
    close() {
      http.closeAllConnections();
      http.close();
    },
  };
}
