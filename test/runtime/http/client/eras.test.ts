import { type Client, connect } from "@mcpgen/runtime";
import { VirtualClock } from "@mcpgen/testing";
import { clientRevisions } from "@mcpgen/protocol";
import { describe, expect, test } from "vitest";
import {
  type Incoming,
  type Script,
  type ScriptedHttp,
  clientOf,
  scripted,
} from "../../../support/scripted-http-server.js";

const modern = "2026-07-28";
const legacy = "2025-11-25";

const serverInfo = { name: "scripted", version: "1" };
const whole = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
const handshaken = { protocolVersion: legacy, capabilities: { tools: {} }, serverInfo };

/** A server of both eras that refuses its first probes. */
async function refusing(times: number, refuse: (incoming: Incoming) => void): Promise<ScriptedHttp> {
  // Requests without a revision belong to the era of the handshake.
  const server = await scripted(legacy, {
    "server/discover": (incoming) =>
      server.of("server/discover").length <= times
        ? refuse(incoming)
        : incoming.reply({ ...whole, supportedVersions: [modern, legacy], capabilities: { tools: {} } }),
    initialize: (incoming) => incoming.reply(handshaken),
  });
  return server;
}

const error = { code: -32603, message: "the server is busy: try again later" };

describe("a probe that gets a temporary error", () => {
  test.each([
    ["408", (incoming: Incoming) => incoming.status(408), 100],
    ["429", (incoming: Incoming) => incoming.status(429, "slowly", { "retry-after": "3" }), 3000],
    ["500", (incoming: Incoming) => incoming.status(500), 100],
    ["502", (incoming: Incoming) => incoming.status(502, "<html>"), 100],
    ["503 with an error", (incoming: Incoming) => incoming.json(incoming.answer({ error }), 503), 100],
    [
      "503 with an error and Retry-After",
      (incoming: Incoming) => incoming.json(incoming.answer({ error }), 503, { "retry-after": "2" }),
      2000,
    ],
    [
      "503 with an error of no request",
      (incoming: Incoming) => incoming.json({ jsonrpc: "2.0", id: null, error }, 503, { "retry-after": "1" }),
      1000,
    ],
  ] as const)("is sent again: %s", async (_, refuse, wait) => {
    const clock = new VirtualClock();
    const server = await refusing(1, refuse);
    const connecting = clientOf(server.url, { clock });
    await elapsed(clock, wait - 1);
    expect(server.of("server/discover")).toHaveLength(1);
    await elapsed(clock, 1);
    expect((await connecting).revision).toBe(modern);
    expect(server.of("initialize")).toEqual([]);
  });

  test("is followed by the handshake after the last attempt", async () => {
    const clock = new VirtualClock();
    const server = await refusing(99, (incoming) => incoming.status(503));
    const connecting = clientOf(server.url, { clock });
    for (const pause of [100, 200, 400]) await elapsed(clock, pause);
    expect((await connecting).revision).toBe(legacy);
    expect(server.of("server/discover")).toHaveLength(4);
  });

  test("is not repeated after timeouts.connect", async () => {
    const clock = new VirtualClock();
    const server = await refusing(99, (incoming) => incoming.status(503, "", { "retry-after": "120" }));
    expect((await clientOf(server.url, { clock })).revision).toBe(legacy);
    expect(server.of("server/discover")).toHaveLength(1);
    const only = connect(server.url, { revisions: clientRevisions, revision: modern, clock });
    await expect(only).rejects.toMatchObject({
      code: "connection-closed",
      data: { status: 503, retryAfterMs: 120_000 },
    });
    expect(clock.waiting).toBe(0);
  });

  test("is not repeated after the client is closed or the handshake has decided", async () => {
    const clock = new VirtualClock();
    const server = await refusing(99, (incoming) => incoming.status(503, "", { "retry-after": "20" }));
    const connecting = clientOf(server.url, { clock });
    await elapsed(clock, 15_000);
    expect((await connecting).revision).toBe(legacy);
    await clock.advance(10_000);
    expect(server.of("server/discover")).toHaveLength(1);
    await (await connecting).close();
    expect(clock.waiting).toBe(0);
  });

  test.each([400, 401, 403, 404, 405, 501])("is not repeated after %d", async (status) => {
    const server = await refusing(99, (incoming) => incoming.status(status));
    expect((await clientOf(server.url, { clock: new VirtualClock() })).revision).toBe(legacy);
    expect(server.of("server/discover")).toHaveLength(1);
  });
});

/** Advances the virtual clock when the client waits for it. */
async function elapsed(clock: VirtualClock, ms: number): Promise<void> {
  // The answer still comes over a socket. Until the client waits, only the time limit of connecting is set.
  await expect.poll(() => clock.waiting).toBeGreaterThan(2);
  await clock.advance(ms);
}

const refusal = { code: -32000, message: "Bad Request: Server not initialized" };

const ofLegacy: Script = {
  "server/discover": (incoming) => incoming.json({ jsonrpc: "2.0", id: null, error: refusal }, 400),
  initialize: (incoming) => incoming.reply(handshaken, { "mcp-session-id": "s2" }),
  "tools/call": (incoming) =>
    incoming.headers["mcp-session-id"] === "s2"
      ? incoming.reply({ content: [{ type: "text", text: "legacy" }] })
      : incoming.json({ jsonrpc: "2.0", id: null, error: refusal }, 400),
};

const supported = [modern];
const ofModern: Script = {
  GET: (incoming) => incoming.status(405),
  initialize: (incoming) =>
    incoming.json(
      incoming.answer({ error: { code: -32022, message: "unsupported", data: { supported } } }),
      400,
    ),
  "server/discover": (incoming) =>
    incoming.reply({ ...whole, supportedVersions: supported, capabilities: { tools: {} } }),
  "tools/call": (incoming) =>
    incoming.headers["mcp-session-id"] === undefined
      ? incoming.reply({ ...whole, content: [{ type: "text", text: "modern" }] })
      : incoming.status(404),
};

async function called(client: Client, name = "x"): Promise<unknown> {
  return (await client.callTool(name)).content[0];
}

describe("a server that a server of another era replaces", () => {
  test("is used in the modern era", async () => {
    const server = await scripted(legacy);
    const client = await clientOf(server.url);
    expect(client.revision).toBe(legacy);
    server.script = ofModern;
    expect(await called(client)).toEqual({ type: "text", text: "modern" });
    expect(client.revision).toBe(modern);
    expect(server.of("initialize")).toHaveLength(2);
  });

  test("is used in the legacy era, with one probe for all failed requests", async () => {
    const server = await scripted(modern);
    const client = await clientOf(server.url);
    expect(client.revision).toBe(modern);
    const mark = server.received.length;
    Object.assign(server, { revision: legacy, script: ofLegacy });
    const calls = await Promise.all([called(client, "a"), called(client, "b")]);
    expect(calls).toEqual([1, 2].map(() => ({ type: "text", text: "legacy" })));
    expect(client.revision).toBe(legacy);
    const since = server.received.slice(mark).map(({ message }) => message?.method);
    expect(since.filter((method) => method === "server/discover")).toHaveLength(1);
    expect(since.filter((method) => method === "initialize")).toHaveLength(1);
  });

  test("is not assumed if the same server refuses: one probe, and the error is reported", async () => {
    const server = await scripted(modern, {
      "tools/call": (incoming) => incoming.json(incoming.answer({ error: refusal }), 400),
    });
    const client = await clientOf(server.url);
    for (let count = 0; count < 3; count++)
      await expect(client.callTool("x")).rejects.toMatchObject({ rpcCode: -32000 });
    expect(server.of("server/discover")).toHaveLength(2);
    expect(server.of("tools/call")).toHaveLength(3);
  });

  test.each([
    [400, -32602],
    [404, -32601],
    [400, -32021],
    [403, -32000],
    [500, -32000],
  ])("is not assumed after the answers %d and %d of a modern server", async (status, code) => {
    const server = await scripted(modern, {
      "tools/call": (incoming) => incoming.json(incoming.answer({ error: { code, message: "no" } }), status),
    });
    const client = await clientOf(server.url);
    await expect(client.callTool("x")).rejects.toMatchObject({ rpcCode: code });
    expect(server.of("server/discover")).toHaveLength(1);
  });
});
