// Servers of ours for the rules of protected servers.
import { type IncomingMessage, type ServerResponse } from "node:http";
import { serverRevisions } from "@mcpgen/protocol/server";
import { createServer } from "@mcpgen/runtime";
import { createNodeHandler } from "@mcpgen/runtime/http";
import { type ResourceServerOptions, jwks, resourceServer } from "@mcpgen/auth/server";
import { authorizationServer } from "../../support/auth/authorization-server.js";
import { serve } from "../../support/http-adapters.js";
import { loopback } from "../../support/listen.js";
import { resource } from "./requests.js";
import type { ProtectedTarget } from "./server-rules.js";

const scopes = {
  required: ["mcp"],
  hierarchy: { "files:admin": ["files:write"], "files:write": ["files:read"] },
};

function tools(): ReturnType<typeof createServer> {
  const server = createServer(
    { name: "protected", version: "1" },
    { revisions: serverRevisions, onEvent: () => true },
  );
  server.tool("echo", {}, () => "echoed");
  server.tool("write", { scopes: ["files:write", "files:read"] }, () => "written");
  server.tool("whoami", {}, (_, context) => JSON.stringify(context.auth));
  server.tool(
    "choose",
    { scopes: ({ path }) => [path === "/public" ? "public" : "files:read"] },
    () => "chosen",
  );
  return server;
}

/** A handler inside an application that strips the mount path, as Express does. */
async function mounted(options: ReturnType<typeof resourceServer>["http"]): Promise<string> {
  const handler = createNodeHandler(tools(), options);
  const origin = await loopback(
    (request: IncomingMessage & { originalUrl?: string }, response: ServerResponse) => {
      const { pathname } = new URL(request.url!, "http://localhost");
      request.originalUrl = request.url!;
      if (handler.routes.includes(pathname)) return handler(request, response);
      if (pathname !== "/mcp") return void response.writeHead(404).end();
      request.url = request.url!.slice("/mcp".length) || "/";
      handler(request, response);
    },
  );
  return `${origin}/mcp`;
}

/** How a server is reached. */
export const ways = ["serveHttp", "fetch handler", "mount"] as const;

export async function targetOf(
  way: (typeof ways)[number],
  more: Partial<ResourceServerOptions> = {},
): Promise<ProtectedTarget> {
  const [as, second, foreign] = [
    await authorizationServer(),
    await authorizationServer(),
    await authorizationServer(),
  ];
  const issuers = [jwks(as.issuer), jwks(second.issuer)];
  const { http } = resourceServer({ resource, issuers, scopes, ...more });
  const listening = { as, second, foreign, resource };
  if (way === "mount") return { ...listening, url: await mounted(http) };
  return { ...listening, url: (await serve(way === "serveHttp" ? "node" : "fetch", tools(), http)).url };
}
