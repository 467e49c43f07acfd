import { connect as openSocket } from "node:net";
import { serverRevisions } from "@mcpgen/protocol";
import { createServer } from "@mcpgen/runtime";
import { describe, expect, test } from "vitest";
import { endpointOf } from "../../../../runtime/core/legacy/http/legacy-endpoint.js";
import type { Exchange } from "../../../../runtime/core/http/server/exchange.js";
import { type Adapter, adapters, serve } from "../../../support/http-adapters.js";
import { http, inside } from "../../../support/http-fixture.js";
import { Party, messagesOf } from "../../../support/raw-http-client.js";
import { send } from "../../../support/http-wire.js";
import { exchangeOf } from "./exchange-of.js";

/** A server that sends every client its token, in messages before an answer and in the answer. */
function tokens(): ReturnType<typeof createServer> {
  const server = createServer(
    { name: "tokens", version: "1" },
    { revisions: serverRevisions, onEvent: () => true },
  );
  server.tool<{ turns: number }>("whoami", {}, async ({ turns }, { auth, progress, signal }) => {
    for (let turn = 1; turn <= turns; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      progress(turn, turns, String(auth));
    }
    return `${auth} ${signal.aborted}`;
  });
  return server;
}

const authenticate = ({
  header,
}: Pick<Exchange, "header">): { auth: string; principal: string } | { status: number } => {
  const token = header("authorization")?.replace("Bearer ", "");
  return token === undefined ? { status: 401 } : { auth: token, principal: token };
};

/** There are fewer clients for web objects, because the bridge of the test is slow. */
const crowd = { node: 200, fetch: 60 };

describe.each(adapters)("%s", (adapter) => {
  test(`${crowd[adapter]} concurrent clients get only their own messages (R33)`, async () => {
    const { url } = await serve(adapter, tokens(), { authenticate, keepAliveMs: 0 });
    const clients = await Promise.all(
      Array.from({ length: crowd[adapter] }, async (_, index) => {
        const revision = ["2026-07-28", "2025-11-25", "2025-03-26", "2025-06-18"][index % 4]!;
        return new Party(url, revision, { authorization: `Bearer t${index}` }).open();
      }),
    );
    await Promise.all(
      clients.map(async (client, index) => {
        const call = client.message(
          "tools/call",
          { name: "whoami", arguments: { turns: index % 5 }, _meta: { progressToken: 1 } },
          1,
        );
        const answer = await client.post(call);
        await answer.whole();
        const all = messagesOf(answer);
        expect(all.map(({ params }) => (params?.["message"] as string) ?? "answer")).toEqual([
          ...Array<string>(index % 5).fill(`t${index}`),
          "answer",
        ]);
        expect(all.at(-1)!.result!["content"]).toMatchObject([{ text: `t${index} false` }]);
      }),
    );
  });

  test("a session belongs to its owner only (R33)", async () => {
    const { url } = await serve(adapter, tokens(), { authenticate, keepAliveMs: 0 });
    const ada = await new Party(url, "2025-11-25", { authorization: "Bearer ada" }).open();
    const answer = await ada.post(ada.call("whoami", { turns: 2 }, { _meta: { progressToken: 1 } }));
    await answer.whole();
    const [{ id } = {}] = answer.events;
    const thief = new Party(url, "2025-11-25", { authorization: "Bearer eve" });
    thief.session = ada.session;
    expect((await thief.post(thief.message("tools/list"))).status).toBe(404);
    expect((await thief.get({ "last-event-id": id! })).status).toBe(404);
    expect((await thief.delete()).status).toBe(404);
    expect((await send(url, "POST", { "content-type": "application/json" }, "{}")).status).toBe(401);
    const own = await new Party(url, "2025-11-25", { authorization: "Bearer eve" }).open();
    expect((await own.get({ "last-event-id": id! })).status).toBe(400);
    expect((await ada.get({ "last-event-id": id! })).status).toBe(200);
  });

  test("without sessions a GET is refused at once (R22)", async () => {
    const { server } = inside();
    const { url } = await serve(adapter, server, { sessions: false });
    for (const method of ["GET", "DELETE"]) {
      const answer = await send(url, method, { accept: "text/event-stream", "mcp-session-id": "x" });
      expect([answer.status, answer.headers.allow]).toEqual([405, "POST"]);
    }
  });

  test("legacy clients without sessions list and call, whatever their revision", async () => {
    const { server } = inside();
    const { url } = await serve(adapter, server, { sessions: false });
    for (const revision of ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]) {
      const party = await new Party(url, revision).open();
      expect(party.session).toBeUndefined();
      expect((await party.tool("echo", { text: revision }))["content"]).toMatchObject([{ text: revision }]);
      const stepped = await party.post(party.call("steps", { count: 2 }, { _meta: { progressToken: 1 } }));
      await stepped.whole();
      expect(messagesOf(stepped)).toHaveLength(3);
      const asking = await party.request("tools/call", { name: "greet", arguments: {} });
      expect(asking.result ?? asking.error).toBeDefined();
      expect(asking.result?.["isError"] ?? true).toBe(true);
      expect(JSON.stringify(asking)).toContain(
        "cannot be asked for elicitation.form: requests to the client need a session",
      );
    }
  });

  test("idle sessions end, and streams keep them (R24)", async () => {
    const found = await http(adapter, "2025-11-25", { limits: { sessions: 3 }, sessions: { idleMs: 1000 } });
    const { clock, target } = found;
    const open = (): Promise<Party> => new Party(target.url, "2025-11-25").open();
    const status = async (party: Party): Promise<number> => (await party.post(party.message("ping"))).status;
    const [idle, listening] = [found.party, await open()];
    const stream = await listening.get();
    await clock.advance(999);
    expect(await status(idle)).toBe(200);
    await clock.advance(1000);
    expect([await status(idle), await status(listening)]).toEqual([404, 200]);
    // A lost stream can be resumed within the time; afterwards it does not keep the session.
    stream.cut();
    while ((await listening.get({ "last-event-id": stream.events[0]!.id! })).status !== 200);
    const again = await listening.get({ "last-event-id": stream.events[0]!.id! });
    expect(again.status).toBe(200);
    again.cut();
    await expect.poll(() => target.stats().gauges.streams).toBe(0);
    await clock.advance(1000);
    expect(await status(listening)).toBe(404);
  });

  test("the session that was idle longest makes room; if all are busy, none is opened (R24)", async () => {
    const { clock, party, target } = await http(adapter, "2025-11-25", { limits: { sessions: 2 } });
    await clock.advance(10);
    const second = await new Party(target.url, "2025-11-25").open();
    await clock.advance(10);
    await party.request("ping");
    const third = await new Party(target.url, "2025-11-25").open();
    expect((await second.post(second.message("ping"))).status).toBe(404);
    for (const each of [party, third]) expect((await each.get()).status).toBe(200);
    expect((await new Party(target.url, "2025-11-25").initialize()).status).toBe(503);
  });
});

/** Sends bytes one by one forever; resolves with the response when the server closes the connection. */
function dripped(port: number, head: string): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    let drip: ReturnType<typeof setInterval> | undefined;
    // Bytes that are written before the connection is open would come before the head.
    const socket = openSocket(port, "127.0.0.1", () => {
      socket.write(head);
      drip = setInterval(() => socket.write("x"), 20);
    });
    socket.on("data", (chunk) => (text += String(chunk)));
    socket.on("error", () => undefined);
    socket.on("close", () => {
      clearInterval(drip);
      resolve(text.split("\r\n")[0]!);
    });
  });
}

test("requests with endless headers or a very slow body are cut off", async () => {
  const { server } = inside();
  const { port, node } = await serve("node", server);
  Object.assign(node, { headersTimeout: 100, requestTimeout: 200 });
  const head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\n";
  const found = await Promise.all([
    dripped(port, `${head}X-Never: `),
    dripped(port, `${head}Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n`),
  ]);
  expect(found).toEqual(Array(2).fill("HTTP/1.1 408 Request Timeout"));
});

test("a reader that does not read is cut off", async () => {
  const { server } = inside();
  server.tool("flood", {}, async (_, { progress }) => {
    for (let count = 1; count <= 400; count++) {
      progress(count, 400, "x".repeat(65_536));
      if (count % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    return "flooded";
  });
  for (const adapter of adapters) await cutOff(adapter, server);
});

async function cutOff(adapter: Adapter, server: ReturnType<typeof createServer>): Promise<void> {
  const { url, port } = await serve(adapter, server, { keepAliveMs: 0 });
  const party = new Party(url, "2026-07-28");
  const message = party.call("flood", {}, { _meta: { progressToken: 1 } });
  const head = Object.entries(party.headersOf(message))
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
  const body = JSON.stringify(message);
  const socket = openSocket(port, "127.0.0.1");
  socket.pause();
  const connections = server.connections;
  socket.write(
    `POST /mcp HTTP/1.1\r\nHost: localhost\r\n${head}Content-Length: ${body.length}\r\n\r\n${body}`,
  );
  while (connections.size === 0) await new Promise((resolve) => setImmediate(resolve));
  while (connections.size > 0) await new Promise((resolve) => setImmediate(resolve));
  let received = 0;
  socket.on("data", (chunk) => (received += chunk.length));
  await new Promise((resolve) =>
    socket
      .on("close", resolve)
      .on("error", () => undefined)
      .resume(),
  );
  expect(received).toBeLessThan(400 * 65_536);
}

test("answered and cancelled requests leave no state behind (R24)", async () => {
  const { server, gate } = inside();
  const endpoint = endpointOf(server, { keepAliveMs: 0 });
  const json = { "content-type": "application/json" };
  const rpc = (method: string, params: object, id?: number): string =>
    JSON.stringify({ jsonrpc: "2.0", ...(id === undefined ? {} : { id }), method, params });
  const opening = exchangeOf(
    "POST",
    json,
    rpc(
      "initialize",
      { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } },
      0,
    ),
  );
  endpoint.handle(opening);
  await Promise.resolve();
  const session = { ...json, "mcp-session-id": opening.session! };
  const modern = new Party("http://localhost/", "2026-07-28");
  for (let id = 1; id <= 200; id++) {
    const call = {
      name: id % 2 ? "gated" : "steps",
      arguments: { steps: 1, count: 2 },
      _meta: { progressToken: id },
    };
    const listen = modern.message("subscriptions/listen", { notifications: { toolsListChanged: true } });
    const message = id % 10 === 0 ? listen : modern.message("tools/call", call);
    const exchanges = [
      exchangeOf("POST", session, rpc("tools/call", call, id)),
      exchangeOf("POST", modern.headersOf(message), JSON.stringify(message)),
      exchangeOf("GET", { ...session, accept: "text/event-stream" }),
    ];
    for (const exchange of exchanges) endpoint.handle(exchange);
    if (id % 3 === 0) await Promise.resolve();
    for (const exchange of exchanges) {
      expect(exchange.status === 0 || exchange.status === 200).toBe(true);
      exchange.gone();
    }
    endpoint.handle(exchangeOf("POST", session, rpc("notifications/cancelled", { requestId: id })));
  }
  gate.open();
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(endpoint.kept).toMatchObject({ sessions: 1, streams: 0, requests: 0, bodies: 0 });
  endpoint.handle(exchangeOf("DELETE", session));
  expect(endpoint.kept).toMatchObject({ sessions: 0, streams: 0, requests: 0, bodies: 0 });
  expect(server.connections.size).toBe(0);
});
