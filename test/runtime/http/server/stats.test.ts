import type { ServeHttpOptions } from "@mcpgen/runtime/http";
import { describe, expect, test } from "vitest";
import { type Adapter, adapters, serve } from "../../../support/http-adapters.js";
import { inside } from "../../../support/http-fixture.js";
import { Party } from "../../../support/raw-http-client.js";

const legacy = "2025-11-25";
const modern = "2026-07-28";

async function serving(adapter: Adapter, options: ServeHttpOptions = {}) {
  const found = inside();
  const target = await serve(adapter, found.server, { keepAliveMs: 0, ...options });
  return { ...found, target };
}

const idle = { streams: 0, requests: 0, bodies: 0, bodyBytes: 0, waitingBytes: 0 };

describe.each(adapters)("stats over %s", (adapter) => {
  test("begin at zero", async () => {
    const { server, target } = await serving(adapter);
    const sessions = { created: 0, restored: 0 };
    const ended = { deleted: 0, disconnected: 0, expired: 0, evicted: 0, ended: 0, closed: 0 };
    expect(target.stats()).toEqual({
      gauges: { sessions: 0, keptBytes: 0, ...idle },
      counters: { requests: 0, refused: {}, limits: {}, sessions: { ...sessions, ...ended } },
    });
    expect(server.stats()).toEqual({
      gauges: { connections: 0, sessions: 0, requests: 0, parked: 0 },
      counters: { connections: 0, results: 0, errors: 0, cancelled: 0, aborted: 0, limits: {} },
    });
  });

  test("do not count a session that its handler has ended", async () => {
    const { server, target } = await serving(adapter);
    server.tool("leave", {}, async (_, { sessionId }) => {
      await target.sessions.end(sessionId!);
      return "left";
    });
    const party = await new Party(target.url, legacy).open();
    expect((await party.post(party.call("leave"))).status).toBe(503);
    expect(server.stats().gauges).toEqual({ connections: 0, sessions: 0, requests: 0, parked: 0 });
    expect([...server.sessions]).toEqual([]);
    expect(target.stats().gauges).toMatchObject({ sessions: 0, ...idle });
  });

  test("distinguish running requests from ended ones, by outcome", async () => {
    const { server, target, began, gate } = await serving(adapter);
    const party = await new Party(target.url, legacy).open();
    const other = new Party(target.url, modern);
    const running = party.post(party.call("gated", {}, {}, "held"));
    await began.opened;
    expect(target.stats().gauges).toMatchObject({ sessions: 1, requests: 1, bodies: 0 });
    expect(target.stats().gauges.bodyBytes).toBeGreaterThan(50);
    expect(target.stats().gauges.keptBytes).toBeGreaterThan(50);
    expect(server.stats().gauges).toEqual({ connections: 1, sessions: 1, requests: 1, parked: 0 });
    await other.tool("echo", { text: "x" });
    await other.request("tools/call", { name: "missing" });
    gate.open();
    await (await running).whole();
    await party.delete();
    expect(server.stats()).toEqual({
      gauges: { connections: 0, sessions: 0, requests: 0, parked: 0 },
      // The handshake, the echo and the held call; the missing tool.
      counters: { connections: 3, results: 3, errors: 1, cancelled: 0, aborted: 0, limits: {} },
    });
    const { gauges, counters } = target.stats();
    expect(gauges).toEqual({ sessions: 0, keptBytes: 0, ...idle });
    expect(counters).toMatchObject({ requests: 6, sessions: { created: 1, deleted: 1 } });
  });

  test("count cancelled requests, and requests whose connection ended", async () => {
    const { server, target, began } = await serving(adapter);
    const party = await new Party(target.url, legacy).open();
    const cancelled = party.post(party.call("gated", {}, {}, "c"));
    await began.opened;
    const params = { requestId: "c" };
    await party.post({ jsonrpc: "2.0", method: "notifications/cancelled", params });
    await (await cancelled).whole();
    const left = party.post(party.call("gated", {}, {}, "d"));
    await expect.poll(() => server.stats().gauges.requests).toBe(1);
    await party.delete();
    await (await left).whole();
    const modernParty = new Party(target.url, modern);
    const gone = await modernParty.post(
      modernParty.call("gated", { steps: 1 }, { _meta: { progressToken: 1 } }),
    );
    await gone.until(({ events }) => events[0]);
    gone.cut();
    await expect.poll(() => server.stats().counters).toMatchObject({ cancelled: 1, aborted: 2, results: 1 });
    expect(server.stats().gauges).toEqual({ connections: 0, sessions: 0, requests: 0, parked: 0 });
  });

  test("count refused requests by status", async () => {
    const authenticate: ServeHttpOptions["authenticate"] = ({ header }) =>
      header("authorization") === undefined ? { status: 401 } : { principal: "ada" };
    const { target } = await serving(adapter, { authenticate });
    const party = new Party(target.url, modern, { authorization: "ada" });
    const { status } = await party.post(party.message("tools/list"), { origin: "https://evil.example" });
    expect(status).toBe(403);
    await party.post(party.message("tools/list"), { authorization: "" });
    await party.post(party.message("tools/list"), { "content-type": "text/plain" });
    await party.post(party.message("no/such"));
    await party.delete();
    await party.tool("echo", { text: "x" });
    expect(target.stats().counters).toMatchObject({
      requests: 6,
      refused: { 401: 1, 403: 1, 404: 1, 405: 1, 415: 1 },
    });
  });

  test("count the limits that were reached", async () => {
    const options = {
      bodyLimit: 1000,
      limits: { work: 2, sessions: 1 },
    };
    const { target, began, gate } = await serving(adapter, options);
    const party = await new Party(target.url, legacy).open();
    await party.post(party.call("echo", { text: "x".repeat(1000) }));
    const stream = await party.get();
    await party.get();
    // Its session has a connected client, so none makes room.
    expect((await new Party(target.url, legacy).initialize()).status).toBe(503);
    const running = party.post(party.call("gated", {}, {}, "held"));
    await began.opened;
    const other = new Party(target.url, modern);
    const second = other.post(other.call("gated"));
    await expect.poll(() => target.stats().gauges.requests).toBe(2);
    expect((await other.post(other.message("tools/list"))).status).toBe(503);
    gate.open();
    await Promise.all([(await running).whole(), (await second).whole()]);
    expect(target.stats().counters).toMatchObject({
      limits: {
        bodyLimit: 1,
        "limits.work": 1,
        // A stream, and a session.
        "limits.sessions": 2,
      },
      refused: { 413: 1, 503: 3 },
    });
    stream.cut();
  });

  test("are copies: an earlier reading does not change", async () => {
    const { server, target } = await serving(adapter);
    const [before, inServer] = [target.stats(), server.stats()];
    const party = new Party(target.url, modern);
    await party.tool("echo", { text: "x" });
    expect([before.counters.requests, inServer.counters.results]).toEqual([0, 0]);
    expect([target.stats().counters.requests, server.stats().counters.results]).toEqual([1, 1]);
  });
});
