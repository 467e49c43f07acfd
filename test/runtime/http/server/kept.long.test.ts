import { serverRevisions } from "@mcpgen/protocol";
import { type ServerOptions, createServer } from "@mcpgen/runtime";
import type { HttpOptions } from "@mcpgen/runtime/http";
import { VirtualClock } from "@mcpgen/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { endpointOf } from "../../../../runtime/core/legacy/http/legacy-endpoint.js";
import { isThorough } from "../../../support/cases.mjs";
import { heap } from "../../../support/heap.js";
import { heard } from "../../../support/heard.mjs";
import { Party } from "../../../support/raw-http-client.js";
import { exchangeOf } from "./exchange-of.js";

const mib = 1_048_576;

/** An endpoint that stores the descriptions of anonymous clients. */
function keeping(options: HttpOptions = {}, more: Partial<ServerOptions> = {}) {
  const clock = new VirtualClock();
  const reported: unknown[] = [];
  const server = createServer(
    { name: "kept", version: "1" },
    {
      revisions: serverRevisions,
      clock,
      onEvent: heard({ handlerError: (error) => void reported.push(error) }),
      ...more,
    },
  );
  onTestFinished(() => expect(reported).toEqual([]));
  let info: unknown;
  server.tool("info", {}, (_, { clientInfo }) => JSON.stringify((info = clientInfo)));
  server.resource("note://one", {}, () => "one");
  const endpoint = endpointOf(server, { keepAliveMs: 0, ...options });
  onTestFinished(() => endpoint.close());
  const send = (headers: object, message: unknown) => {
    const exchange = exchangeOf(
      "POST",
      { "content-type": "application/json", ...headers },
      JSON.stringify(message),
    );
    endpoint.handle(exchange);
    return exchange;
  };
  const open = (capabilities: object = {}, clientInfo: object = { name: "x", version: "1" }) =>
    send(
      {},
      {
        jsonrpc: "2.0",
        id: 0,
        method: "initialize",
        params: { protocolVersion: "2025-11-25", capabilities, clientInfo },
      },
    );
  const on = (session: string | undefined, method: string, params: object) =>
    send({ "mcp-session-id": session! }, { jsonrpc: "2.0", id: 1, method, params });
  return { server, endpoint, clock, send, open, on, info: () => info };
}

/** Capabilities of so many bytes of JSON: many small members take most memory, and one long text least. */
const shapes: readonly (readonly [string, (bytes: number) => object])[] = [
  [
    "many members",
    (bytes) => Object.fromEntries(Array.from({ length: bytes / 12 }, (_, at) => [`k${at}`, {}])),
  ],
  ["a text", (bytes) => ({ text: { text: "x".repeat(bytes) } })],
  ["lists", (bytes) => ({ lists: { lists: Array.from({ length: bytes / 3 }, () => []) } })],
];

describe("the introduction of a client", () => {
  test.each(shapes)("capabilities of %s that are too large are refused, and not kept", async (_, shape) => {
    const { open, endpoint } = keeping();
    const experimental = shape(isThorough ? 2 * mib : mib / 8);
    const before = await heap();
    for (let count = 0; count < 5; count++) {
      const { body } = open({ experimental });
      expect(body).toContain("-32602");
      expect(body).toContain("more than 65536 bytes in memory");
    }
    expect(endpoint.kept).toMatchObject({ sessions: 0, bytes: 0 });
    expect((await heap()) - before).toBeLessThan(isThorough ? 10 * mib : mib);
  });

  test("clientInfo of 4 MB is kept without its long members", async () => {
    const { open, on, endpoint, info } = keeping();
    const icons = [{ src: `data:image/png;base64,${"A".repeat(3 * mib)}` }];
    const name = "x".repeat(mib / 8);
    const before = await heap();
    const sessions = Array.from(
      { length: 5 },
      () => open({}, { name, version: "1", title: "t", icons }).session,
    );
    on(sessions[0], "tools/call", { name: "info" });
    expect(info()).toEqual({ name: "x".repeat(1024), version: "1", title: "t" });
    expect(endpoint.kept).toMatchObject({ sessions: 5 });
    expect((await heap()) - before).toBeLessThan(5 * mib);
  });

  test("usual clientInfo is kept unchanged", () => {
    const { open, on, info } = keeping();
    const given = { name: "x", version: "1", icons: [{ src: `data:,${"A".repeat(4000)}` }] };
    on(open({}, given).session, "tools/call", { name: "info" });
    expect(info()).toEqual(given);
  });

  test("a session releases its bytes when it ends", () => {
    const { open, on, endpoint, send } = keeping();
    const { session } = open();
    on(session, "resources/subscribe", { uri: "note://one" });
    const { bytes } = endpoint.kept;
    on(session, "resources/subscribe", { uri: "note://two" });
    on(session, "resources/subscribe", { uri: "note://two" });
    on(session, "resources/unsubscribe", { uri: "note://two" });
    on(session, "resources/unsubscribe", { uri: "note://two" });
    expect(endpoint.kept.bytes).toBe(bytes);
    send({ "mcp-session-id": session! }, { jsonrpc: "2.0", method: "notifications/initialized" });
    endpoint.handle(exchangeOf("DELETE", { "mcp-session-id": session! }));
    expect(endpoint.kept).toMatchObject({ sessions: 0, bytes: 0 });
  });
});

describe("subscriptions of a session", () => {
  test("of 1 MB are refused", () => {
    const { open, on, endpoint } = keeping();
    const { session } = open();
    const { bytes } = endpoint.kept;
    const refused = on(session, "resources/subscribe", { uri: `note://${"x".repeat(mib)}` });
    expect(refused.body).toContain("the server would have to keep more than 262144 bytes for this client");
    expect(endpoint.kept.bytes).toBe(bytes);
  });

  test("are accepted up to 256 KiB, and again after others are cancelled", () => {
    const { open, on, endpoint } = keeping();
    const { session } = open();
    const subscribe = (number: number): boolean =>
      !on(session, "resources/subscribe", { uri: `note://${number}/${"x".repeat(1000)}` }).body.includes(
        "error",
      );
    let taken = 0;
    while (subscribe(taken)) taken++;
    expect(taken).toBeGreaterThan(100);
    expect(endpoint.kept.bytes).toBeLessThanOrEqual(262_144);
    on(session, "resources/unsubscribe", { uri: `note://0/${"x".repeat(1000)}` });
    expect([subscribe(taken), subscribe(taken + 1)]).toEqual([true, false]);
  });

  test("of all sessions together are bounded: the session idle longest makes room", () => {
    const { open, on, endpoint, clock } = keeping({ limits: { memory: 4 * mib } });
    for (let count = 0; count < 20; count++) {
      const { session } = open();
      for (let at = 0; at < 100; at++)
        expect(
          on(session, "resources/subscribe", { uri: `note://${at}/${"x".repeat(1000)}` }).body,
        ).not.toContain("error");
      void clock.advance(1);
    }
    expect(endpoint.kept.bytes).toBeLessThanOrEqual(mib);
    expect(endpoint.kept.sessions).toBeLessThan(6);
  });

  test("64 MiB of them use at most three times as much memory", async () => {
    const { open, on, endpoint } = keeping();
    const before = await heap();
    for (let count = 0; count < 400; count++) {
      const { session } = open();
      for (let at = 0; at < 1500; at++)
        on(session, "resources/subscribe", { uri: `n://${count}/${at}/${"ü".repeat(40)}` });
    }
    expect(endpoint.kept.bytes).toBeGreaterThan(60 * mib);
    expect((await heap()) - before).toBeLessThan(3 * 64 * mib);
  });
});

describe("streams of subscriptions/listen", () => {
  function listening(options: HttpOptions = {}, more: Partial<ServerOptions> = {}) {
    const { endpoint, send, server } = keeping(options, more);
    const party = new Party("http://localhost/", "2026-07-28");
    const listen = (uris: readonly string[], meta = {}) => {
      const notifications = { resourceSubscriptions: uris };
      const message = party.message("subscriptions/listen", { notifications, _meta: meta });
      return send(party.headersOf(message), message);
    };
    return { endpoint, listen, server };
  }

  test("with filters of 1 MB are refused", () => {
    const { listen, endpoint } = listening();
    const refused = listen(["x".repeat(mib)]);
    expect(refused.body).toContain("more than 262144 bytes");
    expect(endpoint.kept).toMatchObject({ streams: 0, bytes: 0 });
  });

  test("with metadata of 1 MB are refused, because the request would keep it", () => {
    const { listen, endpoint } = listening();
    expect(listen(["note://one"], { more: "x".repeat(mib) }).body).toContain("more than 262144 bytes");
    expect(endpoint.kept).toMatchObject({ streams: 0, bytes: 0 });
  });

  test("count together, and release their bytes when they end", () => {
    const { listen, endpoint } = listening({ limits: { memory: 4 * mib } });
    const uris = ["x".repeat(100_000)];
    const streams = [listen(uris), listen(uris), listen(uris), listen(uris), listen(uris)];
    expect(streams.map(({ written }) => written.includes("acknowledged"))).toEqual([
      true,
      true,
      true,
      true,
      true,
    ]);
    expect((JSON.parse(listen(uris).body) as { error: unknown }).error).toEqual({
      code: -32600,
      message: "the server keeps too much for its clients: try again later",
      data: { limit: "limits.memory" },
    });
    for (const stream of streams) stream.gone();
    expect(endpoint.kept).toMatchObject({ streams: 0, bytes: 0 });
    expect(listen(uris).written).toContain("acknowledged");
  });

  test("reserve no bytes if the bus of changes fails, and are not acknowledged", () => {
    const subscribe = (): never => {
      throw new Error("the bus is down");
    };
    const { listen, endpoint } = listening({}, { changes: { publish() {}, subscribe }, onEvent: () => true });
    const { status, body, written } = listen(["note://one"]);
    expect({ status, written }).toEqual({ status: 200, written: "" });
    expect(body).toContain('"code":-32603');
    expect(endpoint.kept).toMatchObject({ streams: 0, bytes: 0 });
  });

  test("get changes of the resources that they name", () => {
    const { listen, server } = listening();
    const stream = listen(["note://one", "note://two"]);
    for (const uri of ["note://two", "note://three", "note://one"]) server.resourceUpdated(uri);
    const uris = [...stream.written.matchAll(/"uri":"([^"]*)"/g)].map(([, uri]) => uri);
    expect(uris).toEqual(["note://two", "note://one"]);
  });
});
