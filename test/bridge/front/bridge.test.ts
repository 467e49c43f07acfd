import { createServer as createHttpServer } from "node:http";
import { once } from "node:events";
import { type BridgeEvent, createBridge } from "@mcpgen/bridge";
import { clientRevisions } from "@mcpgen/protocol";
import { type Server, type Source, connect } from "@mcpgen/runtime";
import { createNodeHandler, serveHttp } from "@mcpgen/runtime/http";
import { expect, onTestFinished, test } from "vitest";
import { clientOf, eras, serverWith, sourceOf } from "../../support/served.js";

/** A server over HTTP, and the headers that reached it. */
async function overheard(server: Server): Promise<{ url: string; heard: NodeJS.Dict<string | string[]>[] }> {
  const heard: NodeJS.Dict<string | string[]>[] = [];
  const handler = createNodeHandler(server, { graceMs: 0 });
  const http = createHttpServer((request, response) => {
    heard.push(request.headers);
    void handler(request, response);
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  onTestFinished(async () => {
    await handler.close();
    http.closeAllConnections();
    http.close();
  });
  return { url: `http://127.0.0.1:${(http.address() as { port: number }).port}/mcp`, heard };
}

function backOf(): Server {
  const back = serverWith();
  for (const name of ["search", "search_all", "delete"]) back.tool(name, {}, () => name);
  back.tool("ask", {}, async (_, { ask, clientCapabilities }) => {
    const { action } = await ask.elicit("a", {
      message: "?",
      requestedSchema: { type: "object", properties: {} },
    });
    return `${action} ${Object.keys(clientCapabilities).sort().join()}`;
  });
  return back;
}

test.each(eras.flatMap((front) => eras.map((era) => [front, era] as const)))(
  "no credential reaches the server: a client of %s, the server at %s",
  async (revision, era) => {
    const { url, heard } = await overheard(backOf());
    const options = { headers: ["X-Trace"], onEvent: () => true };
    const bridge = await createBridge({ back: { source: url, revision: era } }, options);
    onTestFinished(() => bridge.close());
    const served = await serveHttp(bridge, {
      port: 0,
      graceMs: 0,
      contextHeaders: ["x-trace", "x-other"],
      authenticate: () => ({ principal: "someone" }),
    });
    onTestFinished(() => served.close());
    const headers = {
      authorization: "Bearer secret-1",
      cookie: "a=secret-2",
      "proxy-authorization": "secret-3",
      "mcp-own": "secret-4",
      "x-other": "secret-5",
      "x-trace": "trace-1",
    };
    const client = await connect(served.url, {
      revisions: clientRevisions,
      revision,
      onEvent: () => true,
      http: { headers },
      elicit: () => ({ action: "decline" }),
    });
    onTestFinished(() => client.close());
    expect(await client.callTool("ask")).toMatchObject({ content: [{ text: "decline elicitation" }] });
    expect(JSON.stringify(heard)).not.toContain("secret");
    expect(heard.some((each) => each["x-trace"] === "trace-1")).toBe(true);
  },
);

test.each([
  "Authorization",
  "cookie",
  "proxy-authorization",
  "Mcp-Session-Id",
  "connection",
  "Content-Type",
  "host",
])("the header %s is never passed on", async (name) => {
  const made = createBridge({ back: { source: "http://127.0.0.1:9/mcp" } }, { headers: [name] });
  await expect(made).rejects.toMatchObject({
    code: "invalid-definition",
    message: expect.stringContaining(name),
  });
});

test("wrong options are refused", async () => {
  const source = "http://127.0.0.1:9/mcp";
  const refused = async (servers: object, options: object, text: string): Promise<void> =>
    expect(createBridge(servers as never, options)).rejects.toMatchObject({
      code: "invalid-definition",
      message: expect.stringContaining(text),
    });
  await refused({}, {}, "name one server");
  await refused({ one: { source }, two: { source } }, {}, "one server for now");
  await refused({ one: {} }, {}, "servers.one.source");
  await refused({ one: { source, share: "all" } }, {}, "servers.one.share");
  await refused({ one: { source, sahre: "call" } }, {}, "sahre");
  await refused({ one: { source } }, { ask: ["everything"] }, "ask");
});

test.each(eras)("tools pass by their patterns (%s)", async (revision) => {
  const source = (): Source => sourceOf(backOf(), "memory") as never;
  const patterns = ["search*", "d*e", "!*_all"];
  const bridge = await createBridge(
    { back: { source: source as Source, tools: patterns } },
    { onEvent: () => true },
  );
  onTestFinished(() => bridge.close());
  const client = await clientOf(bridge, "HTTP", revision);
  const { items } = await client.listTools();
  expect(items.map(({ name }) => name)).toEqual(["search", "delete"]);
  expect(await client.callTool("search")).toMatchObject({ content: [{ text: "search" }] });
  await expect(client.callTool("search_all")).rejects.toMatchObject({ rpcCode: -32602 });
});

test.each(eras)("questions of other kinds are not declared (%s)", async (revision) => {
  const bridge = await createBridge(
    { back: { source: (() => sourceOf(backOf(), "memory")) as never } },
    { ask: ["sampling"], onEvent: () => true },
  );
  onTestFinished(() => bridge.close());
  const client = await clientOf(bridge, "stdio", revision, { elicit: () => expect.fail("asked") });
  const called = client.callTool("ask").then(
    ({ content }) => JSON.stringify(content),
    (error: Error) => error.message,
  );
  expect(await called).toContain("has not declared");
});

test("between two sides of 2026-07-28, each round goes through another bridge, which keeps nothing", async () => {
  const back = backOf();
  const source = await sourceOf(back, "HTTP");
  const state = { keys: ["a secret that both bridges have"], parking: false as const };
  const bridges = await Promise.all(
    [1, 2].map(() => createBridge({ back: { source } }, { state, onEvent: () => true })),
  );
  for (const bridge of bridges) onTestFinished(() => bridge.close());
  const urls = await Promise.all(bridges.map((bridge) => sourceOf(bridge, "HTTP")));
  let sent = 0;
  const client = await connect(urls[0]!, {
    revisions: clientRevisions,
    revision: "2026-07-28",
    onEvent: () => true,
    http: { fetch: (_, init) => fetch(urls[sent++ % 2] as string, init as RequestInit) as never },
    elicit: () => ({ action: "decline" }),
  });
  onTestFinished(() => client.close());
  for (const _ of [1, 2, 3])
    expect(await client.callTool("ask")).toMatchObject({ content: [{ text: "decline elicitation" }] });
  expect(bridges.map((bridge) => bridge.stats().gauges.parked)).toEqual([0, 0]);
});

test("events of the connection with a server have its name", async () => {
  const events: BridgeEvent[] = [];
  const onEvent = (event: BridgeEvent): true => events.push(event) > 0 || true;
  const bridge = await createBridge(
    { docs: { source: (() => sourceOf(backOf(), "memory")) as never } },
    { onEvent },
  );
  await bridge.close();
  expect(events).toContainEqual(expect.objectContaining({ type: "connection-opened", server: "docs" }));
});
