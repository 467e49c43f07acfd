import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { type ClientChannel, connect, createServer } from "@mcpgen/runtime";
import { createHttpHandler } from "@mcpgen/runtime/http";
import { VirtualClock, createTestPair } from "@mcpgen/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { failureOf } from "../../support/failure-of.js";
import * as http from "../../support/scripted-http-server.js";
import { ScriptedPeer, base, supervise } from "../../support/scripted-stdio-server.js";

const revision = "2025-03-26";
const others = clientRevisions.map(({ id }) => id).filter((id) => id !== revision);
const echo = (text: string) =>
  ({ method: "tools/call", params: { name: "echo", arguments: { text } } }) as const;

function echoing() {
  const server = createServer({ name: "echoing", version: "1" }, { revisions: serverRevisions });
  const inputSchema = {
    type: "object",
    properties: { text: { type: "string" } },
    required: ["text"],
  } as const;
  server.tool("echo", { inputSchema }, async ({ text }, { progress }) => {
    progress(1);
    return text;
  });
  return server;
}

const requests = [echo("a"), { method: "tools/list" }, { method: "no/such" }, echo("b")] as const;

function expectOutcomes(outcomes: readonly PromiseSettledResult<unknown>[]): void {
  expect(outcomes).toMatchObject([
    { status: "fulfilled", value: { content: [{ type: "text", text: "a" }] } },
    { status: "fulfilled", value: { tools: [{ name: "echo" }] } },
    { status: "rejected", reason: { code: "method-not-found" } },
    { status: "fulfilled", value: { content: [{ type: "text", text: "b" }] } },
  ]);
}

test("a batch goes over the wire as one array, and each request has its own outcome, in order", async () => {
  const pair = await createTestPair({ server: echoing(), revisions: clientRevisions, revision });
  onTestFinished(() => pair.close());
  const unknown = { method: "acme/x", options: { result: {} } } as const;
  const outcomes = await pair.client.batch([...requests, unknown]);
  expectOutcomes(outcomes.slice(0, 4));
  expect(outcomes[4]).toMatchObject({ status: "rejected", reason: { code: "method-not-found" } });
  const [first] = outcomes;
  if (first.status === "fulfilled") expect(first.value.content).toHaveLength(1);
  const arrays = String(pair.wire)
    .split("\n")
    .filter((line) => line.includes("[{"));
  // The unknown method without a schema is not sent.
  expect(arrays[0]!.match(/"method"/g)).toHaveLength(4);
  expect(
    arrays.filter((line) => line.includes('"result"') && line.match(/"id"/g)!.length === 4),
  ).toHaveLength(1);
});

test("middleware runs around each request of a batch, and the batch waits for all of them", async () => {
  const pair = await createTestPair({ server: echoing(), revisions: clientRevisions, revision });
  onTestFinished(() => pair.close());
  const seen: unknown[] = [];
  pair.client.use(async ({ params }, next) => {
    const name = (params as { arguments?: { text?: string } }).arguments?.text;
    seen.push(name);
    if (name === "here") return { content: [] };
    if (name === "late") await new Promise((resolve) => setImmediate(resolve));
    return next();
  });
  const outcomes = await pair.client.batch([echo("late"), echo("here"), echo("b")]);
  expect(seen).toEqual(["late", "here", "b"]);
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "fulfilled"]);
  expect(outcomes[1]).toMatchObject({ value: { content: [] } });
  const sent = String(pair.wire)
    .split("\n")
    .filter((line) => line.includes('"tools/call"'));
  expect(sent).toHaveLength(1);
  expect(sent[0]!.match(/"method"/g)).toHaveLength(2);
});

test.each(["json", "sse"] as const)("over HTTP, a batch is one POST (answers as %s)", async (responses) => {
  const handler = createHttpHandler(echoing(), { responses });
  onTestFinished(() => handler.close());
  const bodies: string[] = [];
  const client = await connect("http://localhost/mcp", {
    revisions: clientRevisions,
    revision,
    http: {
      fetch: (url, init) => {
        if (init!.method === "POST") bodies.push(init!.body as string);
        return handler.fetch(new Request(url, init));
      },
    },
  });
  onTestFinished(() => client.close());
  const progress: number[] = [];
  const onProgress = (each: { progress: number }): void => void progress.push(each.progress);
  const [one] = await client.batch([{ ...echo("a"), options: { onProgress } }]);
  expect(one.status).toBe("fulfilled");
  bodies.length = 0;
  expectOutcomes(await client.batch(requests));
  expect(bodies).toHaveLength(1);
  expect((JSON.parse(bodies[0]!) as unknown[]).length).toBe(3);
  if (responses === "sse") expect(progress).toEqual([1]);
});

const seen = { method: "notifications/acme/seen", params: { count: 1 }, notification: true } as const;
const changed = { method: "notifications/roots/list_changed", notification: true } as const;

describe("notifications in a batch", () => {
  /** A server that keeps the vendor notifications it gets. */
  function hearing() {
    const heard: unknown[] = [];
    const server = echoing();
    server.on("notifications/acme/seen", {}, (params) => void heard.push(params));
    return { server, heard };
  }

  test("go with its requests, in the order of the batch", async () => {
    const { server, heard } = hearing();
    const pair = await createTestPair({ server, revisions: clientRevisions, revision });
    onTestFinished(() => pair.close());
    pair.client.use(async (_, next) => {
      await new Promise((resolve) => setImmediate(resolve));
      return next();
    });
    const outcomes = await pair.client.batch([seen, echo("a"), seen]);
    expect(outcomes).toMatchObject([
      { status: "fulfilled", value: undefined },
      { status: "fulfilled", value: { content: [{ text: "a" }] } },
      { status: "fulfilled", value: undefined },
    ]);
    expect(heard).toEqual([{ count: 1 }, { count: 1 }]);
    const batch = String(pair.wire)
      .split("\n")
      .find((line) => line.includes("[{") && line.includes("acme/seen"));
    const methods = [...batch!.matchAll(/"method":"([^"]+)"/g)].map(([, method]) => method);
    expect(methods).toEqual(["notifications/acme/seen", "tools/call", "notifications/acme/seen"]);
  });

  test("are one POST over HTTP, with and without requests", async () => {
    const { server, heard } = hearing();
    const handler = createHttpHandler(server);
    onTestFinished(() => handler.close());
    const posts: unknown[] = [];
    const client = await connect("http://localhost/mcp", {
      revisions: clientRevisions,
      revision,
      http: {
        fetch: async (url, init) => {
          const response = await handler.fetch(new Request(url, init));
          if (init!.method === "POST") posts.push([JSON.parse(init!.body as string), response.status]);
          return response;
        },
      },
    });
    onTestFinished(() => client.close());
    posts.length = 0;
    const { method, params } = seen;
    const message = { jsonrpc: "2.0", method, params };
    expect((await client.batch([seen, echo("a")])).map(({ status }) => status)).toEqual([
      "fulfilled",
      "fulfilled",
    ]);
    expect(posts).toEqual([[[message, expect.objectContaining({ method: "tools/call" })], 200]]);
    // Notifications are sent in order: those in a batch after an earlier one, and before a later one.
    void client.notify(method, { count: 2 });
    expect(await client.batch([seen, seen])).toEqual([
      { status: "fulfilled", value: undefined },
      { status: "fulfilled", value: undefined },
    ]);
    await client.notify(method, { count: 3 });
    await expect.poll(() => heard).toHaveLength(5);
    expect(heard.slice(1)).toEqual([{ count: 2 }, { count: 1 }, { count: 1 }, { count: 3 }]);
    expect(posts.slice(2)).toEqual([
      [[message, message], 202],
      [expect.objectContaining({ params: { count: 3 } }), 202],
    ]);
  });

  test("are refused individually: the others are sent", async () => {
    const { server, heard } = hearing();
    const pair = await createTestPair({ server, revisions: clientRevisions, revision });
    onTestFinished(() => pair.close());
    const cyclic: Record<string, unknown> = {};
    cyclic["self"] = cyclic;
    const outcomes = await pair.client.batch([changed, { ...seen, params: cyclic }, echo("a"), seen]);
    expect(
      outcomes.map((each) =>
        each.status === "rejected" ? (each.reason as { code: string }).code : each.status,
      ),
    ).toEqual(["missing-capability", "invalid-params", "fulfilled", "fulfilled"]);
    expect(heard).toEqual([{ count: 1 }]);
  });

  test("stay in the batch when its requests are cancelled before it is sent", async () => {
    const { server, heard } = hearing();
    const pair = await createTestPair({ server, revisions: clientRevisions, revision });
    onTestFinished(() => pair.close());
    const late = { ...echo("a"), options: { signal: AbortSignal.abort() } };
    const outcomes = await pair.client.batch([late, seen]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
    await expect.poll(() => heard).toEqual([{ count: 1 }]);
    expect(String(pair.wire)).not.toContain("tools/call");
  });
});

test.each(others)("revision %s has no batches", async (other) => {
  const pair = await createTestPair({ server: echoing(), revisions: clientRevisions, revision: other });
  onTestFinished(() => pair.close());
  expect(await failureOf(pair.client.batch(requests))).toMatchObject({
    code: "not-expressible",
    message: expect.stringContaining(other) as string,
  });
});

describe("a batch over stdio", () => {
  async function withPeer() {
    const peer = new ScriptedPeer(revision, { "tools/call": () => undefined });
    const clock = new VirtualClock();
    const lines: string[] = [];
    const { channel } = peer;
    const spy = {
      open: channel.open.bind(channel),
      flush: channel.flush.bind(channel),
      close: channel.close.bind(channel),
      send: (text: string) => {
        lines.push(text);
        if (!text.startsWith("[")) channel.send(text);
      },
    };
    const client = await connect(spy, { ...base(clock), revision });
    supervise(peer, clock, client);
    await peer.until("notifications/initialized");
    const sent = (): { id: number; method: string }[][] =>
      lines.filter((line) => line.startsWith("[")).map((line) => JSON.parse(line) as never);
    return { client, peer, clock, sent };
  }

  test("takes answers in any order, singly or as a batch, and leaves a missing one to its timeout", async () => {
    const { client, peer, clock, sent } = await withPeer();
    const outcomes = client.batch([
      { method: "acme/a", options: { result: z.object({ n: z.number() }), timeout: 1000 } },
      { method: "acme/b", options: { result: z.object({ n: z.number() }), timeout: 1000 } },
      { method: "acme/c", options: { result: {}, timeout: 1000 } },
    ]);
    await expect.poll(() => sent()).toHaveLength(1);
    const [a, b] = sent()[0]!.map(({ id }) => id);
    peer.send([{ jsonrpc: "2.0", id: b, result: { n: 2 } }]);
    peer.send({ jsonrpc: "2.0", id: a, result: { n: "1" } });
    await expect.poll(() => clock.waiting).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(1000);
    expect(await outcomes).toMatchObject([
      { status: "rejected", reason: { code: "invalid-result" } },
      { status: "fulfilled", value: { n: 2 } },
      { status: "rejected", reason: { code: "timeout" } },
    ]);
    expect((await peer.until("notifications/cancelled")).params).toMatchObject({
      requestId: sent()[0]![2]!.id,
    });
  });

  test("does not contain requests that were cancelled or refused before", async () => {
    const { client, peer, sent } = await withPeer();
    const wrong = { method: "acme/a", options: { result: { type: "nonsense" } } };
    const late = { method: "acme/b", options: { result: {}, signal: AbortSignal.abort() } };
    const cyclic: Record<string, unknown> = {};
    cyclic["self"] = cyclic;
    const bad = { method: "acme/d", params: cyclic, options: { result: {} } };
    const good = { method: "acme/c", options: { result: {} } };
    const outcomes = client.batch([wrong, late, bad, good]);
    await expect.poll(() => sent()).toHaveLength(1);
    expect(sent()[0]!.map(({ method }) => method)).toEqual(["acme/c"]);
    peer.send([{ jsonrpc: "2.0", id: sent()[0]![0]!.id, result: {} }]);
    expect(
      (await outcomes).map((each) => (each.status === "rejected" ? each.reason.code : each.status)),
    ).toEqual(["invalid-definition", "cancelled", "invalid-params", "fulfilled"]);
    expect(await client.batch([wrong])).toHaveLength(1);
    expect(await client.batch([])).toEqual([]);
    expect(sent()).toHaveLength(1);
  });

  test("never contains initialize", async () => {
    const { client, sent } = await withPeer();
    const failure = await failureOf(client.batch([echo("a"), { method: "initialize" }]));
    expect(failure).toMatchObject({ code: "invalid-request" });
    expect(sent()).toEqual([]);
  });
});

describe("the answer to a batch over HTTP", () => {
  /** A client whose batches get one answer. */
  const answered = (answer: (incoming: http.Incoming, ids: readonly number[]) => void) =>
    http.connected(revision, {
      response: (incoming) => {
        const batch = incoming.message as unknown as { id: number }[];
        if (Array.isArray(batch))
          answer(
            incoming,
            batch.map(({ id }) => id),
          );
        else incoming.status(202);
      },
    });
  const codes = (outcomes: readonly PromiseSettledResult<unknown>[]) =>
    outcomes.map((each) =>
      each.status === "fulfilled" ? "fulfilled" : (each.reason as { code: string }).code,
    );
  const pair = [echo("a"), echo("b")] as const;
  const result = { content: [] };

  test("may be single messages of a stream; a request without an answer fails", async () => {
    const { client } = await answered((incoming, [a]) =>
      incoming.event({ jsonrpc: "2.0", id: a, result }).end(),
    );
    expect(codes(await client.batch(pair))).toEqual(["fulfilled", "connection-closed"]);
  });

  test("may be one array of a stream", async () => {
    const { client } = await answered((incoming, ids) =>
      incoming.event(ids.map((id) => ({ jsonrpc: "2.0", id, result }))).end(),
    );
    expect(codes(await client.batch(pair))).toEqual(["fulfilled", "fulfilled"]);
  });

  test("may be an error of all requests, with or without a JSON-RPC message", async () => {
    const error = { code: -32600, message: "batches are refused" };
    const coded = await answered((incoming) => incoming.json({ jsonrpc: "2.0", error }, 400));
    expect(codes(await coded.client.batch(pair))).toEqual(["remote-error", "remote-error"]);
    const bare = await answered((incoming) => incoming.status(400, "no"));
    expect(codes(await bare.client.batch(pair))).toEqual(["connection-closed", "connection-closed"]);
  });

  test("may be a forgotten session: each request is then sent again outside of a batch", async () => {
    const { client, server } = await answered((incoming) => incoming.status(404));
    expect(codes(await client.batch(pair))).toEqual(["fulfilled", "fulfilled"]);
    expect(server.of("tools/call")).toHaveLength(2);
  });

  test("comes on the stream of the session over HTTP+SSE", async () => {
    let stream: http.Incoming | undefined;
    const { client } = await http.connected(revision, {
      GET: (incoming) => void (stream = incoming.events("event: endpoint\ndata: /messages\n\n")),
      initialize: (incoming) => {
        if (incoming.path === "/mcp") return incoming.status(405);
        incoming.status(202);
        const serverInfo = { name: "s", version: "1" };
        stream!.event(
          incoming.answer({ protocolVersion: revision, capabilities: { tools: {} }, serverInfo }),
        );
      },
      response: (incoming) => {
        incoming.status(202);
        const batch = incoming.message as unknown as { id: number }[];
        for (const { id } of batch) stream!.event({ jsonrpc: "2.0", id, result });
      },
    });
    expect(codes(await client.batch(pair))).toEqual(["fulfilled", "fulfilled"]);
  });

  test("is awaited for the remaining requests when one is cancelled", async () => {
    const controller = new AbortController();
    let call: { incoming: http.Incoming; ids: readonly number[] } | undefined;
    const { client, server } = await answered(
      (incoming, ids) => (call = { incoming: incoming.events(), ids }),
    );
    const outcomes = client.batch([{ ...pair[0], options: { signal: controller.signal } }, pair[1]]);
    await expect.poll(() => call).toBeDefined();
    controller.abort();
    await server.until("notifications/cancelled");
    call!.incoming.event({ jsonrpc: "2.0", id: call!.ids[1], result }).end();
    expect(codes(await outcomes)).toEqual(["cancelled", "fulfilled"]);
  });
});

test("the error of a batch names a transport without batches", async () => {
  const answers: ((value: unknown) => void)[] = [];
  const channel: ClientChannel = {
    guaranteesReply: false,
    carriesHeaders: false,
    open: (receiver) => void answers.push((value) => receiver.parsed(value)),
    post: ({ id, method }) => {
      if (method !== "initialize") return;
      const serverInfo = { name: "s", version: "1" };
      answers[0]!({
        jsonrpc: "2.0",
        id,
        result: { protocolVersion: revision, capabilities: {}, serverInfo },
      });
    },
    reply: () => undefined,
    abandon: () => false,
    authorization: () => "",
    setProtocolHeaders: () => undefined,
    close: async () => undefined,
  };
  const client = await connect(channel, { revisions: clientRevisions, revision });
  expect(await failureOf(client.batch(requests))).toMatchObject({
    code: "not-expressible",
    message: expect.stringContaining("the transport") as string,
  });
  await client.close();
});
