import { serverRevisions } from "@mcpgen/protocol";
import type { Change, NotificationBus } from "@mcpgen/runtime";
import { MemoryClusterStore, cluster } from "@mcpgen/cluster";
import type { ServeHttpOptions } from "@mcpgen/runtime/http";
import { sealedSessions } from "@mcpgen/cluster/sealed-sessions";
import { VirtualClock } from "@mcpgen/testing";
import { describe, expect, test } from "vitest";
import { serve } from "../../support/http-adapters.js";
import { inside } from "../../support/http-fixture.js";
import { type Wired, Party, messagesOf } from "../../support/raw-http-client.js";
import { clientOf } from "../../support/scripted-http-server.js";
import { Watched } from "./watched-store.js";

const revision = "2025-11-25";
const keys = ["k".repeat(32)];
const answer = { action: "accept", content: { name: "Ada" } };

/** Nodes over one store in memory and one clock. */
async function nodes(count: number, options: ServeHttpOptions = {}, more: object = {}) {
  const clock = new VirtualClock();
  const memory = new MemoryClusterStore(clock);
  return await Promise.all(
    Array.from({ length: count }, async () => {
      const found = inside({ revisions: serverRevisions, clock, ...more });
      found.server.tool<{ count: number }>("count", {}, async ({ count: most }, { progress }) => {
        for (let at = 1; at <= most; at++) progress(at, most, String(at));
        found.began.open();
        await found.gate.opened;
        for (let at = most + 1; at <= 2 * most; at++) progress(at, 2 * most, String(at));
        return "answer";
      });
      const own = memory.connect();
      const watched = new Watched(own);
      const target = await serve("node", found.server, {
        keepAliveMs: 0,
        ...options,
        sessions: sealedSessions({ keys }),
        cluster: cluster({ store: watched.store, keys }),
      });
      return { ...found, clock, target, watched, own };
    }),
  );
}

type Node = Awaited<ReturnType<typeof nodes>>[number];

/** A client of the same session at another node. */
function at(party: Party, { target }: Node, headers = {}): Party {
  const other = new Party(target.url, party.revision, { ...party.headers, ...headers }, party.capabilities);
  other.session = party.session;
  // It may get answers to what the first one asked.
  Reflect.set(other, "methods", new Map(Reflect.get(party, "methods") as Map<unknown, string>));
  return other;
}

const open = ({ target }: Node, headers = {}): Promise<Party> =>
  new Party(target.url, revision, headers, { elicitation: {} }).open();

/** Calls a tool that asks the client. Resolves with the call and the id of the request. */
async function asking(party: Party) {
  const call = await party.post(party.call("greet"));
  const event = await call.until(({ events }) => events.find(({ data }) => data?.includes("elicitation")));
  return { call, id: (JSON.parse(event.data!) as Wired).id as string };
}

/** Texts of progress, and "answer" for the result. */
const textsOf = (from: Parameters<typeof messagesOf>[0]): string[] =>
  messagesOf(from).map(({ params }) => (params?.["message"] as string) ?? "answer");
const numbers = (most: number): string[] => Array.from({ length: most }, (_, index) => String(index + 1));

describe("answers at other nodes", () => {
  test("reach the request: GET at one node, POST at the next, the answer to the third", async () => {
    const [a, b, c] = await nodes(3);
    const party = await open(a!);
    const listening = await party.get();
    const { call, id } = await asking(at(party, b!));
    b!.watched.commands.length = c!.watched.commands.length = 0;
    const there = at(party, c!);
    await there.tool("echo", { text: "x" });
    c!.watched.commands.length = 0;
    expect((await there.post({ jsonrpc: "2.0", id, result: answer })).status).toBe(202);
    expect(await call.whole()).toContain("Hello, Ada");
    expect(c!.watched.commands).toEqual(["publish"]);
    expect(listening.status).toBe(200);
  });

  test("of forged ids, other sessions and other principals are refused without a command", async () => {
    const authenticate: ServeHttpOptions["authenticate"] = ({ header }) => ({
      principal: header("authorization")!,
    });
    const [a, b] = await nodes(2, { authenticate });
    const ada = await open(a!, { authorization: "ada" });
    const eve = await open(b!, { authorization: "eve" });
    const { call, id } = await asking(ada);
    const [node, number, code] = id.split(".") as [string, string, string];
    await at(ada, b!).tool("echo", { text: "x" });
    b!.watched.commands.length = 0;
    const flipped = `${code.slice(0, -1)}${code.endsWith("A") ? "B" : "A"}`;
    const forged = [
      `${node}.${number}.${flipped}`,
      `${node}.9.${code}`,
      `other.1.${code}`,
      id.slice(0, -1),
      1,
    ];
    for (const each of forged) {
      const refused = await at(ada, b!).post({ jsonrpc: "2.0", id: each, result: answer });
      await refused.whole();
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("unknown-request")]);
    }
    expect((await eve.post({ jsonrpc: "2.0", id, result: answer })).status).toBe(400);
    expect(b!.watched.commands).toEqual([]);
    const stolen = at(ada, b!, { authorization: "eve" });
    expect((await stolen.post({ jsonrpc: "2.0", id, result: answer })).status).toBe(404);
    expect((await at(ada, b!).post({ jsonrpc: "2.0", id, result: answer })).status).toBe(202);
    expect(await call.whole()).toContain("Hello, Ada");
  });

  test.each([
    ["request", "node"],
    ["answer", "sessions"],
  ])("that the store lost arrive when the node of the %s is connected again", async (where, channel) => {
    const [a, b] = await nodes(2);
    const party = await open(a!);
    const { call, id } = await asking(party);
    b!.watched.mode = "loses";
    expect((await at(party, b!).post({ jsonrpc: "2.0", id, result: answer })).status).toBe(202);
    b!.watched.mode = "works";
    // The same a second time: the later copy has no effect.
    const { watched } = where === "request" ? a! : b!;
    for (let times = 0; times < 2; times++) watched.lost.get(channel)!();
    expect(await call.whole()).toContain("Hello, Ada");
    expect(await at(party, b!).tool("echo", { text: "x" })).toBeDefined();
  });

  test("for a lost node, and while the store is away, get 503 with a code", async () => {
    const [a, b] = await nodes(2);
    const party = await open(a!);
    const { id } = await asking(party);
    const there = at(party, b!);
    await there.tool("echo", { text: "x" });
    const send = async (): Promise<unknown[]> => {
      const refused = await there.post({ jsonrpc: "2.0", id, result: answer });
      await refused.whole();
      return [refused.status, refused.headers["retry-after"], refused.text];
    };
    b!.watched.mode = "fails";
    expect(await send()).toEqual([503, "1", expect.stringContaining("the cluster store failed")]);
    b!.watched.mode = "works";
    await a!.own.close();
    expect(await send()).toEqual([503, "1", expect.stringContaining("node-lost")]);
  });
});

describe("streams at other nodes", () => {
  test("continue: no event is lost, none comes twice, in order, with the answer", async () => {
    const [a, b, c] = await nodes(3);
    const party = await open(a!);
    let stream = await party.post(party.call("count", { count: 40 }, { _meta: { progressToken: 1 } }));
    await a!.began.opened;
    const got: string[] = [];
    for (const [index, node] of [b!, c!, a!, b!].entries()) {
      await stream.until(({ events }) => events.length > 5 + index);
      stream.cut();
      // The rest of what came is lost on the way.
      const seen = stream.events.slice(0, 6 + index);
      got.push(...textsOf({ ...stream, isStream: true, events: seen } as typeof stream));
      const last = seen.findLast(({ id }) => id)!.id!;
      if (index === 2) a!.gate.open();
      stream = await at(party, node).get({ "last-event-id": last });
    }
    await stream.whole();
    expect([...got, ...textsOf(stream)]).toEqual([...numbers(80), "answer"]);
  });

  test.each([undefined, -7, "a.b"])(
    "of a lost node end with a coded error within 5 s (id %j)",
    async (id) => {
      const [a, b] = await nodes(2);
      const party = await open(a!);
      const own = party.call("count", { count: 3 }, { _meta: { progressToken: 1 } });
      const call = { ...own, id: id ?? own.id };
      const first = await party.post(call);
      const event = await first.until(({ events }) => events[2]);
      const stream = await at(party, b!).get({ "last-event-id": event.id! });
      await stream.until(({ events }) => events.length > 0);
      await a!.own.close();
      for (let second = 0; second < 5; second++) await b!.clock.advance(1000);
      await stream.whole();
      const messages = messagesOf(stream);
      expect(messages.at(-1)).toMatchObject({
        id: call.id,
        error: { code: -32603, data: { code: "node-lost" } },
      });
    },
  );

  test("of a silent node that is connected to the store go on for 10 s", async () => {
    const all = await nodes(2);
    const { call, stream } = await moved(all);
    const [{ watched, clock, gate }] = all as [Node];
    watched.mode = "silent";
    for (let second = 0; second < 9; second++) await clock.advance(1000);
    watched.mode = "works";
    await clock.advance(1000);
    watched.mode = "silent";
    for (let second = 0; second < 12; second++) await clock.advance(1000);
    gate.open();
    await stream.whole();
    expect(messagesOf(stream).at(-1)).toMatchObject({ id: call.id, result: {} });

    // The same for a client that comes back again and again.
    const { party, stream: long, last } = await moved(all.toReversed());
    all[1]!.watched.mode = "silent";
    for (let second = 0; second < 7; second++) await clock.advance(1000);
    long.cut();
    const again = await at(party, all[0]!).get({ "last-event-id": last });
    for (let second = 0; second < 7; second++) await clock.advance(1000);
    await again.whole();
    expect(messagesOf(again).at(-1)).toMatchObject({ error: { data: { code: "node-lost" } } });
  });

  /** A call at one node whose stream goes on at another one. */
  async function moved([a, b]: readonly Node[]) {
    const party = await open(a!);
    const call = party.call("count", { count: 3 }, { _meta: { progressToken: 1 } });
    const first = await party.post(call);
    const event = await first.until(({ events }) => events[2]);
    first.cut();
    const stream = await at(party, b!).get({ "last-event-id": event.id! });
    await stream.until(({ events }) => events.length > 0);
    return { party, call, stream, last: event.id! };
  }

  test("keep the session where the request runs", async () => {
    const all = await nodes(2);
    const { stream } = await moved(all);
    // Sessions without a client end after 15 s.
    for (let second = 0; second < 60; second++) {
      await all[0]!.clock.advance(1000);
      await new Promise(setImmediate);
    }
    all[0]!.gate.open();
    await stream.whole();
    expect(textsOf(stream).slice(-4)).toEqual(["4", "5", "6", "answer"]);
  });

  test("are not lost because the store was away, and no sign of life came", async () => {
    const all = await nodes(2);
    const [a, b] = all;
    const { party, stream, last } = await moved(all);
    a!.watched.mode = b!.watched.mode = "fails";
    for (let second = 0; second < 4; second++) {
      await b!.clock.advance(1000);
      await new Promise(setImmediate);
    }
    await stream.whole();
    b!.watched.mode = "works";
    const again = await at(party, b!).get({ "last-event-id": last });
    while (b!.watched.commands.at(-1) !== "publish") await new Promise(setImmediate);
    a!.watched.mode = "works";
    a!.gate.open();
    await again.whole();
    expect(textsOf(again).slice(-4)).toEqual(["4", "5", "6", "answer"]);
  });

  test("end with a coded error where the store has lost the answer", async () => {
    const all = await nodes(2);
    const [a, b] = all;
    const { party, call, stream, last } = await moved(all);
    a!.watched.mode = "fails";
    a!.gate.open();
    while (a!.server.stats().gauges.requests > 0) await new Promise(setImmediate);
    a!.watched.mode = "works";
    await b!.clock.advance(1000);
    await stream.whole();
    const lost = { id: call.id, error: { code: -32603, data: { code: "answer-lost" } } };
    expect(messagesOf(stream).at(-1)).toMatchObject(lost);
    // The same where it ran.
    const again = await party.get({ "last-event-id": last });
    await again.whole();
    expect(messagesOf(again).at(-1)).toMatchObject(lost);
  });

  test("opened by GET continue where the client reconnects", async () => {
    const [a, b] = await nodes(2);
    const party = await open(a!);
    const listening = await party.get();
    const priming = await listening.until(({ events }) => events[0]);
    listening.cut();
    const again = await at(party, b!).get({ "last-event-id": priming.id! });
    expect(again.status).toBe(200);
    await b!.target.sessions.get(party.session!);
    b!.server.resourceUpdated("note://one");
    const [session] = b!.server.sessions;
    session!.notify("notifications/tools/list_changed");
    await again.until(({ events }) => events.some(({ data }) => data?.includes("list_changed")));
  });

  /** The session of a party at a node where it has made a request. */
  async function known(party: Party, node: Node) {
    await at(party, node).tool("echo", { text: "x" });
    const [session] = node.server.sessions;
    return session!;
  }
  const notified = (text: string) => (stream: { events: readonly { data?: string }[] }) =>
    stream.events.some(({ data }) => data?.includes(text));
  const question = { message: "Go on?", requestedSchema: { type: "object" as const, properties: {} } };

  test("opened by GET carry messages of other nodes that belong to no request, in order", async () => {
    const [a, b, c] = await nodes(3);
    const party = await open(a!);
    const listening = await party.get();
    const there = await known(party, b!);
    b!.watched.commands.length = 0;
    for (const data of ["one", "two", "three"]) there.log("error", data);
    await listening.until(notified("three"));
    const texts = messagesOf(listening).map(({ params }) => params?.["data"]);
    expect(texts).toEqual(["one", "two", "three"]);
    expect(b!.watched.commands).toEqual(["get", "publish", "get", "publish", "get", "publish"]);
    // A request of one node, on the stream of another, answered at a third.
    const asked = there.elicit(question);
    await listening.until(notified("Go on?"));
    const { id } = messagesOf(listening).at(-1)!;
    expect((await at(party, c!).post({ jsonrpc: "2.0", id, result: answer })).status).toBe(202);
    expect(await asked).toMatchObject({ action: "accept" });
  });

  test("opened by GET get the requests that waited for them at other nodes", async () => {
    const [a, b] = await nodes(2);
    const party = await open(a!);
    const there = await known(party, b!);
    const asked = there.elicit(question);
    const given = new AbortController();
    const cancelled = there.elicit({ ...question, message: "Cancelled?" }, { signal: given.signal });
    there.log("error", "dropped");
    while (b!.watched.commands.filter((name) => name === "put").length < 2) await new Promise(setImmediate);
    given.abort();
    await expect(cancelled).rejects.toMatchObject({ code: "cancelled" });
    await new Promise(setImmediate);
    const listening = await party.get();
    await listening.until(notified("Go on?"));
    there.log("error", "last");
    await listening.until(notified("last"));
    const messages = messagesOf(listening);
    expect(messages.map(({ method }) => method)).toEqual(["elicitation/create", "notifications/message"]);
    await party.post({ jsonrpc: "2.0", id: messages[0]!.id, result: answer });
    expect(await asked).toMatchObject({ action: "accept" });
  });

  test("opened by GET and resumed at another node leave the first one", async () => {
    const [a, b, c] = await nodes(3);
    const party = await open(a!);
    const listening = await party.get();
    const priming = await listening.until(({ events }) => events[0]);
    const there = await known(party, c!);
    const again = await at(party, b!).get({ "last-event-id": priming.id! });
    await listening.whole();
    there.log("error", "moved");
    await again.until(notified("moved"));
    expect(notified("moved")(listening)).toBe(false);
  });

  test("opened by GET carry messages that waited while the store was away", async () => {
    const [a, b] = await nodes(2);
    const party = await open(a!);
    const listening = await party.get();
    const there = await known(party, b!);
    b!.watched.mode = "fails";
    for (const data of ["one", "two"]) there.log("error", data);
    await new Promise(setImmediate);
    b!.watched.mode = "works";
    await b!.clock.advance(1000);
    await listening.until(notified("two"));
    expect(messagesOf(listening).map(({ params }) => params?.["data"])).toEqual(["one", "two"]);
  });

  test("opened by GET carry a change once, though each node learns of it", async () => {
    const listeners = new Set<(change: Change) => void>();
    const changes: NotificationBus = {
      publish: (change) => listeners.forEach((listener) => listener(change)),
      subscribe: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    };
    const [a, b] = await nodes(2, {}, { changes });
    const party = await open(a!);
    const listening = await party.get();
    const there = await known(party, b!);
    changes.publish({ method: "notifications/tools/list_changed" });
    there.log("error", "last");
    await listening.until(notified("last"));
    const methods = messagesOf(listening).map(({ method }) => method);
    expect(methods.filter((method) => method?.endsWith("list_changed"))).toHaveLength(1);
  });

  test("of other principals are not found", async () => {
    const authenticate: ServeHttpOptions["authenticate"] = ({ header }) => ({
      principal: header("authorization")!,
    });
    const [a, b] = await nodes(2, { authenticate });
    const ada = await open(a!, { authorization: "ada" });
    const eve = await open(b!, { authorization: "eve" });
    const stream = await ada.post(ada.call("count", { count: 3 }, { _meta: { progressToken: 1 } }));
    const event = await stream.until(({ events }) => events[2]);
    expect((await eve.get({ "last-event-id": event.id! })).status).toBe(400);
    const stolen = at(ada, b!, { authorization: "eve" });
    expect((await stolen.get({ "last-event-id": event.id! })).status).toBe(404);
  });
});

describe("sessions at other nodes", () => {
  test("cancel a request, wherever it runs", async () => {
    const [a, b] = await nodes(2);
    const party = await open(a!);
    const call = party.call("gated");
    const answered = party.post(call);
    await a!.began.opened;
    const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: call.id } };
    expect((await at(party, b!).post(cancel)).status).toBe(202);
    await a!.aborted.opened;
    a!.gate.open();
    await answered;
  });

  test("end everywhere by DELETE, also where they come back", async () => {
    const [a, b, c] = await nodes(3);
    const party = await open(a!);
    await at(party, b!).tool("echo", { text: "x" });
    expect((await at(party, a!).delete()).status).toBe(204);
    for (const node of [a!, b!, c!]) {
      const there = at(party, node);
      expect((await there.post(there.message("ping"))).status).toBe(404);
      expect(node.target.sessions.size).toBe(0);
    }
  });

  test("share the log level and the subscriptions", async () => {
    const [a, b, c] = await nodes(3);
    const party = await open(a!);
    const there = at(party, b!);
    await there.request("logging/setLevel", { level: "error" });
    await there.request("resources/subscribe", { uri: "note://one" });
    const third = at(party, c!);
    const listening = await third.get();
    const [session] = c!.server.sessions;
    session!.log("info", "not wanted");
    session!.log("error", "wanted");
    c!.server.resourceUpdated("note://one");
    await listening.until(({ events }) => events.some(({ data }) => data?.includes("resources/updated")));
    const text = listening.events.map(({ data }) => data).join();
    expect([text.includes("not wanted"), text.includes('"wanted"')]).toEqual([false, true]);
  });

  test("are ready where they were opened after the client says so elsewhere", async () => {
    const [a, b] = await nodes(2);
    const party = new Party(a!.target.url, revision, {}, { elicitation: {} });
    party.session = (await party.initialize()).headers["mcp-session-id"] as string;
    const ready = { jsonrpc: "2.0", method: "notifications/initialized" };
    expect((await at(party, b!).post(ready)).status).toBe(202);
    const { call, id } = await asking(party);
    expect((await party.post({ jsonrpc: "2.0", id, result: answer })).status).toBe(202);
    expect(await call.whole()).toContain("Hello, Ada");
  });

  test("cost no command for calls, and calls go on while the store is away", async () => {
    const [a, b] = await nodes(2);
    const party = await open(a!);
    const there = at(party, b!);
    await there.tool("echo", { text: "x" });
    for (const { watched } of [a!, b!]) watched.commands.length = 0;
    for (let call = 0; call < 20; call++) await [party, there][call % 2]!.tool("echo", { text: "x" });
    expect([a!.watched.commands, b!.watched.commands]).toEqual([[], []]);
    for (const mode of ["fails", "hangs"] as const) {
      a!.watched.mode = b!.watched.mode = mode;
      expect(await party.tool("echo", { text: "y" })).toMatchObject({ content: [{ text: "y" }] });
      expect(await there.tool("echo", { text: "z" })).toMatchObject({ content: [{ text: "z" }] });
    }
  });
});

test("a stream is cut when a store that never answers lets 8 MiB wait", async () => {
  const [a] = await nodes(1);
  const text = "x".repeat(1_048_576);
  a!.server.tool("flood", {}, async (_, { progress, signal }) => {
    for (let at = 1; at <= 12; at++) progress(at, 12, text);
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    return "done";
  });
  const party = await open(a!);
  a!.watched.mode = "hangs";
  const stream = await party.post(party.call("flood", {}, { _meta: { progressToken: 1 } }));
  await stream.whole();
  expect(stream.events).toEqual([]);
  expect(a!.watched.commands.filter((name) => name === "append").length).toBeLessThan(11);
});

test.each([
  [{ sessions: true }, "cluster needs sessions.store"],
  [
    {
      sessions: sealedSessions({ keys }),
      events: { append: () => "", after: () => undefined, drop: () => undefined },
    },
    "cluster takes the place of events",
  ],
])("a cluster is refused with the options %j", async (options, named) => {
  const { server } = inside();
  const shared = cluster({ store: new MemoryClusterStore(), keys });
  await expect(serve("node", server, { ...options, cluster: shared })).rejects.toThrow(named);
});

test.each([
  [{ keys: ["short"] }, "32 characters"],
  [{ keys: [] }, "32 characters"],
  [{ keys: undefined }, "keys"],
  [{ keys, store: undefined }, "store"],
  [{ keys, store: {} }, "store"],
  [{ keys, ttlMs: 10_000 }, "ttlMs: the option is gone."],
])("the options %j are refused", (options, named) => {
  const made = (): unknown => cluster({ store: new MemoryClusterStore(), ...options } as never);
  expect(made).toThrow(named);
  expect(made).not.toThrow("short");
});

/** Sends each request of a client to the next node. */
function inTurn(all: readonly Node[]): typeof fetch {
  let turn = 0;
  return (input, init) => {
    const url = new URL(input instanceof Request ? input.url : String(input));
    url.port = String(all[turn++ % all.length]!.target.port);
    return fetch(url, init);
  };
}

test("our client asks and is asked over four nodes in turn", async () => {
  const all = await nodes(4);
  const http = { fetch: inTurn(all) as never };
  const client = await clientOf(all[0]!.target.url, { revision, elicit: () => answer, http } as never);
  for (let call = 0; call < 8; call++)
    expect(JSON.stringify(await client.callTool("greet", {}))).toContain("Hello, Ada");
});

describe("a session that has ended does not come back", () => {
  test("while its id could open it", async () => {
    const [a, b] = await nodes(2);
    const party = await open(a!);
    expect((await party.delete()).status).toBe(204);
    for (const passed of [5000, 10_000, 60_000]) {
      await a!.clock.advance(passed);
      const there = at(party, b!);
      expect((await there.post(there.message("ping"))).status).toBe(404);
    }
  });

  test("by what another node stores of it at the same time", async () => {
    const [a, b, c] = await nodes(3);
    const party = await open(a!);
    const there = at(party, b!);
    await there.tool("echo", { text: "x" });
    b!.watched.mode = "loses";
    expect((await party.delete()).status).toBe(204);
    // The node has not heard of the end, and changes what all nodes know.
    await there.request("logging/setLevel", { level: "error" });
    const late = at(party, c!);
    expect((await late.post(late.message("ping"))).status).toBe(404);
  });
});
