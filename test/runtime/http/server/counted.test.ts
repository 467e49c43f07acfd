// A request is counted and its connection registered before its handler runs, even if the handler responds at once.
import { serverRevisions } from "@mcpgen/protocol";
import { createServer } from "@mcpgen/runtime";
import { expect, test } from "vitest";
import type { Endpoint } from "../../../../runtime/core/http/server/endpoint.js";
import { endpointOf } from "../../../../runtime/core/legacy/http/legacy-endpoint.js";
import { exchangeOf } from "./exchange-of.js";

const json = { "content-type": "application/json" };
const clientInfo = { name: "x", version: "1" };
const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "count", arguments: {} } };
const modernMeta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": clientInfo,
  "io.modelcontextprotocol/clientCapabilities": {},
};
const modernHeaders = {
  "mcp-protocol-version": "2026-07-28",
  "mcp-method": "tools/call",
  "mcp-name": "count",
};

function counting(sessions: boolean): { endpoint: Endpoint; seen: unknown[] } {
  const seen: unknown[] = [];
  const server = createServer(
    { name: "counted", version: "1" },
    { revisions: serverRevisions, onEvent: () => true },
  );
  server.tool("count", {}, () => {
    const { requests, held } = endpoint.kept;
    seen.push([requests, held]);
    return "done";
  });
  const endpoint = endpointOf(server, { sessions, keepAliveMs: 0 });
  return { endpoint, seen };
}

async function post(endpoint: Endpoint, headers: Readonly<Record<string, string>>, message: object) {
  const exchange = exchangeOf("POST", { ...json, ...headers }, JSON.stringify(message));
  endpoint.handle(exchange);
  await expect.poll(() => exchange.status).toBe(200);
  return exchange;
}

test.each([
  ["modern", true],
  ["legacy without sessions", false],
  ["legacy with a session", true],
])("%s: the handler runs while its request counts", async (kind, sessions) => {
  const { endpoint, seen } = counting(sessions);
  let headers: Record<string, string> = {};
  let message: object = call;
  if (kind === "modern") {
    headers = modernHeaders;
    message = { ...call, params: { ...call.params, _meta: modernMeta } };
  } else if (sessions) {
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
    const opened = await post(endpoint, {}, { jsonrpc: "2.0", id: 0, method: "initialize", params });
    headers = { "mcp-session-id": opened.session! };
  }
  await post(endpoint, headers, message);
  expect(seen).toEqual([[1, JSON.stringify(message).length]]);
  expect(endpoint.kept).toMatchObject({ requests: 0, held: 0, streams: 0 });
});
