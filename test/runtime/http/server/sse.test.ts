import { connect as openSocket } from "node:net";
import { type HttpOptions, createHttpHandler } from "@mcpgen/runtime/http";
import { describe, expect, test } from "vitest";
import { endpointOf } from "../../../../runtime/core/legacy/http/legacy-endpoint.js";
import { type Adapter, adapters, serve } from "../../../support/http-adapters.js";
import { type Inside, inside } from "../../../support/http-fixture.js";
import { Party, textOf } from "../../../support/raw-http-client.js";
import { clientOf } from "../../../support/scripted-http-server.js";
import { SseParty } from "../../../support/raw-sse-client.js";
import { send } from "../../../support/http-wire.js";
import { metaOf } from "../../../support/raw-stdio-client.js";
import type { Exchange } from "../../../../runtime/core/http/server/exchange.js";
import { noCounts } from "./exchange-of.js";

const legacy = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

async function served(
  adapter: Adapter,
  options: HttpOptions = {},
): Promise<Inside & { url: string; port: number }> {
  const found = inside();
  const { url, port } = await serve(adapter, found.server, { sse: true, keepAliveMs: 0, ...options });
  return { ...found, url, port };
}

/** The header `X-User` names the principal. */
const authenticate = ({ header }: Pick<Exchange, "header">) => ({ principal: header("x-user") ?? "" });

describe.each(adapters)("HTTP+SSE by %s", (adapter) => {
  test("is off by default", async () => {
    const { url } = await served(adapter, { sse: false });
    expect((await send(url, "GET", { accept: "text/event-stream" })).status).toBe(405);
    expect(
      (await send(`${url}?sessionId=x`, "POST", { "content-type": "application/json" }, "{}")).status,
    ).toBe(400);
  });

  test.each(legacy)("negotiates %s, in parallel with the other transport", async (revision) => {
    const { url } = await served(adapter);
    const older = await new SseParty(url, revision).open();
    const other = await new Party(url, revision).open();
    for (const party of [older, other]) expect((await party.request("tools/list")).result).toBeDefined();
  });

  test("offers its newest legacy revision to a client of an unknown revision, and no modern one", async () => {
    const { url } = await served(adapter);
    const party = await new SseParty(url, "2025-11-25").open("2026-07-28");
    const modern = { jsonrpc: "2.0", id: "m", method: "tools/list", params: { _meta: metaOf({}) } };
    expect((await party.post(modern)).status).toBe(400);
    expect((await party.post([modern])).status).toBe(400);
    expect(party.messages.map(({ id }) => id)).toEqual(["s0"]);
  });

  test("answers a batch if the revision has batches", async () => {
    const { url } = await served(adapter);
    const party = await new SseParty(url, "2025-03-26").open();
    await party.post([party.message("ping", {}, "a"), party.message("ping", {}, "b")]);
    await party.stream.until(() => party.messages.length === 3);
    expect(party.messages.map(({ id }) => id)).toEqual(["s0", "a", "b"]);
    const later = await new SseParty(url, "2025-06-18").open();
    expect((await later.post([later.message("ping")])).status).toBe(400);
  });

  test("is guarded like the endpoint, on the stream and on POSTs (R32)", async () => {
    const { url } = await served(adapter);
    const party = await new SseParty(url, "2024-11-05").open();
    const evil = { host: "evil.example" };
    const page = { origin: "https://evil.example" };
    for (const headers of [evil, page]) {
      expect((await send(url, "GET", { accept: "text/event-stream", ...headers })).status).toBe(403);
      expect((await party.post(party.message("ping"), headers)).status).toBe(403);
    }
    const allowed = await party.post(party.message("ping"), { origin: "http://localhost:1" });
    expect(allowed.headers["access-control-allow-origin"]).toBe("http://localhost:1");
  });

  test("a session only belongs to its owner (R33)", async () => {
    const { url } = await served(adapter, { authenticate });
    const ada = await new SseParty(url, "2024-11-05", { "x-user": "ada" }).open();
    expect((await ada.post(ada.message("ping"), { "x-user": "eve" })).status).toBe(404);
    expect((await ada.request("ping")).result).toEqual({});
  });

  test("bodies have the limits of the endpoint (R25)", async () => {
    const { url } = await served(adapter, { bodyLimit: 1000 });
    const party = await new SseParty(url, "2024-11-05").open();
    expect((await party.post({ text: "x".repeat(1000) })).status).toBe(413);
    expect((await party.post({}, { "content-type": "text/plain" })).status).toBe(415);
    for (const wrong of [{}, [], 5, { jsonrpc: "2.0", id: 2 ** 53, method: "ping" }])
      expect((await party.post(wrong)).status).toBe(400);
  });

  test("an id cannot be used for two running requests", async () => {
    const { url, gate, began } = await served(adapter);
    const party = await new SseParty(url, "2024-11-05").open();
    const call = party.message("tools/call", { name: "gated", arguments: {} }, 1);
    await party.post(call);
    await began.opened;
    expect((await party.post(call)).status).toBe(400);
    gate.open();
    await party.stream.until(() => party.messages.find(({ id }) => id === 1));
  });

  test("requests count towards the common limit", async () => {
    const { url, gate } = await served(adapter, { limits: { work: 2 } });
    const parties: SseParty[] = [];
    for (let count = 0; count < 3; count++) parties.push(await new SseParty(url, "2024-11-05").open());
    const gated = { name: "gated", arguments: {} };
    const statuses = [];
    for (const party of parties) statuses.push((await party.post(party.message("tools/call", gated))).status);
    expect(statuses).toEqual([202, 202, 503]);
    gate.open();
    await parties[1]!.stream.until(() => parties[1]!.messages.length === 2);
    await parties[0]!.stream.until(() => parties[0]!.messages.length === 2);
    expect((await parties[2]!.request("ping")).result).toEqual({});
  });

  test("a session without a handshake makes room; if all have one, no session is opened (R24)", async () => {
    const { url } = await served(adapter, { limits: { sessions: 2 } });
    const idle = await new SseParty(url, "2024-11-05").listen();
    await new SseParty(url, "2024-11-05").open();
    await new SseParty(url, "2024-11-05").open();
    await idle.stream.whole();
    expect((await send(url, "GET", { accept: "text/event-stream" })).status).toBe(503);
  });

  test("work ends with the stream, and no state remains (R24)", async () => {
    const { url, aborted, began, server } = await served(adapter);
    const party = await new SseParty(url, "2024-11-05").open();
    await party.post(party.message("tools/call", { name: "gated", arguments: {} }));
    await began.opened;
    party.stream.cut();
    await aborted.opened;
    expect(server.connections.size).toBe(0);
  });

  test("a reader that does not read is cut off", async () => {
    const { url, port, server } = await served(adapter);
    server.tool("flood", {}, async (_, { progress, signal }) => {
      for (let count = 1; count <= 400 && !signal.aborted; count++) {
        progress(count, 400, "x".repeat(65_536));
        if (count % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      return "flooded";
    });
    const socket = openSocket(port, "127.0.0.1");
    socket.write("GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n");
    const head = await new Promise<string>((resolve) => {
      let text = "";
      const listener = (chunk: Buffer): void => {
        text += String(chunk);
        if (!text.includes("sessionId=")) return;
        socket.off("data", listener).pause();
        resolve(text);
      };
      socket.on("data", listener);
    });
    const endpoint = new URL(/data: (\S+)/.exec(head)![1]!, url).href;
    const json = { "content-type": "application/json" };
    const post = (message: object) => send(endpoint, "POST", json, JSON.stringify(message));
    const params = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "x", version: "1" },
    };
    await post({ jsonrpc: "2.0", id: 0, method: "initialize", params });
    await post({ jsonrpc: "2.0", method: "notifications/initialized" });
    const call = { name: "flood", arguments: {}, _meta: { progressToken: 1 } };
    await post({ jsonrpc: "2.0", method: "notifications/initialized" });
    await post({ jsonrpc: "2.0", id: 1, method: "tools/call", params: call });
    const connections = server.connections;
    while (connections.size > 0) await new Promise((resolve) => setImmediate(resolve));
    expect((await post({ jsonrpc: "2.0", id: 2, method: "ping" })).status).toBe(404);
    socket.destroy();
  });
});

test("quiet streams send keep-alive comments (R21)", async () => {
  const { url, clock } = await served("node", { keepAliveMs: 1000 });
  const party = await new SseParty(url, "2024-11-05").open();
  await clock.advance(1000);
  await party.stream.until(({ text }) => text.endsWith(": \n\n"));
});

test("closing ends the streams, and the endpoint releases everything", async () => {
  const { server } = inside();
  const endpoint = endpointOf(server, { sse: true, keepAliveMs: 0 });
  const written: string[] = [];
  const gone: (() => void)[] = [];
  const exchange = (method: string, url: string, body = ""): Exchange => ({
    method,
    url,
    path: url,
    href: `http://localhost${url}`,
    webRequest: (whole) => new Request(whole),
    respond: () => undefined,
    header: (name) => ({ host: "localhost", "content-type": "application/json" })[name],
    size: 0,
    principal: "",
    counts: noCounts(),
    readBody: (_reading, done) => done(body),
    reply: () => undefined,
    openStream: () => ({ write: (text) => written.push(text) > 0, end: () => void written.push("end") }),
    onGone: (listener) => void gone.push(listener),
  });
  endpoint.handle(exchange("GET", "/mcp"));
  while (written.length === 0) await new Promise((resolve) => setImmediate(resolve));
  const where = /data: (\S+)/.exec(written[0]!)![1]!;
  const call = { jsonrpc: "2.0", id: 1, method: "ping" };
  endpoint.handle(exchange("POST", where, JSON.stringify(call)));
  while (written.length === 1) await new Promise((resolve) => setImmediate(resolve));
  expect(written[1]).toBe('event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n');
  expect(endpoint.kept).toMatchObject({ sessions: 1, streams: 1, requests: 0, bodies: 0 });
  await endpoint.close();
  expect([written.at(-1), endpoint.kept]).toEqual([
    "end",
    { sessions: 0, bytes: 0, streams: 0, requests: 0, bodies: 0, held: 0, waiting: 0 },
  ]);
  gone[0]!();
});

describe.each(adapters)("limits.memory applies to HTTP+SSE by %s", (adapter) => {
  /** An endpoint that keeps at most 40,000 bytes for its clients. */
  async function keeping() {
    const { server } = inside();
    const target = await serve(adapter, server, { sse: true, keepAliveMs: 0, limits: { memory: 160_000 } });
    const subscribe = (party: SseParty | Party, uri: string) =>
      party.request("resources/subscribe", { uri: `${uri}${"x".repeat(4000)}` });
    return { target, subscribe };
  }

  test("a session above the limit is refused and counted, and frees its share", async () => {
    const { target, subscribe } = await keeping();
    const party = await new SseParty(target.url, "2024-11-05").open();
    const answers = [];
    for (const uri of ["a:", "b:", "c:", "d:", "e:", "f:"]) answers.push(await subscribe(party, uri));
    const refused = answers.filter(({ error }) => error);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThan(6);
    expect(refused[0]!.error).toMatchObject({ code: -32600, data: { limit: "limits.memory" } });
    const { gauges, counters } = target.stats();
    expect(counters.limits).toEqual({ "limits.memory": refused.length });
    expect(gauges.keptBytes).toBeGreaterThan(8000);
    expect(gauges.keptBytes).toBeLessThanOrEqual(40_000);
    party.stream.cut();
    await expect.poll(() => target.stats().gauges.keptBytes).toBe(0);
  });

  test("idle sessions of Streamable HTTP make room", async () => {
    const { target, subscribe } = await keeping();
    const idle = await new Party(target.url, "2025-11-25").open();
    for (const uri of ["a:", "b:"]) expect((await subscribe(idle, uri)).error).toBeUndefined();
    const party = await new SseParty(target.url, "2024-11-05").open();
    const answers = [];
    for (const uri of ["a:", "b:", "c:"]) answers.push(await subscribe(party, uri));
    expect(answers.filter(({ error }) => error)).toEqual([]);
    expect([...target.sessions].map(({ revision }) => revision)).toEqual(["2024-11-05"]);
    expect(target.stats().counters).toMatchObject({ limits: {}, sessions: { evicted: 1 } });
  });
});

test("without sessions there is no HTTP+SSE", () => {
  expect(() => createHttpHandler(inside().server, { sse: true, sessions: false })).toThrow(
    expect.objectContaining({ code: "invalid-definition" }),
  );
});

describe("a client", () => {
  test("uses the transport that the server has", async () => {
    const { url } = await served("node");
    const client = await clientOf(url);
    expect(client.revision).toBe("2026-07-28");
  });

  test.each(adapters)("uses every feature over HTTP+SSE only (%s)", async (adapter) => {
    const { url, gate } = await served(adapter);
    // The front of the server refuses messages to the endpoint itself.
    const only: typeof fetch = async (input, init) =>
      init?.method === "POST" && String(input) === url
        ? new Response("", { status: 405 })
        : fetch(input, init);
    const client = await clientOf(url, { http: { fetch: only } });
    expect(client.revision).toBe("2025-11-25");
    const progress: number[] = [];
    const changed = new Promise((resolve) => client.on("notifications/tools/list_changed", resolve));
    await client.callTool("steps", { count: 3 }, { onProgress: (report) => progress.push(report.progress) });
    expect(progress).toEqual([1, 2, 3]);
    await client.callTool("change");
    await changed;
    const given = new AbortController();
    const cancelled = client.callTool("gated", {}, { signal: given.signal });
    given.abort();
    await expect(cancelled).rejects.toMatchObject({ code: "cancelled" });
    gate.open();
    expect(textOf({ result: await client.callTool("echo", { text: "on" }) } as never)).toBe("on");
  });
});
