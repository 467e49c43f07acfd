import { expect, test } from "vitest";
import type { Endpoint } from "../../../../runtime/core/http/server/endpoint.js";
import { endpointOf } from "../../../../runtime/core/legacy/http/legacy-endpoint.js";
import { inside } from "../../../support/http-fixture.js";
import { Party } from "../../../support/raw-http-client.js";
import { exchangeOf } from "./exchange-of.js";
import { heap } from "../../../support/heap.js";

const json = { "content-type": "application/json" };

async function opened(endpoint: Endpoint): Promise<void> {
  const exchange = exchangeOf(
    "POST",
    json,
    JSON.stringify({
      jsonrpc: "2.0",
      id: 0,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } },
    }),
  );
  endpoint.handle(exchange);
  const session = { ...json, "mcp-session-id": exchange.session! };
  endpoint.handle(exchangeOf("POST", session, '{"jsonrpc":"2.0","method":"notifications/initialized"}'));
}

test("10,000 idle sessions take no more than 0.8 KiB each", async () => {
  const { server } = inside();
  const endpoint = endpointOf(server, { keepAliveMs: 0 });
  for (let count = 0; count < 100; count++) await opened(endpoint);
  const before = await heap();
  for (let count = 0; count < 9900; count++) await opened(endpoint);
  const each = ((await heap()) - before) / 9900;
  expect(endpoint.kept.sessions).toBe(10_000);
  expect(each).toBeLessThan(0.8 * 1024);
});

test("100,000 requests, answered and aborted, leave no memory in use (R24)", async () => {
  const { server } = inside();
  server.tool("held", {}, (_, { signal, progress }) => {
    progress(1);
    return new Promise((_resolve, reject) =>
      signal.addEventListener("abort", () => reject(signal.reason as Error)),
    );
  });
  const endpoint = endpointOf(server, { keepAliveMs: 0 });
  const party = new Party("http://localhost/", "2026-07-28");
  const round = async (count: number): Promise<void> => {
    for (let sent = 0; sent < count; sent++) {
      const call = party.call(
        sent % 3 === 0 ? "held" : "steps",
        { count: 1, steps: 1 },
        { _meta: { progressToken: 1 } },
        1,
      );
      const exchange = exchangeOf("POST", party.headersOf(call), JSON.stringify(call));
      endpoint.handle(exchange);
      if (sent % 2 === 0) await Promise.resolve();
      exchange.gone();
    }
  };
  await round(2000);
  const before = await heap();
  await round(98_000);
  expect((await heap()) - before).toBeLessThan(5 * 1_048_576);
  expect(endpoint.kept).toMatchObject({ sessions: 0, streams: 0, requests: 0, bodies: 0 });
});
