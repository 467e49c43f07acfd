import { PassThrough } from "node:stream";
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import {
  type Client,
  type ConnectOptions,
  McpError,
  type RequestOptions,
  type Server,
  connect,
  createServer,
  memoryChannels,
} from "@mcpgen/runtime";
import { streamChannel } from "@mcpgen/runtime/stdio";
import { describe, expect, onTestFinished, test } from "vitest";
import { failureOf } from "../../support/failure-of.js";
import { serve } from "../../support/http-adapters.js";
import { clientOf } from "../../support/scripted-http-server.js";
import { revisions } from "../../support/revisions.js";
import * as http from "../../support/scripted-http-server.js";

// A gateway sends the requests of several clients over one connection.

/** A server whose tool returns what it knows of its caller, after a moment that differs. */
function knowing(): Server {
  const server = createServer(
    { name: "s", version: "1" },
    { revisions: serverRevisions, capabilities: { logging: {} } },
  );
  server.tool("who", {}, async (_, context) => {
    const { clientInfo, clientCapabilities, headers, logLevel: level } = context;
    for (let turn = 0; turn < (clientInfo?.name.length ?? 0) % 5; turn++) await Promise.resolve();
    context.log("warning", clientInfo?.name ?? "unnamed");
    return { structuredContent: { clientInfo, clientCapabilities, headers, level } };
  });
  return server;
}

const options: Partial<ConnectOptions> & Pick<ConnectOptions, "revisions"> = {
  revisions: clientRevisions,
  info: { name: "gateway", version: "1" },
  logLevel: "debug",
  elicit: () => ({ action: "decline" }),
  roots: [],
};

const transports: Readonly<Record<string, (revision: string) => Promise<Client>>> = {
  memory: async (revision) => {
    const [near, far] = memoryChannels();
    knowing().connect(far);
    return connect(near, { ...options, revision });
  },
  stdio: async (revision) => {
    const [up, down] = [new PassThrough(), new PassThrough()];
    knowing().connect(streamChannel(up, down));
    return connect(streamChannel(down, up), { ...options, revision });
  },
  HTTP: async (revision) => {
    const { url } = await serve("node", knowing(), { contextHeaders: ["x-tenant", "authorization"] });
    return clientOf(url, { ...options, revision, http: { headers: { "X-Tenant": "gateway" } } });
  },
};

const levels = ["debug", "info", "warning", "error", "emergency", undefined] as const;

/** What one of several callers states; some state less. */
function callerOf(index: number): Required<Pick<RequestOptions, "onBehalfOf">> & RequestOptions {
  return {
    onBehalfOf: {
      ...(index === 7 ? {} : { clientInfo: { name: `caller ${"x".repeat(index)}`, version: `${index}` } }),
      clientCapabilities: [{}, { elicitation: { form: {} } }, { roots: {} }, { sampling: { tools: {} } }][
        index % 4
      ]!,
      logLevel: levels[index % levels.length],
    },
  };
}

describe.each(Object.entries(transports))("over %s", (transport, open) => {
  test("each of 400 interleaved requests of 8 callers states its own caller", async () => {
    const client = await open("2026-07-28");
    onTestFinished(() => client.close());
    const logged: unknown[] = [];
    client.on("notifications/message", ({ data }) => void logged.push(data));
    const isHttp = transport === "HTTP";
    const calls = Array.from({ length: 400 }, async (_, count) => {
      const index = (count * 5) % 8;
      const caller = callerOf(index);
      const headers = isHttp
        ? { "x-tenant": `tenant ${index}`, Authorization: `Bearer ${index}` }
        : undefined;
      const { structuredContent } = await client.callTool("who", {}, { ...caller, headers });
      const { clientInfo, clientCapabilities, logLevel: level } = caller.onBehalfOf!;
      expect(structuredContent).toEqual({
        ...(clientInfo && { clientInfo }),
        clientCapabilities,
        headers: isHttp ? { "x-tenant": `tenant ${index}`, authorization: `Bearer ${index}` } : {},
        ...(level && { level }),
      });
    });
    await Promise.all(calls);
    // Debug, info and warning want the message of their call.
    const wanting = [0, 1, 2, 6, 7].map((index) => callerOf(index).onBehalfOf!.clientInfo?.name ?? "unnamed");
    expect(logged.sort()).toEqual(wanting.flatMap((name) => Array(50).fill(name) as string[]).sort());
    // A request of the client itself is as ever.
    expect((await client.callTool("who")).structuredContent).toMatchObject({
      clientInfo: { name: "gateway" },
      clientCapabilities: { elicitation: { form: {} }, roots: {} },
      headers: isHttp ? { "x-tenant": "gateway" } : {},
      level: "debug",
    });
  });

  test("a handshake states the client once: requests for another one fail, and are not sent", async () => {
    const client = await open("2025-11-25");
    onTestFinished(() => client.close());
    for (let index = 0; index < 8; index++)
      expect(await failureOf(client.callTool("who", {}, callerOf(index)))).toMatchObject({
        code: "not-expressible",
        message: expect.stringContaining("onBehalfOf") as string,
      });
    const sent = client.callTool("who", {}, { headers: { "x-tenant": "one" } });
    if (transport === "HTTP")
      expect((await sent).structuredContent).toMatchObject({ headers: { "x-tenant": "one" } });
    else expect(await failureOf(sent)).toMatchObject({ code: "not-expressible" });
  });
});

test.each(revisions)("a gateway passes the client of its handler on, which speaks %s", async (revision) => {
  const [toBack, back] = memoryChannels();
  knowing().connect(back);
  const forward = await connect(toBack, { ...options, revision: "2026-07-28" });
  const gateway = createServer(
    { name: "gateway", version: "1" },
    { revisions: serverRevisions, capabilities: { logging: {} } },
  );
  gateway.tool("who", {}, (_, context) => forward.callTool("who", {}, { onBehalfOf: context }) as never);
  const [near, far] = memoryChannels();
  gateway.connect(far);
  const client = await connect(near, {
    revisions: clientRevisions,
    revision,
    info: { name: "of the user", version: "7" },
    sample: () => ({ role: "assistant", content: { type: "text", text: "" }, model: "m" }),
  });
  onTestFinished(() => Promise.all([client.close(), forward.close()]).then(() => undefined));
  await client.setLogLevel("critical");
  const { content, structuredContent } = await client.callTool("who");
  const seen = (structuredContent ?? JSON.parse((content[0] as { text: string }).text)) as object;
  expect(seen).toEqual({
    clientInfo: { name: "of the user", version: "7" },
    clientCapabilities: { sampling: {} },
    headers: {},
    level: "critical",
  });
});

test("a request of a batch with its own headers is sent alone", async () => {
  const { client, server } = await http.connected("2025-03-26", {
    // The name of a body that is a list.
    response: (incoming) => {
      const batch = incoming.message as unknown as readonly http.Wired[];
      incoming.json(batch.map(({ id }) => ({ jsonrpc: "2.0", id, result: {} })));
    },
  });
  const outcomes = await client.batch([
    { method: "ping" },
    { method: "tools/list", options: { headers: { "x-a": "one" } } },
    { method: "ping" },
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "fulfilled"]);
  expect(server.of("tools/list").map(({ headers }) => headers["x-a"])).toEqual(["one"]);
  expect(server.of("response").map(({ headers, text }) => [headers["x-a"], text.match(/ping/g)])).toEqual([
    [undefined, ["ping", "ping"]],
  ]);
});

test("a result that a request for another client led to is not shared", async () => {
  let lists = 0;
  const { client } = await http.connected("2026-07-28", {
    "tools/list": (incoming, own) => {
      lists++;
      incoming.reply({ ...own.result({ tools: [] }), ttlMs: 60_000, cacheScope: "public" });
    },
  });
  const caller = callerOf(1);
  for (let count = 0; count < 2; count++) await client.listTools(caller);
  for (let count = 0; count < 2; count++) await client.listTools({ headers: { "x-a": "b" } });
  expect(lists).toBe(4);
  for (let count = 0; count < 2; count++) await client.listTools();
  expect(lists).toBe(5);
  await client.listTools(caller);
  expect(lists).toBe(6);
});

test("a value that cannot describe a client is refused, and nothing is sent under the name of the sender", async () => {
  const { client, server } = await http.connected("2026-07-28");
  for (const wrong of [null, 1, "ada", false, [], { clientCapabilities: 1 }, { clientCapabilities: [] }])
    expect(await failureOf(client.callTool("t", {}, { onBehalfOf: wrong as never }))).toMatchObject({
      code: "invalid-definition",
    });
  expect(server.of("tools/call")).toEqual([]);
});

test("headers of the protocol, and those that HTTP does not allow, are refused, and nothing is sent", async () => {
  const { client, server } = await http.connected("2026-07-28");
  const wrong = [
    "Accept",
    "content-type",
    "Content-Length",
    "mcp-session-id",
    "Mcp-Name",
    "Mcp-Param-A",
    "a b",
  ];
  for (const name of wrong)
    expect(await failureOf(client.callTool("t", {}, { headers: { [name]: "secret" } }))).toMatchObject({
      code: "invalid-definition",
      message: expect.not.stringContaining("secret") as string,
    });
  const injected = client.callTool("t", {}, { headers: { "x-a": "secret\r\nx-b: c" } });
  expect(await failureOf(injected)).toMatchObject({ code: "invalid-definition" });
  expect(server.of("tools/call")).toEqual([]);
});

test("the headers of a request go with its resumption and its cancellation, and with no other message", async () => {
  const gets: unknown[] = [];
  const { client, server } = await http.connected(
    "2025-11-25",
    {
      "tools/call": (incoming) => incoming.events("id: 1\nretry: 5\ndata: \n\n").end(),
      GET: (incoming) => {
        if (incoming.headers["last-event-id"] !== undefined) gets.push(incoming.headers["x-a"]);
        incoming.events(": open\n\n");
      },
    },
    { http: { reconnects: { delayMs: 5 } } },
  );
  const abort = new AbortController();
  const call = client.callTool("t", {}, { headers: { "X-A": "one" }, signal: abort.signal });
  await expect.poll(() => gets).toEqual(["one"]);
  abort.abort();
  expect(await failureOf(call)).toBeInstanceOf(McpError);
  await expect.poll(() => server.of("notifications/cancelled").length).toBe(1);
  expect(server.of("notifications/cancelled")[0]!.headers["x-a"]).toBe("one");
  await client.request("tools/list");
  expect(server.of("tools/list")[0]!.headers["x-a"]).toBeUndefined();
});

test("a client may declare roots whose changes it does not report", async () => {
  for (const revision of ["2025-11-25", "2026-07-28"]) {
    const declared: unknown[] = [];
    const server = createServer({ name: "s", version: "1" }, { revisions: serverRevisions });
    server.tool("t", {}, (_, { clientCapabilities }) => {
      declared.push(clientCapabilities.roots);
      return "";
    });
    for (const listChanged of [undefined, true, false]) {
      const [near, far] = memoryChannels();
      server.connect(far);
      const capabilities = listChanged === undefined ? {} : { roots: { listChanged } };
      const client = await connect(near, { revisions: clientRevisions, revision, roots: [], capabilities });
      await client.callTool("t");
      if (revision < "2026" && listChanged === false)
        expect(await failureOf(client.rootsChanged())).toMatchObject({ code: "missing-capability" });
      else await client.rootsChanged();
      await client.close();
    }
    const changing = revision < "2026" ? { listChanged: true } : {};
    expect(declared).toEqual([changing, changing, {}]);
  }
  const alone = connect(memoryChannels()[0], {
    revisions: clientRevisions,
    capabilities: { roots: { listChanged: false } },
  });
  expect(await failureOf(alone)).toMatchObject({ code: "invalid-definition" });
});

test("a client sees that a server closes the stream of a request, which it then polls", async () => {
  const server = createServer({ name: "s", version: "1" }, { revisions: serverRevisions });
  server.tool("polled", {}, async (_, { disconnect }) => {
    for (const ms of [7, 9]) {
      disconnect(ms);
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    return "done";
  });
  server.tool("plain", {}, () => "done");
  const { url } = await serve("node", server);
  const events: unknown[] = [];
  const client = await clientOf(url, {
    revision: "2025-11-25",
    onEvent: (event) => void (event.type === "stream-disconnected" && events.push(event)),
  });
  const pauses: unknown[] = [];
  const [polled] = await Promise.all([
    client.callTool("polled", {}, { onDisconnect: (retryMs) => void pauses.push(retryMs) }),
    client.callTool("plain", {}, { onDisconnect: () => void pauses.push("plain") }),
  ]);
  expect(polled).toMatchObject({ content: [{ text: "done" }] });
  expect(pauses).toEqual([7, 9]);
  expect(events).toEqual(
    [7, 9].map((retryMs) => ({
      type: "stream-disconnected",
      method: "tools/call",
      requestId: expect.any(Number) as number,
      retryMs,
    })),
  );
});
