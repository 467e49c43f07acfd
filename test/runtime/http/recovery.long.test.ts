import type { Server as NodeServer } from "node:http";
import {
  type Server as NetServer,
  type Socket,
  connect as openSocket,
  createServer as createNet,
} from "node:net";
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { connect, createServer } from "@mcpgen/runtime";
import { serveHttp } from "@mcpgen/runtime/http";
import { expect, onTestFinished, test } from "vitest";
import { Gate } from "../../support/http-fixture.js";
import { type Incoming, clientOf, connected, scripted } from "../../support/scripted-http-server.js";
import { listen } from "../../support/listen.js";
import { until } from "../../support/until.mjs";

/** A server whose tool returns the number of its restarts. */
function lives(life: number): ReturnType<typeof createServer> {
  const server = createServer(
    { name: "lives", version: "1" },
    { revisions: serverRevisions, onEvent: () => true },
  );
  server.tool("life", {}, () => `${life}`);
  return server;
}

test.each(["2025-11-25", "2026-07-28"])(
  "20 calls at a time outlive a restart of the server, with one handshake (R19, %s)",
  async (revision) => {
    let handshakes = 0;
    const count = (node: NodeServer): void =>
      void node.on("request", (request) =>
        request.on("data", (chunk: Buffer) => (handshakes += chunk.includes('"initialize"') ? 1 : 0)),
      );
    const first = await serveHttp(lives(1), { port: 0 });
    const client = await clientOf(first.url, { revision });
    const call = async (): Promise<unknown> => (await client.callTool("life")).content;
    await call();
    await first.close();
    // The client sees that its connections are closed; then calls begin, without a server.
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    const calls = Array.from({ length: 20 }, call);
    const second = await serveHttp(lives(2), { port: first.port });
    onTestFinished(() => second.close());
    count(second.node);
    expect(await Promise.all(calls)).toEqual(Array.from({ length: 20 }, () => [{ type: "text", text: "2" }]));
    expect(handshakes).toBe(revision === "2025-11-25" ? 1 : 0);
  },
);

test("calls wait for the stream to listen on: servers send requests on it, and drop them if it is not open", async () => {
  let listening = false;
  let release = (): void => undefined;
  const { server, client } = await connected("2025-11-25", {
    GET: (incoming) =>
      void (release = () => {
        listening = true;
        incoming.events();
      }),
    "tools/call": (incoming) => incoming.reply({ content: [{ type: "text", text: String(listening) }] }),
  });
  const called = client.callTool("x");
  await server.until("GET");
  expect(server.of("tools/call")).toEqual([]);
  release();
  expect((await called).content).toEqual([{ type: "text", text: "true" }]);
});

test("calls do not wait long for a server that begins a stream only with its first message", async () => {
  const { client } = await connected("2025-11-25", { GET: () => undefined });
  expect((await client.callTool("x")).content).toEqual([]);
});

test("calls that are being answered survive the loss of their session", async () => {
  let held: Incoming | undefined;
  const { server, client } = await connected("2025-11-25", {
    "tools/call": (incoming) => {
      if (incoming.message!.params!["name"] === "held") held = incoming;
      else if (incoming.headers["mcp-session-id"] === "s1") incoming.status(404);
      else incoming.reply({ content: [] });
    },
  });
  const waiting = client.callTool("held");
  await server.until("tools/call");
  server.session = "s2";
  await client.callTool("other");
  expect(server.of("initialize")).toHaveLength(2);
  held!.reply({ content: [{ type: "text", text: "held" }] });
  expect((await waiting).content).toEqual([{ type: "text", text: "held" }]);
  const calls = server.of("tools/call").map(({ message }) => message!.params!["name"]);
  expect(calls).toEqual(["held", "other", "other"]);
});

test("closing also ends calls of a lost session", async () => {
  const { server, client } = await connected("2025-11-25", {
    "tools/call": (incoming) => {
      if (incoming.message!.params!["name"] !== "held") incoming.status(404);
    },
  });
  const waiting = client.callTool("held").catch((error: unknown) => error);
  const held = await server.until("tools/call");
  await expect(client.callTool("other")).rejects.toMatchObject({ code: "session-lost" });
  await client.close();
  expect(await waiting).toMatchObject({ code: "connection-closed" });
  await held.closed;
});

/** A proxy of bytes in front of `port`. */
class Proxy {
  readonly server: NetServer;
  readonly pairs = new Set<readonly [Socket, Socket]>();
  refuses = false;
  accepted = 0;

  constructor(port: number) {
    this.server = createNet((socket) => {
      this.accepted++;
      if (this.refuses) return void socket.resetAndDestroy();
      const upstream = openSocket(port, "127.0.0.1");
      const pair = [socket, upstream] as const;
      this.pairs.add(pair);
      socket.pipe(upstream).pipe(socket);
      for (const each of pair) {
        each.on("error", () => undefined);
        each.on("close", () => {
          this.pairs.delete(pair);
          for (const other of pair) other.destroy();
        });
      }
    });
  }

  async listen(): Promise<string> {
    const port = await listen(this.server);
    onTestFinished(() => {
      this.cut();
      this.server.close();
    });
    return `http://127.0.0.1:${port}/mcp`;
  }

  /** Cuts all connections, as a proxy does with those that were idle for long. */
  cut(): void {
    for (const pair of this.pairs) for (const socket of pair) socket.destroy();
  }
}

test("a stream is resumed whenever a proxy cuts it, and no message is lost (R21)", async () => {
  const server = lives(1);
  const listening = new Gate();
  const http = await serveHttp(server, { port: 0 });
  let gets = 0;
  let waiting: (() => void) | undefined;
  http.node.on("request", ({ method }) => {
    if (method !== "GET") return;
    gets++;
    listening.open();
    setImmediate(() => waiting?.());
  });
  onTestFinished(() => http.close());
  const proxy = new Proxy(http.port);
  const client = await clientOf(await proxy.listen(), {
    revision: "2025-11-25",
    http: { reconnects: { attempts: 2, delayMs: 20 } },
  });
  let heard = 0;
  let hears: (() => void) | undefined;
  client.on("notifications/tools/list_changed", () => {
    heard++;
    hears?.();
  });
  await listening.opened;
  const first = new Promise<void>((resolve) => (hears = resolve));
  server.tool("t0", {}, () => "");
  await first;
  for (let cut = 1; cut <= 8; cut++) {
    const again = new Promise<void>((resolve) => (waiting = resolve));
    const notice = new Promise<void>((resolve) => (hears = resolve));
    proxy.cut();
    // Every other time the change happens while no client is connected, else once one is.
    if (cut % 2 === 0) server.tool(`t${cut}`, {}, () => "");
    await again;
    if (cut % 2 === 1) server.tool(`t${cut}`, {}, () => "");
    await notice;
    expect(heard).toBe(cut + 1);
  }
  expect(gets).toBe(9);
});

test("a stream that cannot be resumed ends the connection with a typed error, at once for all requests (R21)", async () => {
  const http = await serveHttp(lives(1), { port: 0 });
  onTestFinished(() => http.close());
  const listening = new Promise<void>((resolve) =>
    http.node.on("request", ({ method }) => method === "GET" && resolve()),
  );
  const proxy = new Proxy(http.port);
  const client = await clientOf(await proxy.listen(), {
    revision: "2025-11-25",
    http: { reconnects: { attempts: 3, delayMs: 10 } },
  });
  await listening;
  await client.ping();
  proxy.refuses = true;
  proxy.cut();
  const before = proxy.accepted;
  // Fails for the same reason as all waiting requests.
  const failure = await client.callTool("life").catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: "connection-closed" });
  // The call may have met the end of a connection that was kept open.
  await until("three attempts to connect", () => proxy.accepted >= before + 3);
  await expect(client.callTool("life")).rejects.toMatchObject({ code: "connection-closed" });
  // When the proxy has a server again, the client works again, too.
  proxy.refuses = false;
  expect((await client.callTool("life")).content).toEqual([{ type: "text", text: "1" }]);
});

test("a call whose stream cannot be resumed fails with a typed error (R21)", async () => {
  for (const [status, attempts] of [
    [503, 3],
    [405, 1],
  ] as const) {
    const { server, client } = await connected(
      "2025-11-25",
      {
        "tools/call": (incoming) => incoming.events("id: 1\nretry: 10\ndata: \n\n").end(),
        GET: (incoming) => incoming.status(status),
      },
      { http: { reconnects: 3 } },
    );
    await expect(client.callTool("x")).rejects.toMatchObject({ code: "connection-closed" });
    expect(server.of("GET").filter(({ headers }) => headers["last-event-id"] === "1")).toHaveLength(attempts);
  }
});

test("a server that never answers a notification does not keep the client from closing", async () => {
  const { client, server } = await connected(
    "2025-11-25",
    { "notifications/roots/list_changed": () => undefined },
    { roots: [] },
  );
  await client.rootsChanged();
  await server.until("notifications/roots/list_changed");
  await client.close();
  expect(server.of("DELETE")).toHaveLength(1);
});

test("requests are authorized, and once more if the server asks for it", async () => {
  const challenges: unknown[] = [];
  const server = await scripted("2025-11-25", {
    "tools/call": (incoming, each) =>
      incoming.headers.authorization === "Bearer 2"
        ? incoming.reply(each.result({ content: [] }))
        : incoming.status(401, "", { "www-authenticate": 'Bearer scope="more"' }),
  });
  let token = 1;
  const client = await clientOf(server.url, {
    revision: "2025-11-25",
    http: {
      headers: { "x-own": "yes" },
      authorize: async (challenge) => {
        if (challenge) challenges.push(challenge);
        return { authorization: `Bearer ${challenge ? ++token : token}` };
      },
    },
  });
  await client.callTool("x");
  expect(challenges).toEqual([{ status: 401, challenge: 'Bearer scope="more"' }]);
  expect(server.of("tools/call").map(({ headers }) => headers.authorization)).toEqual([
    "Bearer 1",
    "Bearer 2",
  ]);
  expect(server.received.every(({ headers }) => headers["x-own"] === "yes")).toBe(true);
});

test("invalid responses give errors that describe the response", async () => {
  const { client, server } = await connected("2025-11-25");
  const cases: [status: number, type: string, body: string][] = [
    [500, "text/html", "<h1>Oops</h1>"],
    [200, "text/html", "<h1>Log in</h1>"],
    [200, "application/json", "{"],
    [400, "application/json", '{"message":"no"}'],
    [202, "text/plain", ""],
    [302, "text/plain", ""],
  ];
  for (const [status, type, body] of cases) {
    server.script = {
      "tools/call": (incoming) =>
        incoming.status(status, body, { "content-type": type, location: "http://127.0.0.1:1/" }),
    };
    await expect(client.callTool("x")).rejects.toMatchObject({ code: "connection-closed" });
  }
  server.script = {};
  await client.callTool("x");
});

test("every request may be answered by a fetch of the user's own", async () => {
  const server = await scripted("2025-11-25");
  const seen: string[] = [];
  const client = await clientOf(server.url, {
    revision: "2025-11-25",
    http: { fetch: (url, init) => (seen.push(init!.method!), fetch(url, init)) },
  });
  await client.callTool("x");
  await client.close();
  expect(seen.sort()).toEqual(["DELETE", "GET", "POST", "POST", "POST"]);
});

test("without a server, connecting fails early, without a handshake after the probe", async () => {
  let tries = 0;
  const refusing: typeof fetch = () => {
    tries++;
    return Promise.reject(
      new TypeError("fetch failed", { cause: { code: "ECONNREFUSED", message: "refused" } }),
    );
  };
  const attempt = connect("http://127.0.0.1:9/mcp", {
    revisions: clientRevisions,
    http: { fetch: refusing },
  });
  await expect(attempt).rejects.toMatchObject({ code: "connection-closed", data: { unreachable: true } });
  expect(tries).toBe(4);
});
