// Faults and abuse. Beside those here: a head that never ends, a body of one byte now and then, 200 clients with
// separate tokens, events of another's session (sharing.test.ts); 5 MB in chunks, the table of DNS rebinding
// (front.test.ts); a server that is killed under its calls (killed.test.ts); proxies that cut streams or refuse to
// connect again (recovery.test.ts); two processes in turn (replicas.test.ts).
import { type Socket, connect as openSocket, createServer as createNet } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { serveHttp } from "@mcpgen/runtime/http";
import type { VirtualClock } from "@mcpgen/testing";
import { endpointOf } from "../../../../runtime/core/legacy/http/legacy-endpoint.js";
import { adapters, serve } from "../../../support/http-adapters.js";
import { http, inside } from "../../../support/http-fixture.js";
import { Party, messagesOf } from "../../../support/raw-http-client.js";
import { clientOf } from "../../../support/scripted-http-server.js";
import { exchangeOf } from "./exchange-of.js";
import { listen } from "../../../support/listen.js";

test("10,000 idle sessions: the oldest makes room for the next, and all end in time (R24)", async () => {
  const { server, clock } = inside();
  const endpoint = endpointOf(server, { keepAliveMs: 0 });
  const json = { "content-type": "application/json" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } };
  const initialize = JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params });
  const ping = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
  const open = (): string => {
    const exchange = exchangeOf("POST", json, initialize);
    endpoint.handle(exchange);
    return exchange.session!;
  };
  const status = (session: string): number => {
    const exchange = exchangeOf("POST", { ...json, "mcp-session-id": session }, ping);
    endpoint.handle(exchange);
    return exchange.status;
  };
  const sessions = Array.from({ length: 10_000 }, open);
  expect(new Set(sessions).size).toBe(10_000);
  const next = open();
  expect(endpoint.kept.sessions).toBe(10_000);
  expect([sessions[0]!, sessions[1]!, sessions.at(-1)!, next].map(status)).toEqual([404, 200, 200, 200]);
  await clock.advance(1_800_000);
  expect(status(next)).toBe(404);
  open();
  expect(endpoint.kept).toMatchObject({ sessions: 1, streams: 0, requests: 0, bodies: 0 });
});

/** A proxy of bytes that cuts connections on which nothing comes from the server for so long. */
async function impatient(port: number, clock: VirtualClock, timeoutMs: number) {
  const found = { url: "", cuts: 0, heard: "", seen: (): void => undefined };
  const sockets = new Set<Socket>();
  const proxy = createNet((socket) => {
    const upstream = openSocket(port, "127.0.0.1");
    let timer: unknown;
    const wait = (): void => {
      clock.clear(timer);
      timer = clock.schedule(() => {
        found.cuts++;
        socket.destroy();
      }, timeoutMs);
    };
    wait();
    upstream.on("data", (chunk: Buffer) => {
      wait();
      found.heard += String(chunk);
      found.seen();
    });
    socket.pipe(upstream).pipe(socket);
    for (const each of [socket, upstream]) {
      sockets.add(each);
      each.on("error", () => undefined);
      each.on("close", () => {
        clock.clear(timer);
        for (const other of [socket, upstream]) other.destroy();
      });
    }
  });
  const proxyPort = await listen(proxy);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  found.url = `http://127.0.0.1:${proxyPort}/mcp`;
  return found;
}

test("a proxy that cuts connections after 20 idle seconds never cuts a quiet stream, unless nothing keeps it alive (R21)", async () => {
  const { server, clock } = inside();
  for (const [keepAliveMs, cuts] of [
    [undefined, 0],
    [0, 1],
  ] as const) {
    const { port } = await serve("node", server, keepAliveMs === undefined ? {} : { keepAliveMs });
    const proxy = await impatient(port, clock, 20_000);
    const party = await new Party(proxy.url, "2025-11-25").open();
    const before = proxy.cuts;
    const stream = await party.get();
    await stream.until(({ events }) => events[0]);
    for (let round = 1; round <= 8 && proxy.cuts === before; round++) {
      const beats = (): number => proxy.heard.split("\n: \n").length - 1;
      await clock.advance(15_000);
      if (keepAliveMs === undefined)
        while (beats() < round) await new Promise<void>((resolve) => (proxy.seen = resolve));
    }
    expect(proxy.cuts - before).toBe(cuts);
    if (cuts > 0) await stream.whole();
    else server.resourceUpdated("note://one");
    expect(stream.complete).toBe(false);
  }
});

describe.each(adapters)("%s", (adapter) => {
  test("an old listening stream ends in order, and the next one continues it (R22)", async () => {
    const found = await http(adapter, "2025-11-25", {});
    const { clock, party, server } = found;
    const first = await party.get();
    await first.until(({ events }) => events[0]);
    await clock.advance(1_800_000);
    const second = await party.get();
    await second.until(({ events }) => events[0]);
    await clock.advance(1_799_999);
    expect([first.text, second.text].map((text) => text.endsWith("retry: 1000\n\n"))).toEqual([false, false]);
    await clock.advance(1);
    await first.whole();
    expect(first.complete).toBe(true);
    expect(first.text.endsWith("retry: 1000\n\n")).toBe(true);
    await clock.advance(1_800_000);
    await second.whole();
    // Messages without an open stream wait.
    server.tool("new", {}, () => "new");
    await Promise.resolve();
    const again = await party.get({ "last-event-id": second.events[0]!.id! });
    const [notice] = await again.until((each) => (each.events.length > 0 ? messagesOf(each) : undefined));
    expect(notice?.method).toBe("notifications/tools/list_changed");
    again.cut();
  });

  test("streams last an hour (R22)", async () => {
    const { clock, party } = await http(adapter, "2025-11-25");
    const stream = await party.get();
    await stream.until(({ events }) => events[0]);
    const { text } = stream;
    await clock.advance(3_599_999);
    expect(stream.text).toBe(text);
    await clock.advance(1);
    await stream.whole();
    // What sweeps sessions stays.
    expect([stream.complete, clock.waiting]).toEqual([true, 1]);
  });

  test("arriving bodies count, and further ones are refused before they arrive", async () => {
    const { party, target } = await http(adapter, "2025-11-25", { limits: { work: 2 } });
    const sockets = [1, 2].map(() => {
      const socket = openSocket(target.port, "127.0.0.1").on("error", () => undefined);
      onTestFinished(() => void socket.destroy());
      socket.write(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{",
      );
      return socket;
    });
    const ping = async (): Promise<number> => (await party.post(party.message("ping"))).status;
    while ((await ping()) !== 503);
    expect(await ping()).toBe(503);
    sockets[0]!.destroy();
    while ((await ping()) !== 200);
    expect(await ping()).toBe(200);
  });
});

test("a client resumes a stream that ended because of its age, without losing messages (R22)", async () => {
  const { server, clock } = inside();
  const { url, node, close } = await serveHttp(server, {
    port: 0,
    keepAliveMs: 0,
  });
  onTestFinished(close);
  let listened = (): void => undefined;
  node.on("request", ({ method }, response) => {
    if (method === "GET") setImmediate(() => response.headersSent && listened());
  });
  for (const revision of ["2025-11-25", "2025-06-18"]) {
    let next = new Promise<void>((resolve) => (listened = resolve));
    const client = await clientOf(url, { revision });
    await next;
    for (let round = 0; round < 3; round++) {
      next = new Promise<void>((resolve) => (listened = resolve));
      await clock.advance(3_600_000);
      await next;
      const heard = new Promise((resolve) => client.on("notifications/tools/list_changed", resolve));
      server.tool(`${revision}-${round}`, {}, () => "");
      await heard;
    }
    await client.close();
  }
});
