// resourceServer() and oauthProxy() before an upstream without registration: the stand-in of examples/proxied.
import { github, oauthProxy } from "@mcpgen/auth/proxy";
import { resourceServer } from "@mcpgen/auth/server";
import { createNodeHandler } from "@mcpgen/runtime/http";
import { protectedTools } from "../protected-tools.mjs";
import { startStandIn } from "../stand-in.mjs";
import { serveAt } from "./listening.mjs";

await serveAt(async (origin) => {
  const resource = `${origin}/mcp`;
  const proxy = oauthProxy({
    issuer: origin,
    resource,
    upstream: github({ ...(await startStandIn(`${origin}/oauth/callback`)), scopes: ["gist"] }),
    scopes: { mcp: [], "files:write": ["gist"] },
    keys: ["a key of the proxy, 32 characters"],
  });
  const auth = resourceServer({ resource, issuers: [proxy], scopes: { required: ["mcp"] } });
  const handler = createNodeHandler(protectedTools(), auth.http);
  return (request, response) => {
    const { pathname } = new URL(request.url, origin);
    if (pathname === "/mcp" || handler.routes.includes(pathname)) return handler(request, response);
    response.writeHead(404).end();
  };
});
