// Clients that disconnect before, while and after the server reads their request.
import { createServer } from "node:http";
import type { CodeFirstServer } from "@mcpgen/runtime";
import { createNodeHandler } from "@mcpgen/runtime/http";
import { describe, expect, onTestFinished, test } from "vitest";
import { endpointOf } from "../../../../runtime/core/legacy/http/legacy-endpoint.js";
import { adapters, serve } from "../../../support/http-adapters.js";
import { Gate, inside } from "../../../support/http-fixture.js";
import { Party } from "../../../support/raw-http-client.js";
import { SseParty } from "../../../support/raw-sse-client.js";
import { sendOff } from "../../../support/http-wire.js";
import { exchangeOf } from "./exchange-of.js";
import { RawConnection, postText, watchConnections } from "../../../support/raw-connection.js";
import { listen } from "../../../support/listen.js";

const modern = "2026-07-28";

/** A counter. `reaches` waits for a value. */
class Count {
  value = 0;
  private seen = (): void => undefined;

  readonly add = (): void => {
    this.value++;
    this.seen();
  };

  async reaches(value: number): Promise<void> {
    while (this.value < value) await new Promise<void>((resolve) => (this.seen = resolve));
  }
}

/** A tool that ignores its signal until the gate opens. */
function deaf(server: CodeFirstServer) {
  const found = { begun: new Count(), aborted: new Count(), gate: new Gate() };
  server.tool("deaf", {}, async (_, { signal }) => {
    signal.addEventListener("abort", found.aborted.add);
    found.begun.add();
    await found.gate.opened;
    return "";
  });
  return found;
}

/** The ways in which a client with a session ends two calls. */
const givenUp: Readonly<Record<string, (url: string, begun: () => Promise<void>) => Promise<void>>> = {
  "each is cancelled": async (url, begun) => {
    const { party, calls } = await calling(url);
    await begun();
    for (const { id: requestId } of calls)
      await party.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } });
  },
  "the session is ended": async (url, begun) => {
    const { party } = await calling(url);
    await begun();
    await party.delete();
  },
  "the stream of HTTP+SSE is closed": async (url, begun) => {
    const party = await new SseParty(url, "2024-11-05").open();
    for (let count = 0; count < 2; count++)
      await party.post(party.message("tools/call", { name: "deaf", arguments: {} }));
    await begun();
    party.stream.cut();
  },
};

async function calling(url: string) {
  const party = await new Party(url, "2025-11-25").open();
  const calls = [party.call("deaf"), party.call("deaf")];
  for (const call of calls) sendOff(url, "POST", party.headersOf(call), JSON.stringify(call));
  return { party, calls };
}

describe.each(adapters)("%s", (adapter) => {
  test("a client that disconnects during authentication does not use a slot for bodies", async () => {
    const [asked, gate] = [new Count(), new Gate()];
    const authenticate = async (): Promise<object> => {
      asked.add();
      await gate.opened;
      return {};
    };
    const { server } = inside();
    const { url, port, node } = await serve(adapter, server, { limits: { work: 2 }, authenticate });
    const left = watchConnections(node);
    const party = new Party(url, modern);
    const leaving = [1, 2, 3].map(
      () => new RawConnection(port, postText(party, party.message("tools/list"))),
    );
    await asked.reaches(3);
    for (const each of leaving) each.cut();
    await left();
    gate.open();
    expect((await party.request("tools/list")).result).toBeDefined();
  });

  test.each([
    [modern, {}],
    ["2025-11-25", { sessions: false }],
  ])("an abandoned request counts as long as its handler runs (%s)", async (revision, options) => {
    const { server } = inside();
    const { begun, aborted, gate } = deaf(server);
    const { url, port } = await serve(adapter, server, { limits: { work: 2 }, ...options });
    const party = new Party(url, revision);
    const leaving = [1, 2].map(() => new RawConnection(port, postText(party, party.call("deaf"))));
    await begun.reaches(2);
    for (const each of leaving) each.cut();
    await aborted.reaches(2);
    const status = async (): Promise<number> => (await party.post(party.message("tools/list"))).status;
    expect(await status()).toBe(503);
    gate.open();
    expect(await status()).toBe(200);
  });

  test.each(Object.keys(givenUp))("a call also counts as long as its handler runs, when %s", async (how) => {
    const { server } = inside();
    const { begun, aborted, gate } = deaf(server);
    const { url } = await serve(adapter, server, { limits: { work: 2 }, sse: true });
    await givenUp[how]!(url, () => begun.reaches(2));
    await aborted.reaches(2);
    const party = new Party(url, modern);
    const status = async (): Promise<number> => (await party.post(party.message("tools/list"))).status;
    expect(await status()).toBe(503);
    gate.open();
    expect(await status()).toBe(200);
  });
});

test("a client that disconnects before a framework passes on its request does not use a slot for bodies", async () => {
  const [arrived, gate] = [new Count(), new Gate()];
  const handle = createNodeHandler(inside().server, { limits: { work: 2 } });
  const node = createServer((request, response) => {
    arrived.add();
    void gate.opened.then(() => handle(request, response));
  });
  const left = watchConnections(node);
  const port = await listen(node);
  onTestFinished(() => {
    node.closeAllConnections();
    node.close();
  });
  const party = new Party(`http://127.0.0.1:${port}/mcp`, modern);
  const list = postText(party, party.message("tools/list"));
  const half = list.slice(0, -5);
  const long = postText(party, party.message("tools/list"), { "content-length": "99000000" });
  const leaving = [list, half, long].map((text) => new RawConnection(port, text));
  await arrived.reaches(3);
  for (const each of leaving) each.cut();
  await left();
  gate.open();
  for (let count = 0; count < 3; count++) expect((await party.request("tools/list")).result).toBeDefined();
});

test("a request that other code ends while its body is read does not use a slot for bodies", async () => {
  const handle = createNodeHandler(inside().server, { limits: { work: 2 } });
  const node = createServer((request, response) => {
    handle(request, response);
    // There is no error: only the close event shows that the client has gone.
    if (request.headers["x-ended"] !== undefined) request.destroy();
  });
  const left = watchConnections(node);
  const port = await listen(node);
  onTestFinished(() => {
    node.closeAllConnections();
    node.close();
  });
  const party = new Party(`http://127.0.0.1:${port}/mcp`, modern);
  const half = postText(party, party.message("tools/list"), { "x-ended": "1" }).slice(0, -5);
  for (let count = 0; count < 3; count++) await new RawConnection(port, half).closed;
  await left();
  expect((await party.request("tools/list")).result).toBeDefined();
});

test("a body that other code consumed does not use a slot for bodies", async () => {
  const { server, warnings } = inside();
  const handle = createNodeHandler(server, { limits: { work: 2 } });
  const node = createServer((request, response) => {
    if (request.headers["x-kept"] === undefined) return handle(request, response);
    request.resume().on("end", () => handle(request, response));
  });
  const port = await listen(node);
  onTestFinished(() => {
    node.closeAllConnections();
    node.close();
  });
  const party = new Party(`http://127.0.0.1:${port}/mcp`, modern);
  for (let count = 1; count <= 3; count++) {
    expect((await party.post(party.message("tools/list"), { "x-kept": "1" })).status).toBe(500);
    // A repeated warning is reported after 1, 10 and 100 times.
    expect(warnings).toHaveLength(1);
  }
  expect((await party.request("tools/list")).result).toBeDefined();
});

describe("pipelined requests on one connection", () => {
  async function served() {
    const { server } = inside();
    const [begun, aborted] = [new Count(), new Count()];
    server.tool("hang", {}, (_, { signal }) => {
      begun.add();
      return new Promise((_resolve, reject) =>
        signal.addEventListener("abort", () => {
          aborted.add();
          reject(signal.reason as Error);
        }),
      );
    });
    server.tool("flood", {}, (_, { signal, progress }) => {
      for (let step = 1; step < 300 && !signal.aborted; step++) progress(step, 300, "x".repeat(65_536));
      return "";
    });
    const target = await serve("node", server, { limits: { work: 4, sessions: 3 }, keepAliveMs: 0 });
    return { ...target, begun, aborted, party: new Party(target.url, modern) };
  }

  test("are aborted when the connection is cut", async () => {
    const { port, begun, aborted, party } = await served();
    const connection = new RawConnection(port, postText(party, party.call("hang")).repeat(4));
    await begun.reaches(4);
    expect((await party.post(party.message("tools/list"))).status).toBe(503);
    connection.cut();
    await aborted.reaches(4);
    expect((await party.request("tools/list")).result).toBeDefined();
    expect(aborted.value).toBe(4);
  });

  test("are aborted once, and only those without an answer", async () => {
    const { port, begun, aborted, party } = await served();
    const list = postText(party, party.message("tools/list"));
    const hang = postText(party, party.call("hang"));
    const connection = new RawConnection(port, list + hang + list + hang);
    await begun.reaches(2);
    connection.cut();
    await aborted.reaches(2);
    expect((await party.request("tools/list")).result).toBeDefined();
    expect(aborted.value).toBe(2);
  });

  test("no longer count as streams when the connection is cut", async () => {
    const { port, node, party } = await served();
    const left = watchConnections(node);
    const listen = party.message("subscriptions/listen", { notifications: {} });
    const connection = new RawConnection(port, postText(party, listen).repeat(3));
    await connection.until((heard) => heard.includes("acknowledged"));
    // All three arrived in one chunk, and the server began all of them.
    expect((await party.post(listen)).status).toBe(503);
    connection.cut();
    await left();
    expect((await party.post(listen)).status).toBe(200);
  });

  test("are aborted, and the connection is cut, when too much output waits", async () => {
    const { port, begun, aborted, party } = await served();
    const flood = party.call("flood", {}, { _meta: { progressToken: 1 } });
    const connection = new RawConnection(port, postText(party, party.call("hang")) + postText(party, flood));
    await connection.closed;
    await aborted.reaches(1);
    expect(begun.value).toBe(1);
  });
});

test("a subscription whose client left gets no notification of a change", async () => {
  const { server } = inside();
  const endpoint = endpointOf(server, { keepAliveMs: 0 });
  const party = new Party("http://localhost/", modern);
  const message = party.message("subscriptions/listen", { notifications: { toolsListChanged: true } });
  const listening = [1, 2].map(() => exchangeOf("POST", party.headersOf(message), JSON.stringify(message)));
  for (const each of listening) endpoint.handle(each);
  const [left, staying] = listening;
  const before = left!.written;
  expect(before).toContain("acknowledged");
  left!.gone();
  expect(endpoint.kept.streams).toBe(1);
  server.tool("new", {}, () => "");
  await Promise.resolve();
  expect(staying!.written).toContain("list_changed");
  expect(left!.written).toBe(before);
});

test("a late disconnect of an old GET stream does not end the stream that replaced it", async () => {
  const { server } = inside();
  const endpoint = endpointOf(server, { keepAliveMs: 0 });
  const party = new Party("http://localhost/", "2025-11-25");
  const initialize = party.message("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "x", version: "1" },
  });
  const opening = exchangeOf("POST", party.headersOf(initialize), JSON.stringify(initialize));
  endpoint.handle(opening);
  party.session = opening.session;
  const ready = { jsonrpc: "2.0", method: "notifications/initialized" };
  endpoint.handle(exchangeOf("POST", party.headersOf(ready), JSON.stringify(ready)));
  const listen = (more: object = {}) => {
    const exchange = exchangeOf("GET", { ...party.headersOf({}), ...more });
    endpoint.handle(exchange);
    return exchange;
  };
  const first = listen();
  const second = listen({ "last-event-id": /^id: (.*)$/m.exec(first.written)![1]! });
  first.gone();
  server.tool("new", {}, () => "");
  await Promise.resolve();
  expect(second.written).toContain("list_changed");
  expect(endpoint.kept.streams).toBe(1);
});
