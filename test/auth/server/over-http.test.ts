import { describe, expect, test } from "vitest";
import { type AuthorizationServer } from "../../support/auth/authorization-server.js";
import { rowsWithoutRule, rulesByRevision, serverRows } from "../../support/auth/rows.js";
import { targetOf, ways } from "./protected-target.js";
import { claimsFor } from "./requests.js";
import { serverRules } from "./server-rules.js";

describe.each(ways)("over %s", (way) => {
  test.each(serverRules.map((rule) => [rule.id, rule.text, rule] as const))("%s: %s", async (_, __, rule) => {
    await rule.holds(await targetOf(way));
  });
});

// Those of 2025-11-25 are above.
const others = rulesByRevision(serverRules, serverRows).filter(([, , revision]) => revision !== "2025-11-25");

test.each(others)("%s server: %s (%s)", async (_, __, revision, rule) => {
  await rule.holds({ ...(await targetOf("fetch handler")), revision });
});

test("each row of the checklist has a rule", () => {
  expect(rowsWithoutRule(serverRules, serverRows)).toEqual([]);
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

test("2025-03-26: the calls of a batch are checked together, and none of them runs", async () => {
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
