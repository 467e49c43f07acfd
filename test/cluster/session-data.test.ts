import { serverRevisions } from "@mcpgen/protocol";
import { type CodeFirstServer, createServer } from "@mcpgen/runtime";
import { MemorySessionStore, type ServeHttpOptions } from "@mcpgen/runtime/http";
import { MemoryClusterStore, cluster } from "@mcpgen/cluster";
import { sealedSessions } from "@mcpgen/cluster/sealed-sessions";
import { VirtualClock } from "@mcpgen/testing";
import { describe, expect, test } from "vitest";
import { type Target, adapters, serve } from "../support/http-adapters.js";
import { Party } from "../support/raw-http-client.js";
import { type Members, clientOf, served } from "../support/raw-stdio-client.js";

// A session keeps data of the application, such as the id of the session that a gateway has with another server.

const revisions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const;
const revision = "2025-11-25";
const keys = ["k".repeat(32)];
const most = 16_384;

/** A server whose tools set and read the data; its middleware sets `given` in the handshake. */
function keeping(server: CodeFirstServer, given?: unknown): CodeFirstServer {
  server.tool<{ data?: unknown }>("set", {}, async ({ data }, { session }) => {
    const failure = await session.setData(data).then(
      () => "kept",
      (error: { code: string }) => error.code,
    );
    return failure;
  });
  server.tool("get", {}, (_args, { session }) => JSON.stringify({ data: session.data }));
  server.use(async (request, next) => {
    const result = await next();
    if (given !== undefined && request.direction === "incoming" && request.method === "initialize")
      await request.context.session.setData(given);
    return result;
  });
  return server;
}

const made = (given?: unknown): CodeFirstServer =>
  keeping(createServer({ name: "s", version: "1" }, { revisions: serverRevisions }), given);

const textIn = (result: Members): string => (result["content"] as Members[])[0]!["text"] as string;

const set = async (party: { tool(name: string, args?: Members): Promise<Members> }, data?: unknown) =>
  textIn(await party.tool("set", data === undefined ? {} : { data }));
const get = async (party: { tool(name: string, args?: Members): Promise<Members> }): Promise<unknown> =>
  (JSON.parse(textIn(await party.tool("get"))) as { data: unknown }).data;

function moved(party: Party, { url }: Target): Party {
  const other = new Party(url, party.revision, party.headers, party.capabilities);
  other.session = party.session;
  return other;
}

test.each(revisions)("on a pipe at %s, data lasts as long as its session", async (own) => {
  const found = served((server) => void keeping(server));
  const pipes = await Promise.all([clientOf(found, own), clientOf(found, own)]);
  const [one, other] = pipes.map((pipe) => ({
    tool: async (name: string, args?: Members) => (await pipe.call(name, args)).result!,
  }));
  expect(await get(one!)).toBeUndefined();
  for (const data of [{ back: "a", list: [1, null, "ünï"] }, "text", 0, false, null]) {
    expect(await set(one!, data)).toBe("kept");
    expect(await get(one!)).toEqual(data);
  }
  expect(await get(other!)).toBeUndefined();
  expect(await set(one!)).toBe("kept");
  expect(await get(one!)).toBeUndefined();
  // A request of the modern era on the same pipe belongs to no session.
  await set(one!, "of the session");
  pipes[0]!.revision = "2026-07-28";
  expect(await get(one!)).toBeUndefined();
  expect(await set(one!, "x")).toBe("missing-capability");
});

test("what JSON cannot hold is refused, and so is data over 16,384 bytes", async () => {
  const found = served((server) => void keeping(server));
  const pipe = await clientOf(found, revision);
  const [session] = found.server.sessions;
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  for (const data of [1n, cycle, () => 1, Symbol("s")])
    await expect(session!.setData(data)).rejects.toMatchObject({ code: "invalid-definition" });
  // Two characters are the quotes; each of the others has two bytes.
  await session!.setData("é".repeat(most / 2 - 1));
  for (const data of ["é".repeat(most / 2), "x".repeat(most - 1)])
    await expect(session!.setData(data)).rejects.toMatchObject({ code: "limit-exceeded" });
  expect(session!.data).toBe("é".repeat(most / 2 - 1));
  const copy = { list: [1] };
  await session!.setData(copy);
  copy.list.push(2);
  (session!.data as typeof copy).list.push(3);
  expect(session!.data).toEqual({ list: [1] });
  expect((await pipe.call("get")).result).toBeDefined();
});

test("data that is replaced or removed takes no memory", async () => {
  const found = served((server) => void keeping(server));
  await clientOf(found, revision);
  const [session] = found.server.sessions;
  // Far more than one client may make the server keep.
  for (let count = 0; count < 1000; count++) {
    await session!.setData("x".repeat(most - 2));
    if (count % 2 === 0) await session!.setData(undefined);
  }
  expect(session!.data).toBe("x".repeat(most - 2));
});

describe.each(adapters)("over HTTP (%s)", (adapter) => {
  const open = (
    sessions: NonNullable<ServeHttpOptions["sessions"]>,
    more: ServeHttpOptions = {},
    given?: unknown,
  ) => serve(adapter, made(given), { keepAliveMs: 0, ...more, sessions });

  test("with a store, another process and a process after a restart read the data", async () => {
    const store = new MemorySessionStore();
    const first = await open({ store });
    const party = await new Party(first.url, revision).open();
    expect(await set(party, { back: "b1" })).toBe("kept");
    const other = await open({ store });
    expect(await get(moved(party, other))).toEqual({ back: "b1" });
    await first.close();
    const again = moved(party, await open({ store }));
    expect(await get(again)).toEqual({ back: "b1" });
    expect(await set(again)).toBe("kept");
    expect(await get(moved(party, await open({ store })))).toBeUndefined();
  });

  test("data that the handshake sets is in the store before the client has an answer", async () => {
    const store = new MemorySessionStore();
    const first = await open({ store }, {}, { back: "of the handshake" });
    const party = await new Party(first.url, revision).open();
    expect(store.get(party.session!)?.data).toBe('{"back":"of the handshake"}');
    await first.close();
    expect(await get(moved(party, await open({ store })))).toEqual({ back: "of the handshake" });
  });

  test("a store that fails fails the call, with store-failed", async () => {
    const store = new MemorySessionStore();
    const target = await open({ store });
    const party = await new Party(target.url, revision).open();
    store.set = () => {
      throw new Error("away");
    };
    expect(await set(party, 1)).toBe("store-failed");
  });

  test("a sealed id holds the data of the handshake, which then cannot change", async () => {
    const first = await open(sealedSessions({ keys }), {}, { back: "sealed" });
    const party = await new Party(first.url, revision).open();
    expect(await get(party)).toEqual({ back: "sealed" });
    expect(await set(party, { back: "later" })).toBe("not-expressible");
    await first.close();
    const again = moved(party, await open(sealedSessions({ keys })));
    expect(await get(again)).toEqual({ back: "sealed" });
    expect(await set(again, { back: "later" })).toBe("not-expressible");
    const bare = await new Party((await open(sealedSessions({ keys }))).url, revision).open();
    expect(await get(bare)).toBeUndefined();
  });

  test("a sealed id that cannot hold the data fails the handshake", async () => {
    const target = await open(sealedSessions({ keys }), {}, "x".repeat(8000));
    const party = new Party(target.url, revision);
    const message = party.message("initialize", {
      protocolVersion: revision,
      capabilities: {},
      clientInfo: { name: "raw", version: "1" },
    });
    const answer = await party.post(message, { "mcp-protocol-version": "" });
    expect(JSON.parse(await answer.whole())).toMatchObject({
      error: { code: -32602, message: expect.stringContaining("data of the session") as string },
    });
  });

  test("without a store, data lasts as long as the process", async () => {
    const party = await new Party((await open({})).url, revision).open();
    expect(await set(party, [1])).toBe("kept");
    expect(await get(party)).toEqual([1]);
  });

  test.each([revision, "2026-07-28"])("without sessions at %s, there is none", async (own) => {
    const party = await new Party((await open(false)).url, own).open();
    expect(await set(party, 1)).toBe("missing-capability");
    expect(await get(party)).toBeUndefined();
  });
});

test("the nodes of a cluster share the data, with sealed ids too", async () => {
  const clock = new VirtualClock();
  for (const sessions of [sealedSessions({ keys }), { store: new MemorySessionStore(clock) }]) {
    const store = new MemoryClusterStore(clock);
    const node = () =>
      serve(
        "node",
        keeping(createServer({ name: "s", version: "1" }, { revisions: serverRevisions, clock })),
        {
          keepAliveMs: 0,
          sessions,
          cluster: cluster({ store: store.connect(), keys }),
        },
      );
    const [a, b] = await Promise.all([node(), node()]);
    const party = await new Party(a.url, revision).open();
    expect(await get(moved(party, b))).toBeUndefined();
    expect(await set(party, { back: "a" })).toBe("kept");
    await expect.poll(() => get(moved(party, b))).toEqual({ back: "a" });
    const c = await node();
    expect(await get(moved(party, c))).toEqual({ back: "a" });
    expect(await set(moved(party, c))).toBe("kept");
    await expect.poll(() => get(party)).toBeUndefined();
    expect(await get(moved(party, await node()))).toBeUndefined();
  }
});
