import { clientRevisions } from "@mcpgen/protocol";
import { type Client, type ConnectOptions, connect } from "@mcpgen/runtime";
import { VirtualClock } from "@mcpgen/testing";
import { expect, onTestFinished, test } from "vitest";
import { listeningTo } from "../../support/listening-tables.js";
import {
  type Members,
  ScriptedPeer,
  type Script,
  base,
  connected,
  failure,
} from "../../support/scripted-stdio-server.js";

const legacy = "2025-11-25";
const revisions = ["2024-11-05", "2025-03-26", "2025-06-18", legacy, "2026-07-28"];
const changed = "notifications/tools/list_changed";
const updated = "notifications/resources/updated";
const subscriptionId = "io.modelcontextprotocol/subscriptionId";
const watching: Script = {
  "resources/subscribe": ({ params }) =>
    params!["uri"] === "file:///bad" ? failure(-32602) : { result: {} },
  "resources/unsubscribe": () => ({ result: {} }),
};

const listening: Script = {
  ...watching,
  "subscriptions/listen": ({ id, params }, own) => {
    const { notifications } = params!;
    own.notify("notifications/subscriptions/acknowledged", {
      notifications,
      _meta: { [subscriptionId]: id },
    });
    return undefined;
  },
};

/** Notifies the client of a change, as the revision defines it. */
function tell(peer: ScriptedPeer, method: string, params: Members = {}): void {
  const id = peer.of("subscriptions/listen").at(-1)?.id;
  peer.notify(method, id === undefined ? params : { ...params, _meta: { [subscriptionId]: id } });
}

interface Started {
  readonly client: Client;
  readonly clock: VirtualClock;
  readonly peers: ScriptedPeer[];
}

/** A client whose server is started again when it is gone. */
async function restartable(revision: string, options: Partial<ConnectOptions> = {}): Promise<Started> {
  const peers: ScriptedPeer[] = [];
  const start = () => {
    peers.push(new ScriptedPeer(revision, listening));
    return peers.at(-1)!.channel;
  };
  const clock = new VirtualClock();
  const client = await connect(start, { ...base(clock), revision, ...options });
  onTestFinished(async () => {
    await client.close();
    expect(clock.waiting).toBe(0);
  });
  return { client, clock, peers };
}

test.each(revisions)("a subscription fails when its only connection is lost (%s)", async (revision) => {
  const { client, peer } = await connected(revision, listening);
  const subscription = await client.subscribe({ tools: true });
  const reader = subscription[Symbol.asyncIterator]();
  tell(peer, changed);
  expect(await reader.next()).toEqual({ value: { method: changed }, done: false });
  peer.hangUp();
  await expect(reader.next()).rejects.toMatchObject({ name: "McpError", code: "connection-closed" });
  await subscription.close();
});

test.each(revisions)("a subscription continues on the next server process (%s)", async (revision) => {
  const { client, clock, peers } = await restartable(revision);
  const subscription = await client.subscribe({ tools: true, uris: ["file:///a"] });
  const reader = subscription[Symbol.asyncIterator]();
  for (let life = 1; life < 4; life++) {
    const next = reader.next();
    peers.at(-1)!.hangUp();
    await clock.advance(400);
    // Each may have changed while there was no connection.
    expect(await next).toEqual({ value: { method: changed }, done: false });
    expect((await reader.next()).value).toEqual({ method: updated, uri: "file:///a" });
    expect(peers).toHaveLength(life + 1);
    expect(subscription.honoured).toEqual({ tools: true, uris: ["file:///a"] });
    tell(peers.at(-1)!, updated, { uri: "file:///a" });
    expect((await reader.next()).value).toEqual({ method: updated, uri: "file:///a" });
  }
  await subscription.close();
  expect(await reader.next()).toEqual({ value: undefined, done: true });
  if (revision < "2026") expect(peers.at(-1)!.of("resources/unsubscribe")).toHaveLength(1);
});

test.each(revisions)("a subscription is tried again five times in a row (%s)", async (revision) => {
  const { client, clock, peers } = await restartable(revision);
  const reader = (await client.subscribe({ tools: true }))[Symbol.asyncIterator]();
  const outcome = (async () => {
    for (;;) await reader.next();
  })().catch((error: unknown) => error);
  for (let life = 1; life <= 5; life++) {
    peers.at(-1)!.hangUp();
    await clock.advance(100 * 2 ** (life - 1) - 1);
    expect(peers).toHaveLength(life);
    await clock.advance(1);
    await expect.poll(() => peers).toHaveLength(life + 1);
    await peers.at(-1)!.until(revision < "2026" ? "notifications/initialized" : "subscriptions/listen");
    await clock.advance(0);
  }
  peers.at(-1)!.hangUp();
  expect(await outcome).toMatchObject({ code: "connection-closed" });
  await clock.advance(60_000);
  expect(peers).toHaveLength(6);
});

test.each(revisions)("closing without a connection starts no server (%s)", async (revision) => {
  const { client, clock, peers } = await restartable(revision);
  const own = await client.subscribe({ tools: true });
  const others = (await client.subscribe({ tools: true }))[Symbol.asyncIterator]();
  const call = client.callTool("x").catch(() => undefined);
  peers[0]!.script = { ...listening, "tools/call": () => undefined };
  peers[0]!.hangUp();
  await call;
  await own.close();
  const end = others.next();
  await client.close();
  await expect(end).rejects.toMatchObject({ code: "connection-closed" });
  await clock.advance(60_000);
  expect(peers).toHaveLength(1);
});

test.each(revisions)("unread notifications are bounded (%s)", async (revision) => {
  const { client, peer } = await connected(revision, listening);
  const uris = Array.from({ length: 1001 }, (_, index) => `file:///${index}`);
  const subscription = await client.subscribe({ tools: true, uris });
  // What says nothing new is dropped.
  for (let count = 0; count < 2000; count++) tell(peer, changed);
  await client.callTool("x");
  const reader = subscription[Symbol.asyncIterator]();
  for (let count = 0; count < 1000; count++) expect((await reader.next()).value).toEqual({ method: changed });
  for (const uri of uris) tell(peer, updated, { uri });
  await client.callTool("x");
  for (const uri of uris.slice(0, 1000))
    expect((await reader.next()).value).toEqual({ method: updated, uri });
  await expect(reader.next()).rejects.toMatchObject({
    name: "McpError",
    code: "limit-exceeded",
    data: { limit: "maxNotices", value: 1000 },
  });
  // The client ends the subscription at the server.
  await peer.until(revision < "2026" ? "resources/unsubscribe" : "notifications/cancelled");
});

test("URIs of unread notifications are bounded in length (2026-07-28)", async () => {
  const { client, peer } = await connected("2026-07-28", listening);
  const reader = (await client.subscribe({ uris: ["file:///"] }))[Symbol.asyncIterator]();
  for (let count = 0; count < 3; count++)
    tell(peer, updated, { uri: `file:///${count}${"x".repeat(500_000)}` });
  await client.callTool("x");
  for (let count = 0; count < 2; count++) expect((await reader.next()).done).toBe(false);
  await expect(reader.next()).rejects.toMatchObject({ code: "limit-exceeded" });
});

test("a subscription that fails half-way cancels its watches", async () => {
  const { client, peer } = await connected(legacy, watching);
  const uris = ["file:///a", "file:///bad", "file:///b"];
  await expect(client.subscribe({ uris })).rejects.toMatchObject({ code: "remote-error" });
  expect(peer.of("resources/unsubscribe").map(({ params }) => params!["uri"])).toEqual(["file:///a"]);
});

test("a resource stays watched until both of its subscriptions are closed", async () => {
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

test("a reader that stops ends the subscription (legacy)", async () => {
  const { client, peer } = await connected(legacy, watching);
  const subscription = await client.subscribe({ tools: true, uris: ["file:///a"] });
  peer.notify(changed);
  for await (const notice of subscription) {
    expect(notice).toEqual({ method: changed });
    break;
  }
  expect(peer.of("resources/unsubscribe")).toHaveLength(1);
});

test("a reader that stops ends the request (modern)", async () => {
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

test("the tables define which requests a server may cancel", async () => {
  const revisions = listeningTo("tools/call", clientRevisions);
  const { client, peer } = await connected("2026-07-28", { "tools/call": () => undefined }, { revisions });
  const outcome = expect(client.callTool("slow")).rejects.toMatchObject({
    code: "cancelled",
    message: "over",
  });
  const { id: requestId } = await peer.until("tools/call");
  peer.notify("notifications/cancelled", { requestId, reason: "over" });
  await outcome;
});
