import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { CodeFirstServer, ConnectOptions, HandlerContext, ServerOptions } from "@mcpgen/runtime";
import { failureOf } from "../support/failure-of.js";
import { heard } from "../support/heard.mjs";
import { type Wire, clientOf, serverWith, wires } from "../support/served.js";
import { id, searchClient, searchServer } from "./search-extension.js";

const revisions = ["2025-06-18", "2025-11-25", "2026-07-28"] as const;

const routes = wires.flatMap((wire) => revisions.map((revision) => [wire, revision] as const));

type Implemented = NonNullable<ServerOptions["extensions"]>[number];

const query = ({ query: text }: { query: string }) => ({ items: [text, text.toUpperCase()] });

const search: Implemented = searchServer.implement({ "search/query": query }, { settings: { fuzzy: true } });

const searchClientWith = (options: Parameters<typeof searchClient.implement>[1] = {}) =>
  searchClient.implement({ "search/consent": ({ reason }) => ({ granted: reason === "index" }) }, options);

function searching(used: Implemented = search, options: Partial<ServerOptions> = {}): CodeFirstServer {
  const server = serverWith({ extensions: [used], ...options });
  server.tool("echo", {}, () => "said");
  return server;
}

const connected = (
  server: CodeFirstServer,
  wire: Wire,
  revision: string,
  options: Partial<ConnectOptions> = { extensions: [searchClientWith()] },
) => clientOf(server, wire, revision, options);

function deferred<Value>() {
  let resolve!: (value: Value) => void;
  const promise = new Promise<Value>((settle) => (resolve = settle));
  return { promise, resolve };
}

const query1 = { query: "cats" };

describe.each(routes)("over %s at %s", (wire, revision) => {
  const isModern = revision === "2026-07-28";

  test("a method of an extension is called, checked and answered", async () => {
    const client = await connected(searching(), wire, revision);
    expect(await client.request("search/query", query1)).toMatchObject({ items: ["cats", "CATS"] });
    expect(await failureOf(client.request("search/query", { query: 7 }))).toMatchObject({ rpcCode: -32602 });
    expect(await client.callTool("echo")).toMatchObject({ content: [{ type: "text", text: "said" }] });
  });

  test("both sides declare their settings", async () => {
    let seen: unknown;
    const used = searchServer.implement(
      {
        "search/query": (params, { clientCapabilities }: HandlerContext) => {
          seen = clientCapabilities.extensions;
          return query(params);
        },
      },
      { settings: { fuzzy: true } },
    );
    const extensions = [searchClientWith({ settings: { languages: ["en"] } })];
    const client = await connected(searching(used), wire, revision, { extensions });
    expect(client.serverCapabilities.extensions).toEqual({ [id]: { fuzzy: true } });
    await client.request("search/query", query1);
    expect(seen).toEqual({ [id]: { languages: ["en"] } });
  });

  test("a client that has not declared the extension is refused with the error of its era", async () => {
    const client = await connected(searching(), wire, revision, {});
    const refused = await failureOf(
      client.request("search/query", { query: 7 } as object, { result: {} } as never),
    );
    expect(refused).toMatchObject(
      isModern
        ? { rpcCode: -32021, data: { requiredCapabilities: { extensions: { [id]: {} } } } }
        : { rpcCode: -32601 },
    );
  });

  test.each([[true], [0], ["x"], [[]], [null]])(
    "a client that declares %j does not have the extension",
    async (value) => {
      const server = searching();
      server.use(({ method }, next) => (method === "tools/call" ? ({ ticket: "t1" } as never) : next()));
      const capabilities = { extensions: { [id]: value } } as never;
      const connecting = connected(server, wire, revision, { capabilities, validation: { send: "off" } });
      // This revision describes `extensions`: the server refuses its requests, unless null counts as absent.
      if (isModern && value !== null) return expect(await failureOf(connecting)).toBeInstanceOf(Error);
      const client = await connecting;
      const refused = client.request("search/query", query1 as object, { result: {} } as never);
      expect(await failureOf(refused)).toMatchObject(isModern ? {} : { rpcCode: -32601 });
      expect(await failureOf(client.callTool("echo"))).toMatchObject({ rpcCode: -32603 });
    },
  );

  test.each([[true], [0], ["x"], [[]], [null]])(
    "a server that declares %j does not have the extension",
    async (value) => {
      const server = serverWith({
        capabilities: { extensions: { [id]: value } } as never,
        validation: { send: "off" },
      });
      const client = await connected(server, wire, revision);
      expect(await failureOf(client.request("search/query", query1))).toMatchObject({
        code: "missing-capability",
      });
    },
  );

  test("a method that the settings switch off does not exist", async () => {
    const client = await connected(searching(), wire, revision);
    expect(await failureOf(client.request("search/purge"))).toMatchObject({
      code: "missing-capability",
      message: `search/purge: the server has not declared extensions.${id}.purge`,
    });
    const purging = searchServer.implement(
      { "search/query": query, "search/purge": () => ({}) },
      { settings: { purge: true } },
    );
    const other = await connected(searching(purging), wire, revision);
    expect(await other.request("search/purge", { topic: "cats" })).toBeDefined();
  });

  test("notifications of clients reach their listeners", async () => {
    const heard = deferred<unknown>();
    const used = searchServer.implement(
      { "search/query": query },
      { on: { "notifications/search/hint": heard.resolve } },
    );
    const client = await connected(searching(used), wire, revision);
    await client.notify("notifications/search/hint", { words: "wrong" });
    await client.notify("notifications/search/hint", { words: ["a"] });
    expect(await heard.promise).toMatchObject({ words: ["a"] });
  });

  test("the server asks the client with a request of the extension", async () => {
    const used = searchServer.implement({
      "search/query": async ({ query: reason }, context: HandlerContext) => {
        const asked = { method: "search/consent", params: { reason } } as never;
        const { consent } = (await context.ask.all({ consent: asked })) as { consent: { granted: boolean } };
        return { items: [String(consent.granted)] };
      },
    });
    const client = await connected(searching(used), wire, revision);
    expect(await client.request("search/query", { query: "index" })).toMatchObject({ items: ["true"] });
    const deaf = await connected(searching(used), wire, revision, {
      capabilities: { extensions: { [id]: {} } },
    });
    const result = deaf.request("search/query", query1, { result: {} } as never);
    expect(await failureOf(result)).toBeInstanceOf(Error);
  });

  test("a result that the extension adds to a method of the protocol arrives unchanged", async () => {
    const used = searchServer.implement(
      { "search/query": query },
      {
        around: {
          "tools/call": (request, next) =>
            (request.params as { arguments?: { later?: true } }).arguments?.later
              ? { ticket: "t1", ...(isModern ? { resultType: "deferred" } : {}) }
              : next(),
        },
      },
    );
    const client = await connected(searching(used), wire, revision);
    expect(await client.callTool("echo", { later: true })).toMatchObject({ ticket: "t1" });
    expect(await client.callTool("echo")).toMatchObject({ content: [{ text: "said" }] });
    const plain = await connected(searching(used), wire, revision, {});
    expect(await failureOf(plain.callTool("echo", { later: true }))).toMatchObject({ rpcCode: -32603 });
    expect(await plain.callTool("echo")).toMatchObject({ content: [{ text: "said" }] });
  });

  test("a client without the extension does not get such a result of middleware", async () => {
    const reported: unknown[] = [];
    const server = searching(search, {
      onEvent: heard({ handlerError: (error) => void reported.push(error) }),
    });
    const removed = server.use((_, next) => next());
    server.use(async (request, next) => {
      const { arguments: given } = request.params as { arguments?: { later?: true } };
      if (request.direction === "outgoing" || !given?.later) return next();
      return { ticket: "t1", ...(isModern ? { resultType: "deferred" } : {}) };
    });
    removed();
    const client = await connected(server, wire, revision);
    expect(await client.callTool("echo", { later: true })).toMatchObject({ ticket: "t1" });
    expect(reported).toEqual([]);
    const plain = await connected(server, wire, revision, {});
    expect(await failureOf(plain.callTool("echo", { later: true }))).toMatchObject({ rpcCode: -32603 });
    expect(reported).toMatchObject([
      { message: `tools/call: the client gets no DeferredResult: it has not declared extensions.${id}` },
    ]);
    expect(await plain.callTool("echo")).toMatchObject({ content: [{ text: "said" }] });
  });

  test("a client resolves such a result by a function around the method", async () => {
    const used = searchServer.implement(
      { "search/query": query },
      {
        around: { "tools/call": () => ({ ticket: "cats", ...(isModern ? { resultType: "deferred" } : {}) }) },
      },
    );
    const extensions = [
      searchClientWith({
        around: {
          "tools/call": async (_, next) => {
            const { ticket } = (await next()) as { ticket: string };
            return { content: [{ type: "text", text: `resolved ${ticket}` }] };
          },
        },
      }),
    ];
    const client = await connected(searching(used), wire, revision, { extensions });
    expect(await client.callTool("echo")).toMatchObject({ content: [{ text: "resolved cats" }] });
  });

  test("an error of the extension is sent with its code", async () => {
    const { McpError } = await import("@mcpgen/runtime");
    const used = searchServer.implement({
      "search/query": () => {
        throw new McpError("internal-error", "busy", { rpcCode: -31_001 });
      },
    });
    const client = await connected(searching(used), wire, revision);
    expect(await failureOf(client.request("search/query", query1))).toMatchObject({ rpcCode: -31_001 });
  });
});

describe.each(wires)("notifications of the server over %s", (wire) => {
  test("at 2026-07-28 they go to subscriptions whose filter has their key", async () => {
    const server = searching();
    const client = await connected(server, wire, "2026-07-28");
    const wanted = { tools: true, searchTopics: ["cats"] };
    const subscription = await client.subscribe<{ searchTopics: string[] }>(wanted);
    expect(subscription.honoured).toEqual(wanted);
    const notices = subscription[Symbol.asyncIterator]();
    server.notify("notifications/search/changed", { topic: "dogs" });
    server.notify("notifications/search/changed", { topic: "cats" });
    const { value } = await notices.next();
    expect(value).toMatchObject({ method: "notifications/search/changed", params: { topic: "cats" } });
    await subscription.close();
  });

  test("at 2026-07-28 a client that has not declared the extension cannot subscribe to them", async () => {
    const client = await connected(searching(), wire, "2026-07-28", {});
    const refused = client.request(
      "subscriptions/listen",
      { notifications: { searchTopics: ["cats"] } } as never,
      { timeout: 5000 },
    );
    expect(await failureOf(refused)).toMatchObject({ rpcCode: -32021 });
  });

  test("before 2026-07-28 they go to the sessions of clients that have declared the extension", async () => {
    const server = searching();
    const heard: string[] = [];
    const arrived = deferred<void>();
    const prepare: ConnectOptions["prepare"] = (client) => {
      client.on("*", (params, method) => {
        heard.push(method);
        if (params["topic"] === "cats") arrived.resolve();
      });
    };
    await connected(server, wire, "2025-11-25", { prepare });
    await connected(server, wire, "2025-11-25", { prepare, extensions: [searchClientWith()] });
    await turn();
    for (const session of server.sessions) await session.ping();
    server.notify("notifications/search/changed", { topic: "cats" });
    await arrived.promise;
    for (const session of server.sessions) await session.ping();
    expect(heard.filter((method) => method.includes("search"))).toHaveLength(1);
  });
});

test("an unknown member of a subscription is still refused", async () => {
  const client = await connected(searching(), "memory", "2026-07-28");
  expect(await failureOf(client.subscribe({ searchTopic: true } as never))).toMatchObject({
    code: "invalid-definition",
    message: "searchTopic: there is no such option. Did you mean searchTopics?",
  });
});

test("a revision that is not a base of the extension does not have it", async () => {
  const client = await connected(searching(), "memory", "2025-03-26");
  expect(client.serverCapabilities.extensions).toBeUndefined();
  expect(await failureOf(client.request("search/query", query1))).toMatchObject({
    code: "method-not-found",
  });
});
