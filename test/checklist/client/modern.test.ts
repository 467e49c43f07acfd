import { expect, vi } from "vitest";
import type { ConnectOptions } from "@mcpgen/runtime";
import {
  type Members,
  type Reply,
  type Script,
  type ScriptedPeer,
  type Wired,
  connected,
  failure,
  reply,
} from "../../support/scripted-stdio-server.js";
import { row } from "./rows.js";

const subscriptionId = "io.modelcontextprotocol/subscriptionId";

/** Acknowledges a subscription with `filter`, and leaves it open. */
const acknowledging =
  (filter?: Members) =>
  ({ id, params }: Wired, peer: ScriptedPeer): Reply => {
    const notifications = filter ?? params!["notifications"];
    peer.notify("notifications/subscriptions/acknowledged", {
      notifications,
      _meta: { [subscriptionId]: id },
    });
    return undefined;
  };

row("SUB-09", "the subscription shows which notifications the server honours", async (revision) => {
  const { client } = await connected(revision, {
    "subscriptions/listen": acknowledging({ toolsListChanged: true, resourceSubscriptions: ["file:///a"] }),
  });
  const wanted = { tools: true, prompts: true, resources: true, uris: ["file:///a", "file:///b"] };
  const subscription = await client.subscribe(wanted);
  expect(subscription.honoured).toEqual({ tools: true, uris: ["file:///a"] });
  await subscription.close();
});

row("SUB-10", "an end in order ends the iteration, any other is an error", async (revision) => {
  const script = { "subscriptions/listen": acknowledging() };
  const tell = (peer: ScriptedPeer, id: unknown) =>
    peer.notify("notifications/tools/list_changed", { _meta: { [subscriptionId]: id } });

  const orderly = await connected(revision, script);
  const one = await orderly.client.subscribe({ tools: true });
  const { id } = orderly.peer.of("subscriptions/listen")[0]!;
  tell(orderly.peer, id);
  tell(orderly.peer, "of another subscription");
  orderly.peer.send({ jsonrpc: "2.0", id, ...reply(orderly.peer, {}) });
  const heard: unknown[] = [];
  for await (const notice of one) heard.push(notice);
  expect(heard).toEqual([{ method: "notifications/tools/list_changed" }]);

  const abrupt = await connected(revision, script);
  const other = (await abrupt.client.subscribe({ tools: true }))[Symbol.asyncIterator]();
  tell(abrupt.peer, abrupt.peer.of("subscriptions/listen")[0]!.id);
  abrupt.peer.hangUp();
  expect((await other.next()).value).toEqual({ method: "notifications/tools/list_changed" });
  await expect(other.next()).rejects.toMatchObject({ code: "connection-closed" });

  const refusing = await connected(revision, { "subscriptions/listen": () => failure(-32603, "no") });
  await expect(refusing.client.subscribe({ tools: true })).rejects.toMatchObject({ code: "remote-error" });

  // A subscription that is never acknowledged fails after the time limit of requests.
  const silent = await connected(revision, { "subscriptions/listen": () => undefined });
  const outcome = expect(silent.client.subscribe({ tools: true })).rejects.toMatchObject({ code: "timeout" });
  const listen = await silent.peer.until("subscriptions/listen");
  await silent.clock.advance(60_000);
  await outcome;
  expect((await silent.peer.until("notifications/cancelled")).params!["requestId"]).toBe(listen.id);
});

const requestedSchema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
const form = { method: "elicitation/create", params: { mode: "form", message: "Who?", requestedSchema } };
const sampling = {
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text: "?" } }], maxTokens: 5 },
};
const sampled = { role: "assistant", content: { type: "text", text: "!" }, model: "m" } as const;
const roots = [{ uri: "file:///a" }];
const requestState = "opaque \u2028 +/=";

/** Asks once for `inputRequests`, and accepts any answer. */
function asking(method: string, inputRequests: Members | undefined, members: Members): Script {
  return {
    [method]: ({ params }, peer) =>
      params!["requestState"] === requestState
        ? reply(peer, members)
        : { result: { resultType: "input_required", requestState, ...(inputRequests && { inputRequests }) } },
  };
}

const capable: Partial<ConnectOptions> = {
  elicit: () => ({ action: "accept", content: { name: "Ada" } }),
  sample: () => sampled,
  roots,
};

/** The parameters of a request, without the members that differ in each attempt. */
function lasting({ params }: Wired): Members {
  const { inputResponses: _, requestState: __, _meta, ...others } = params!;
  return { ...others, _meta: { ...(_meta as Members), progressToken: undefined } };
}

row("MRTR-01", "all that is asked for is answered in one retry", async (revision) => {
  const inputRequests = { who: form, model: sampling, where: { method: "roots/list" } };
  const { client, peer } = await connected(
    revision,
    asking("tools/call", inputRequests, { content: [] }),
    capable,
  );
  await client.callTool("ask");
  const [first, second, ...more] = peer.of("tools/call");
  expect(more).toEqual([]);
  expect(first!.params).not.toHaveProperty("inputResponses");
  expect(first!.id).not.toBe(second!.id);
  expect(second!.params!["inputResponses"]).toEqual({
    who: { action: "accept", content: { name: "Ada" } },
    model: sampled,
    where: { roots },
  });
});

row("MRTR-02", "a state alone is sent back as it is, without answers", async (revision) => {
  const { client, peer } = await connected(revision, asking("tools/call", undefined, { content: [] }));
  await client.callTool("resume");
  const [, second] = peer.of("tools/call");
  expect(second!.params).toMatchObject({ requestState });
  expect(second!.params).not.toHaveProperty("inputResponses");
});

row("MRTR-03", "prompts and resources may ask, too", async (revision) => {
  const prompt = await connected(revision, asking("prompts/get", { who: form }, { messages: [] }), capable);
  expect(await prompt.client.getPrompt("p", { a: "1" })).toMatchObject({ messages: [] });
  const resource = await connected(
    revision,
    asking("resources/read", { who: form }, { contents: [] }),
    capable,
  );
  expect(await resource.client.readResource("file:///a")).toMatchObject({ contents: [] });
  for (const { peer } of [prompt, resource])
    expect(peer.received.at(-1)!.params!["inputResponses"]).toEqual({
      who: { action: "accept", content: { name: "Ada" } },
    });
});

row("MRTR-05", "a decline or cancel is sent without content", async (revision) => {
  for (const action of ["decline", "cancel"] as const) {
    const elicit = () => ({ action, content: { name: "not to be sent" } });
    const { client, peer } = await connected(revision, asking("tools/call", { who: form }, { content: [] }), {
      elicit,
    });
    await client.callTool("ask");
    expect(peer.of("tools/call")[1]!.params!["inputResponses"]).toEqual({ who: { action } });
  }
  const refusing = await connected(revision, asking("tools/call", { who: form }, { content: [] }), {
    elicit: () => Promise.reject(new Error("no screen")),
  });
  await expect(refusing.client.callTool("ask")).rejects.toThrow("no screen");
  expect(refusing.peer.of("tools/call")).toHaveLength(1);
});

row("MRTR-06", "undeclared, unknown and malformed input requests are rejected", async (revision) => {
  const wrong: readonly (readonly [Members, string])[] = [
    [{ model: sampling }, "missing-capability"],
    [{ where: { method: "roots/list" } }, "missing-capability"],
    [
      { who: { ...form, params: { mode: "url", message: "?", url: "https://a", elicitationId: "1" } } },
      "invalid-params",
    ],
    [{ foo: { method: "foo" } }, "method-not-found"],
    [{ ping: { method: "ping" } }, "method-not-found"],
    [{ none: 5 }, "invalid-result"],
    [{ bad: { ...form, params: {} } }, "invalid-params"],
  ];
  for (const [inputRequests, code] of wrong) {
    const elicit = vi.fn();
    const { client, peer } = await connected(revision, asking("tools/call", inputRequests, { content: [] }), {
      elicit,
    });
    await expect(client.callTool("ask")).rejects.toMatchObject({ name: "McpError", code });
    expect(peer.of("tools/call")).toHaveLength(1);
    expect(elicit).not.toHaveBeenCalled();
  }
  const endless = await connected(
    revision,
    { "tools/call": () => ({ result: { resultType: "input_required", inputRequests: { who: form } } }) },
    capable,
  );
  await expect(endless.client.callTool("ask")).rejects.toMatchObject({ code: "invalid-result" });
});

row("MRTR-07", "the retry says what the first request said", async (revision) => {
  const { client, peer } = await connected(revision, asking("tools/call", { who: form }, { content: [] }), {
    ...capable,
    logLevel: "info",
  });
  const params = {
    name: "ask",
    arguments: { n: 1, deep: { list: [null] } },
    _meta: { "com.example/a": 1 },
    extra: "x",
  };
  await client.request("tools/call", params);
  const [first, second] = peer.of("tools/call");
  expect(lasting(second!)).toEqual(lasting(first!));
  expect(second!.params).toMatchObject(params);
});

const tools = [{ name: "a", inputSchema: { type: "object" } }];

/** A server that counts how often it is asked for its tools and resources. */
function counting(ttlMs: unknown) {
  const hints = ttlMs === undefined ? {} : { ttlMs, cacheScope: "private" };
  return {
    "tools/list": () => ({ result: { resultType: "complete", tools, ...hints } }),
    "resources/read": ({ params }: Wired) => ({
      result: { resultType: "complete", contents: [{ uri: params!["uri"] as string, text: "t" }], ...hints },
    }),
  };
}

row("CACHE-01", "a result serves as long as it is fresh", async (revision) => {
  const { client, peer, clock } = await connected(revision, counting(500));
  for (const after of [0, 0, 499]) {
    await clock.advance(after);
    expect((await client.listTools()).items).toMatchObject(tools);
  }
  expect(peer.of("tools/list")).toHaveLength(1);
  await clock.advance(1);
  await client.listTools();
  expect(peer.of("tools/list")).toHaveLength(2);
});

row("CACHE-02", "without a time that is positive, it is stale at once", async (revision) => {
  for (const ttlMs of [0, -1, undefined, null, -0.5]) {
    const { client, peer } = await connected(revision, counting(ttlMs));
    for (let times = 0; times < 3; times++) {
      expect((await client.listTools()).items).toMatchObject(tools);
      expect((await client.readResource("file:///a")).contents).toHaveLength(1);
    }
    expect(peer.of("tools/list")).toHaveLength(3);
    expect(peer.of("resources/read")).toHaveLength(3);
  }
});

row("CACHE-03", "other parameters are other results", async (revision) => {
  const { client, peer } = await connected(revision, {
    ...counting(1000),
    "prompts/list": ({ params }, self) =>
      params?.["cursor"] === undefined
        ? reply(self, { prompts: [{ name: "one" }], nextCursor: "", ttlMs: 1000 })
        : reply(self, { prompts: [{ name: "two" }], ttlMs: 1000 }),
  });
  for (const uri of ["file:///a", "file:///b", "file:///a"])
    expect((await client.readResource(uri)).contents[0]!.uri).toBe(uri);
  expect(peer.of("resources/read")).toHaveLength(2);
  for (let times = 0; times < 2; times++)
    expect((await client.listPrompts()).items.map(({ name }) => name)).toEqual(["one", "two"]);
  expect(peer.of("prompts/list")).toHaveLength(2);
  await client.request<object>("tools/list", { filter: "x" });
  await client.listTools();
  expect(peer.of("tools/list")).toHaveLength(2);
  // A result that depended on answers of the user is not cached.
  const asked = await connected(
    revision,
    asking("resources/read", { who: form }, { contents: [], ttlMs: 9999 }),
    capable,
  );
  await asked.client.readResource("file:///a");
  await asked.client.readResource("file:///a");
  expect(asked.peer.of("resources/read")).toHaveLength(4);
});

row("CACHE-05", "a notification makes stale what it is about", async (revision) => {
  const { client, peer } = await connected(revision, counting(1e9));
  await client.listTools();
  await client.readResource("file:///a");
  await client.readResource("file:///b");
  peer.notify("notifications/resources/updated", { uri: "file:///a" });
  peer.notify("notifications/tools/list_changed");
  await client.callTool("after");
  await client.listTools();
  await client.readResource("file:///a");
  await client.readResource("file:///b");
  expect(peer.of("tools/list")).toHaveLength(2);
  expect(peer.of("resources/read").map(({ params }) => params!["uri"] as string)).toEqual([
    "file:///a",
    "file:///b",
    "file:///a",
  ]);
  // A response to an earlier request is not cached, either: it may be from before the change.
  const late = await connected(revision, { ...counting(1e9), "tools/list": () => undefined });
  const list = late.client.listTools();
  const { id } = await late.peer.until("tools/list");
  late.peer.notify("notifications/tools/list_changed");
  late.peer.send({ jsonrpc: "2.0", id, ...reply(late.peer, { tools, ttlMs: 1e9 }) });
  await list;
  late.peer.script = counting(1e9);
  await late.client.listTools();
  expect(late.peer.of("tools/list")).toHaveLength(2);
});

row("CACHE-06", "clients share no cached results", async (revision) => {
  const [one, other] = [await connected(revision, counting(1e9)), await connected(revision, counting(1e9))];
  await one.client.listTools();
  await other.client.listTools();
  expect(one.peer.of("tools/list")).toHaveLength(1);
  expect(other.peer.of("tools/list")).toHaveLength(1);
});
