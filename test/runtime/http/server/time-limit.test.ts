import { serverRevisions } from "@mcpgen/protocol";
import { createServer } from "@mcpgen/runtime";
import { timeLimit } from "@mcpgen/observe";
import { VirtualClock } from "@mcpgen/testing";
import { expect, test } from "vitest";
import { endpointOf } from "../../../../runtime/core/legacy/http/legacy-endpoint.js";
import { exchangeOf } from "./exchange-of.js";

test("a handler that exceeds its time counts as a running request until it ends", async () => {
  const clock = new VirtualClock();
  const server = createServer({ name: "s", version: "1" }, { revisions: serverRevisions, clock });
  let end = (): void => {};
  server.handle("tools/list", () => new Promise((resolve) => (end = () => resolve({ tools: [] }))));
  server.tool("t", {}, () => "done");
  server.use(timeLimit(500));
  const endpoint = endpointOf(server);
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/list",
  };
  const message = { jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta } };
  const exchange = exchangeOf("POST", headers, JSON.stringify(message));
  endpoint.handle(exchange);
  await clock.advance(499);
  expect(endpoint.kept.requests).toBe(1);
  await clock.advance(1);
  expect(JSON.parse(exchange.body)).toMatchObject({ error: { code: -31408 } });
  expect(endpoint.kept.requests).toBe(1);
  end();
  await clock.advance(0);
  expect([endpoint.kept.requests, clock.waiting]).toEqual([0, 0]);
});
