import { type IncomingMessage, type ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { serverRevisions } from "@mcpgen/protocol/server";
import { createServer } from "@mcpgen/runtime";
import { createNodeHandler } from "@mcpgen/runtime/http";
import { type ResourceServerOptions, jwks, resourceServer } from "@mcpgen/auth/server";
import { type AuthorizationServer, authorizationServer } from "../../support/auth/authorization-server.js";
import { type ProtectedTarget, serverRules } from "./server-rules.js";
import { serve } from "../../support/http-adapters.js";
import { loopback } from "../../support/listen.js";
import { claimsFor, resource } from "./requests.js";

const scopes = {
  required: ["mcp"],
  hierarchy: { "files:admin": ["files:write"], "files:write": ["files:read"] },
};

function tools(): ReturnType<typeof createServer> {
  const server = createServer(
    { name: "protected", version: "1" },
    { revisions: serverRevisions, onWarning: () => undefined, stateKeys: ["a key for tests, of length"] },
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

const ways = ["serveHttp", "fetch handler", "mount"] as const;

async function targetOf(
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

describe.each(ways)("over %s", (way) => {
  test.each(serverRules.map((rule) => [rule.id, rule.text, rule] as const))("%s: %s", async (_, __, rule) => {
    await rule.holds(await targetOf(way));
  });
});

const newest = "2026-07-28";

async function modern(url: string, token: string, calls: object): Promise<Response> {
  const { method, params } = calls as { method: string; params: Record<string, unknown> };
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": newest,
    "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  return fetch(url, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": newest,
      "mcp-method": method,
      ...(typeof params["name"] === "string" && { "mcp-name": params["name"] }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }),
  });
}

const minted = (as: AuthorizationServer, more: object = {}): Promise<string> =>
  as.sign(claimsFor(as, { scope: "mcp", ...more }), "at+jwt");

test.each(ways)("2026-07-28 over %s: scopes of tools, by their arguments too", async (way) => {
  const { url, as } = await targetOf(way);
  const token = await minted(as, { scope: "mcp public" });
  const call = (name: string, args = {}): Promise<Response> =>
    modern(url, token, { method: "tools/call", params: { name, arguments: args } });
  expect((await call("choose", { path: "/public" })).status).toBe(200);
  const denied = await call("choose", { path: "/secret" });
  expect(denied.status).toBe(403);
  expect(denied.headers.get("www-authenticate")).toContain('scope="mcp public files:read"');
  expect((await call("write")).status).toBe(403);
  expect((await call("echo")).status).toBe(200);
});

test("2025-03-26: the calls of a batch are judged together, and none runs", async () => {
  const { url, as } = await targetOf("serveHttp");
  const token = await minted(as);
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const post = (message: unknown, more = {}): Promise<Response> =>
    fetch(url, { method: "POST", headers: { ...headers, ...more }, body: JSON.stringify(message) });
  const clientInfo = { name: "t", version: "1" };
  const params = { protocolVersion: "2025-03-26", capabilities: {}, clientInfo };
  const opened = await post({ jsonrpc: "2.0", id: 0, method: "initialize", params });
  const session = { "mcp-session-id": opened.headers.get("mcp-session-id")! };
  await post({ jsonrpc: "2.0", method: "notifications/initialized" }, session);
  const call = (id: number, name: string): object => ({
    ...{ jsonrpc: "2.0", id, method: "tools/call" },
    params: { name, arguments: {} },
  });
  const denied = await post([call(1, "echo"), call(2, "write"), call(3, "choose")], session);
  expect([denied.status, denied.headers.get("www-authenticate")]).toEqual([
    403,
    expect.stringContaining('scope="mcp files:write files:read"'),
  ]);
  expect((await post([call(1, "echo"), call(2, "echo")], session)).status).toBe(200);
});
