import { serverRevisions } from "@mcpgen/protocol";
import { createServer } from "@mcpgen/runtime";
import type { HttpOptions } from "@mcpgen/runtime/http";
import { describe, expect, onTestFinished, test } from "vitest";
import { endpointOf } from "../../../../runtime/core/legacy/http/legacy-endpoint.js";
import { exchangeOf } from "./exchange-of.js";

const json = { "content-type": "application/json" };
const params = { protocolVersion: "2025-03-26", capabilities: {}, clientInfo: { name: "x", version: "1" } };
const modern = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** A client of the revision that has batches, and how many calls its server is at work on. */
function batching(sessions: boolean, options: HttpOptions = {}) {
  const server = createServer({ name: "batches", version: "1" }, { revisions: serverRevisions });
  let running = 0;
  const ends: (() => void)[] = [];
  server.tool("held", {}, async () => {
    running++;
    await new Promise<void>((resolve) => ends.push(resolve));
    return "held";
  });
  const endpoint = endpointOf(server, {
    keepAliveMs: 0,
    graceMs: 0,
    ...(sessions ? {} : { sessions }),
    ...options,
  });
  onTestFinished(() => endpoint.close());
  let session: Record<string, string> = {};
  const post = (message: unknown) => {
    const exchange = exchangeOf("POST", { ...json, ...session }, JSON.stringify(message));
    endpoint.handle(exchange);
    return exchange;
  };
  if (sessions)
    session = { "mcp-session-id": post({ jsonrpc: "2.0", id: "i", method: "initialize", params }).session! };
  else session = { "mcp-protocol-version": "2025-03-26" };
  const call = (id: number | string) => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name: "held" },
  });
  const calls = (count: number, from = 0) => Array.from({ length: count }, (_, index) => call(from + index));
  return {
    endpoint,
    post,
    call,
    calls,
    running: () => running,
    end: () => ends.splice(0).forEach((each) => each()),
  };
}

describe.each([true, false])("with sessions: %s", (sessions) => {
  test("5,000 calls in one POST are refused, and none runs", () => {
    const { post, calls, running, endpoint } = batching(sessions);
    const refused = post(calls(5000));
    expect([refused.status, running(), endpoint.kept.requests]).toEqual([400, 0, 0]);
    expect(refused.body).toContain("the batch holds 5000 requests, and 256 may run at a time");
  });

  test("each call of a batch counts towards the limit of running requests", async () => {
    const { post, call, calls, running, endpoint, end } = batching(sessions, { limits: { work: 10 } });
    const taken = post(calls(8));
    expect([running(), endpoint.kept.requests]).toEqual([8, 8]);
    expect([post(calls(3, 100)).status, running()]).toEqual([503, 8]);
    post(calls(2, 200));
    expect([post(call("one")).status, running()]).toEqual([503, 10]);
    end();
    await new Promise((resolve) => setImmediate(resolve));
    expect([taken.status, endpoint.kept.requests]).toEqual([200, 0]);
  });

  test("the calls of an aborted batch no longer count", () => {
    const { post, calls, endpoint } = batching(sessions, { limits: { work: 10 } });
    post(calls(8)).gone();
    // Without a session their handlers were aborted, and count until they end.
    expect(endpoint.kept.requests).toBe(sessions ? 0 : 8);
  });

  test("two requests of one id are refused, and neither runs", () => {
    const { post, call, running } = batching(sessions);
    const refused = post([call(7), call("7"), call(7)]);
    expect([refused.status, running()]).toEqual([400, 0]);
    expect(refused.body).toContain("two requests of the batch have the id 7");
    expect(refused.body).toContain("-32600");
  });

  test.each<[string, unknown[]]>([
    ["nothing", []],
    ["a batch", [[{ jsonrpc: "2.0", id: 1, method: "ping" }]]],
    ["an invalid message", [3]],
    [
      "a request of a modern revision",
      [{ jsonrpc: "2.0", id: 1, method: "ping", params: { _meta: modern } }],
    ],
  ])("a batch of %s is refused", (_, batch) => {
    expect(batching(sessions).post(batch).status).toBe(400);
  });
});

test("a batch with a request of a modern revision is refused before its session is searched", () => {
  const { endpoint } = batching(true);
  const status = (...params: object[]): number => {
    const body = JSON.stringify(
      params.map((each, id) => ({ jsonrpc: "2.0", id, method: "ping", params: each })),
    );
    const exchange = exchangeOf("POST", { ...json, "mcp-session-id": "unknown" }, body);
    endpoint.handle(exchange);
    return exchange.status;
  };
  expect([status({}, { _meta: modern }), status({})]).toEqual([400, 404]);
});

test("each call of a batch counts towards the limit of its session", () => {
  const { post, calls, running } = batching(true);
  post(calls(250));
  expect([post(calls(7, 1000)).status, running()]).toEqual([503, 250]);
  expect(post(calls(257, 2000)).status).toBe(400);
  post(calls(6, 3000));
  expect(running()).toBe(256);
});
