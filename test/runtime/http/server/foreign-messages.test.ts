// Another program on the same store publishes or writes junk: no node ends, and none serves it.
import { serverRevisions } from "@mcpgen/protocol";
import { type ClusterStore, MemoryClusterStore, cluster } from "@mcpgen/cluster";
import { sealedSessions } from "@mcpgen/cluster/sealed-sessions";
import { MemorySessionStore } from "@mcpgen/runtime/http";
import { expect, test } from "vitest";
import { inside } from "../../../support/http-fixture.js";
import { serve } from "../../../support/http-adapters.js";
import { jsonTypes, mutationsOf, strangeTexts } from "../../../support/mutations.mjs";
import { Party } from "../../../support/raw-http-client.js";
import { uncaughtErrors } from "../../../support/uncaught.js";

const keys = ["k".repeat(32)];
const revision = "2025-11-25";

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
};

async function twoNodes() {
  const memory = new MemoryClusterStore();
  /** The messages and values that the nodes publish and put, by channel or key. */
  const seen: (readonly [way: "publish" | "put", name: string, text: string])[] = [];
  const nodes = await Promise.all(
    [1, 2].map(async () => {
      const { server, warnings } = inside({ revisions: serverRevisions, clock: undefined as never });
      const own = memory.connect();
      const store: ClusterStore = Object.assign(Object.create(own) as ClusterStore, {
        log: own.log,
        publish: (channel: string, text: string) => {
          seen.push(["publish", channel, text]);
          return own.publish(channel, text);
        },
        put: (key: string, text: string, ttlMs: number) => {
          seen.push(["put", key, text]);
          return own.put(key, text, ttlMs);
        },
        subscribe: own.subscribe.bind(own),
        get: own.get.bind(own),
        take: own.take.bind(own),
        claim: own.claim.bind(own),
        heartbeat: own.heartbeat.bind(own),
        alive: own.alive.bind(own),
      });
      const target = await serve("node", server, {
        keepAliveMs: 0,
        sessions: sealedSessions({ keys }),
        cluster: cluster({ store, keys }),
      });
      return { url: target.url, warnings };
    }),
  );
  return { memory, nodes, seen };
}

const at = (party: Party, { url }: { readonly url: string }): Party => {
  const other = new Party(url, revision, {}, party.capabilities);
  other.session = party.session;
  // It may get answers to requests of the first client, so its own ids differ.
  Reflect.set(other, "methods", new Map(Reflect.get(party, "methods") as Map<unknown, string>));
  Reflect.set(other, "lastId", 100);
  return other;
};

/** A question of the server at one node that the client answers at the other, and changes of the session. */
async function useBoth(nodes: readonly { readonly url: string }[]): Promise<Party> {
  const party = await new Party(nodes[0]!.url, revision, {}, { elicitation: {} }).open();
  const there = at(party, nodes[1]!);
  const listening = await party.get();
  const call = await party.post(party.call("greet"));
  const event = await call.until(({ events }) => events.find(({ data }) => data?.includes("elicitation")));
  const { id } = JSON.parse(event.data!) as { id: string };
  const result = { action: "accept", content: { name: "Ada" } };
  expect((await there.post({ jsonrpc: "2.0", id, result })).status).toBe(202);
  expect(await call.whole()).toContain("Hello, Ada");
  await (await there.post(there.message("logging/setLevel", { level: "debug" }))).whole();
  await (await there.post(there.message("resources/subscribe", { uri: "note://one" }))).whole();
  await there.tool("change", {});
  listening.cut();
  return party;
}

test("two nodes survive mutations of each of their messages and values", async () => {
  const uncaught = uncaughtErrors();
  const { memory, nodes, seen } = await twoNodes();
  await useBoth(nodes);
  await settled();
  const names = new Set(seen.map(([way, name]) => `${way} ${name.split(":")[0]!}`));
  expect([...names]).toEqual(expect.arrayContaining(["publish node", "publish sessions", "put state"]));
  let count = 0;
  const channels = new Set(seen.filter(([way]) => way === "publish").map(([, name]) => name));
  for (const channel of channels)
    for (const text of strangeTexts) count += await memory.publish(channel, text);
  for (const [way, name, text] of [...seen]) {
    if (way !== "publish") continue;
    for (const [, value] of mutationsOf(JSON.parse(text) as unknown))
      count += await memory.publish(name, JSON.stringify(value) ?? "");
    await settled();
  }
  expect(count).toBeGreaterThan(500);
  // Messages that the nodes did not send in this test.
  const [, , sent] = seen.find(([way, name]) => way === "publish" && name.startsWith("node:"))!;
  const { session } = JSON.parse(sent) as { readonly session: string };
  const others = [
    { session, follows: { stream: "one-x.1.2", from: "two" } },
    { session, over: "one-x.1.2", from: "two" },
    { session, text: '{"jsonrpc":"2.0","method":"ping","id":1}', from: "two" },
    { session, returned: '{"jsonrpc":"2.0","method":"ping","id":1}', from: "two" },
    { session, taken: "one-x.1" },
    { session, node: "x", state: { logLevel: "info", subscriptions: ["a:b"] }, ended: false },
    { session, node: "x", listens: true, missed: true },
  ];
  for (const channel of channels)
    for (const other of others)
      for (const [, value] of mutationsOf(other)) await memory.publish(channel, JSON.stringify(value) ?? "");
  await settled();
  expect(uncaught).toEqual([]);
  await useBoth(nodes);
  expect(uncaught).toEqual([]);
  for (const { warnings } of nodes) expect(warnings.join()).toContain("a message on a channel is malformed");
}, 30_000);

test("a request from a cluster channel does not run, because its rights were not checked", async () => {
  const { memory, nodes, seen } = await twoNodes();
  const party = await useBoth(nodes);
  const [, channel, text] = seen.find(([way, name]) => way === "publish" && name.startsWith("node:"))!;
  const { session } = JSON.parse(text) as { session: string };
  const listening = await party.get();
  const message = {
    jsonrpc: "2.0",
    id: 77,
    method: "tools/call",
    params: { name: "echo", arguments: { text: "x" } },
  };
  await memory.publish(channel, JSON.stringify({ session, message }));
  await memory.publish("sessions", JSON.stringify({ session, node: "x", message }));
  await settled();
  await party.tool("change", {});
  await listening.until(({ events }) => events.some(({ data }) => data?.includes("updated")));
  // The ids of events are random.
  expect(listening.events.map(({ data }) => data).join()).not.toContain("77");
});

test("an unreadable state is reported; any value at a session's end counts as its end", async () => {
  const { memory, nodes, seen } = await twoNodes();
  const uncaught = uncaughtErrors();
  const states = jsonTypes.map(([, logLevel]) => JSON.stringify({ logLevel }));
  for (const text of [...strangeTexts, ...states]) {
    const party = await new Party(nodes[0]!.url, revision, {}, {}).open();
    await (await party.post(party.message("logging/setLevel", { level: "debug" }))).whole();
    const [, key] = seen.findLast(([way, name]) => way === "put" && name.startsWith("state:"))!;
    await memory.put(key, text, 60_000);
    const there = at(party, nodes[1]!);
    expect((await there.post(there.call("echo", { text: "x" }))).status).toBe(200);
    const other = await new Party(nodes[0]!.url, revision, {}, {}).open();
    await (await other.post(other.message("logging/setLevel", { level: "debug" }))).whole();
    const [, last] = seen.findLast(([way, name]) => way === "put" && name.startsWith("state:"))!;
    await memory.put(last.replace("state:", "ended:"), text, 60_000);
    const gone = at(other, nodes[1]!);
    expect((await gone.post(gone.call("echo", { text: "x" }))).status).toBe(404);
  }
  expect(nodes[1]!.warnings.join()).toContain("the state of a session is malformed");
  expect(uncaught).toEqual([]);
}, 30_000);

test("a malformed stored session leads to 503 or counts as unknown, never as another session", async () => {
  const uncaught = uncaughtErrors();
  const store = new MemorySessionStore();
  const { url } = await serve("node", inside().server, { sessions: { store } });
  const party = await new Party(url, revision, {}, {}).open();
  const record = { ...store.get(party.session!)!, clientInfo: { name: "raw", version: "1" } };
  let count = 0;
  for (const [what, value] of mutationsOf(record)) {
    // The endpoint asks the store for ids that it has not seen.
    const id = `session-${count++}`;
    const { id: own } = Object(value) as { readonly id?: unknown };
    store.get = () => (own === record.id ? { ...(value as object), id } : value) as never;
    const other = new Party(url, revision, {}, {});
    other.session = id;
    const { status } = await other.post(other.call("echo", { text: "x" }));
    expect([200, 400, 404, 503], what).toContain(status);
    if (/^(all|\/id|\/principal|\/created)( |$)/.test(what) && !/is null$|a fraction|number|zero/.test(what))
      expect([503, 404], what).toContain(status);
  }
  expect(count).toBeGreaterThan(100);
  expect(uncaught).toEqual([]);
});
