// resourceServer() and oauthProxy() before an upstream without registration: the stand-in of examples/proxied.
import { fileURLToPath } from "node:url";
import { github, oauthProxy } from "@mcpgen/auth/proxy";
import { resourceServer } from "@mcpgen/auth/server";
import { createNodeHandler } from "@mcpgen/runtime/http";
import { build } from "esbuild";
import { protectedTools } from "../protected-tools.mjs";
import { serveAt } from "./listening.mjs";

const standIn = fileURLToPath(new URL("../../../../examples/proxied/login-stand-in.ts", import.meta.url));

async function startStandIn(redirectUri) {
  const options = { bundle: true, platform: "node", format: "esm", write: false, logLevel: "error" };
  const { outputFiles } = await build({ entryPoints: [standIn], ...options });
  const url = `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`;
  return (await import(url)).startLoginStandIn(redirectUri);
}

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
