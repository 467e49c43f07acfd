import { type Client, connect } from "@mcpgen/runtime";
import { VirtualClock } from "@mcpgen/runtime/testing";
import { expect, test } from "vitest";
import { ScriptedPeer, type Script, base, connected, failure } from "../../checklist/scripted-peer.js";

const legacy = "2025-11-25";
const changed = "notifications/tools/list_changed";
const subscriptionId = "io.modelcontextprotocol/subscriptionId";
const watching: Script = {
  "resources/subscribe": ({ params }) =>
    params!["uri"] === "file:///bad" ? failure(-32602) : { result: {} },
  "resources/unsubscribe": () => ({ result: {} }),
};

interface Started {
  readonly client: Client;
  readonly peers: ScriptedPeer[];
}

async function restartable(): Promise<Started> {
  const peers: ScriptedPeer[] = [];
  const start = () => {
    peers.push(new ScriptedPeer(legacy, watching));
    return peers.at(-1)!.channel;
  };
  const client = await connect(start, { ...base(new VirtualClock()), revision: legacy });
  return { client, peers };
}

test("a subscription of the legacy era fails when the server is gone, and closing it starts no other", async () => {
  const { client, peers } = await restartable();
  const subscription = await client.subscribe({ tools: true, uris: ["file:///a"] });
  const reader = subscription[Symbol.asyncIterator]();
  peers[0]!.notify(changed);
  expect(await reader.next()).toEqual({ value: { method: changed }, done: false });
  peers[0]!.hangUp();
  await expect(reader.next()).rejects.toMatchObject({ name: "McpError", code: "connection-closed" });
  await subscription.close();
  expect(peers).toHaveLength(1);
  await client.close();
});

test("a subscription that fails half-way leaves nothing watched", async () => {
  const { client, peer } = await connected(legacy, watching);
  const uris = ["file:///a", "file:///bad", "file:///b"];
  await expect(client.subscribe({ uris })).rejects.toMatchObject({ code: "remote-error" });
  expect(peer.of("resources/unsubscribe").map(({ params }) => params!["uri"])).toEqual(["file:///a"]);
});

test("a resource that two subscriptions watch is watched until both are closed", async () => {
  const { client, peer } = await connected(legacy, watching);
  const one = await client.subscribe({ uris: ["file:///a", "file:///b"] });
  const other = await client.subscribe({ uris: ["file:///a"] });
  const unsubscribed = (): unknown[] => peer.of("resources/unsubscribe").map(({ params }) => params!["uri"]);
  await one.close();
  await one.close();
  expect(unsubscribed()).toEqual(["file:///b"]);
  await other.close();
  expect(unsubscribed()).toEqual(["file:///b", "file:///a"]);
});

test("a reader of the legacy era that leaves off ends the subscription", async () => {
  const { client, peer } = await connected(legacy, watching);
  const subscription = await client.subscribe({ tools: true, uris: ["file:///a"] });
  peer.notify(changed);
  for await (const notice of subscription) {
    expect(notice).toEqual({ method: changed });
    break;
  }
  expect(peer.of("resources/unsubscribe")).toHaveLength(1);
});

test("a reader of the modern era that leaves off ends the request", async () => {
  const { client, peer } = await connected("2026-07-28", {
    "subscriptions/listen": ({ id, params }, own) => {
      const _meta = { [subscriptionId]: id };
      const { notifications } = params!;
      own.notify("notifications/subscriptions/acknowledged", { notifications, _meta });
      own.notify(changed, { _meta });
      return undefined;
    },
  });
  for await (const notice of await client.subscribe({ tools: true })) {
    expect(notice).toEqual({ method: changed });
    break;
  }
  const { id } = peer.of("subscriptions/listen")[0]!;
  expect((await peer.until("notifications/cancelled")).params!["requestId"]).toBe(id);
});
