import { expect, test } from "vitest";
import { connected } from "../../support/scripted-http-server.js";
import type { Incoming } from "../../support/scripted-http-server.js";

const changed = "notifications/tools/list_changed";
const subscriptionId = "io.modelcontextprotocol/subscriptionId";

test("a subscription over HTTP continues after its stream broke (2026-07-28)", async () => {
  const { server, client } = await connected("2026-07-28", {
    "subscriptions/listen": (incoming: Incoming, own) => {
      const { id, params } = incoming.message!;
      const _meta = { [subscriptionId]: id };
      const { notifications } = params!;
      incoming.event({
        jsonrpc: "2.0",
        method: "notifications/subscriptions/acknowledged",
        params: { notifications, _meta },
      });
      if (own.of("subscriptions/listen").length === 1) incoming.reset();
    },
  });
  const reader = (await client.subscribe({ tools: true }))[Symbol.asyncIterator]();
  expect((await reader.next()).value).toEqual({ method: changed });
  expect(server.of("subscriptions/listen")).toHaveLength(2);
});

test("a subscription over HTTP continues in the next session (2025-11-25)", async () => {
  const { server, client } = await connected("2025-11-25", {
    "tools/call": (incoming, own) => {
      if (incoming.headers["mcp-session-id"] === own.session) return incoming.reply({ content: [] });
      incoming.status(404);
    },
    "resources/subscribe": (incoming) => incoming.reply({}),
  });
  const reader = (await client.subscribe({ tools: true, uris: ["file:///a"] }))[Symbol.asyncIterator]();
  server.session = "s2";
  await client.callTool("x");
  expect((await reader.next()).value).toEqual({ method: changed });
  expect((await reader.next()).value).toEqual({
    method: "notifications/resources/updated",
    uri: "file:///a",
  });
  expect(server.of("resources/subscribe").map(({ headers }) => headers["mcp-session-id"])).toEqual([
    "s1",
    "s2",
  ]);
});
