import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { type ClientEvent, type ServerEvent, connect, createServer, memoryChannels } from "@mcpgen/runtime";
import { type HttpOptions, createHttpHandler } from "@mcpgen/runtime/http";
import { VirtualClock } from "@mcpgen/testing";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { failureOf } from "../support/failure-of.js";
import { heard } from "../support/heard.mjs";
import { clientOf, eras, routes, serverWith, sourceOf } from "../support/served.js";

type Server = ReturnType<typeof serverWith>;

/** The events of a server or a client from now on. */
function eventsOf<Event>(role: { onEvent(listener: (event: Event) => void): unknown }): Event[] {
  const events: Event[] = [];
  role.onEvent((event) => events.push(event));
  return events;
}

/** Resolves when pending work of this turn is done. */
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

/** Those of some types. */
const only = (events: readonly { readonly type: string }[], ...types: string[]): object[] =>
  events.filter(({ type }) => types.includes(type));

describe.each(routes)("over %s at %s", (wire, revision) => {
  const isHttp = wire === "HTTP";

  test("a server reports connections or sessions, refused requests and errors of handlers", async () => {
    const server = serverWith();
    const thrown = new Error("broken");
    server.tool("t", {}, () => {
      throw thrown;
    });
    server.prompt("p", {}, () => {
      throw thrown;
    });
    const events = eventsOf<ServerEvent>(server);
    const client = await clientOf(server, wire, revision, { validation: { send: "off" } });
    await client.callTool("t");
    await failureOf(client.getPrompt("p"));
    await failureOf(client.request("tools/call", { name: 5 } as never));
    await failureOf(client.request("tools/call", { name: "t", arguments: [] } as never));
    await client.close();
    await settled();
    const peer = { principal: "" };
    const session = isHttp && revision === "2025-11-25";
    const opened = { type: "connection-opened", ...peer };
    expect(only(events, "connection-opened", "session-created")).toMatchObject(
      session ? [{ type: "session-created", restored: false, ...peer }] : isHttp ? [] : [opened],
    );
    expect(only(events, "handler-error")).toMatchObject([
      { method: "tools/call", name: "t", error: thrown, ...peer },
      { method: "prompts/get", name: "p", error: thrown, ...peer },
    ]);
    expect(only(events, "request-refused")).toMatchObject(
      [{}, {}].map(() => ({ reason: "params", method: "tools/call", ...peer })),
    );
    const ends = only(events, "connection-closed", "session-ended");
    if (session) expect(ends).toMatchObject([{ type: "session-ended", reason: "deleted" }]);
    else if (!isHttp) expect(ends).toMatchObject([{ type: "connection-closed", ...peer }]);
    const ids = new Set(events.map((event) => (event as { sessionId?: string }).sessionId));
    expect([...ids].every((id) => (session ? typeof id === "string" : id === undefined))).toBe(true);
  });

  test("exceptions and rejections of listeners are ignored, and a removed listener gets no events", async () => {
    const server = serverWith();
    server.tool("t", {}, () => {
      throw new Error("broken");
    });
    server.onEvent(() => {
      throw new Error("listener");
    });
    server.onEvent((async () => Promise.reject(new Error("listener"))) as () => void);
    const events: ServerEvent[] = [];
    const remove = server.onEvent((event) => events.push(event));
    const theirs: ClientEvent[] = [];
    const client = await clientOf(server, wire, revision, {
      onEvent: (event) => {
        theirs.push(event);
        throw new Error("listener");
      },
    });
    expect((await client.callTool("t")).isError).toBe(true);
    expect(only(events, "handler-error")).toHaveLength(1);
    remove();
    expect((await client.callTool("t")).isError).toBe(true);
    expect(only(events, "handler-error")).toHaveLength(1);
    expect(theirs.map(({ type }) => type)).toEqual(["connection-opening", "connection-opened"]);
    await client.close();
    expect(theirs.at(-1)).toMatchObject({ type: "connection-closed" });
  });

  test("both sides report failed questions", async () => {
    const server = serverWith();
    const form = { message: "?", requestedSchema: { type: "object", properties: {} } } as const;
    server.tool("form", {}, async (_, { ask }) => (await ask.elicit("k", form)).action);
    const thrown = new Error("no screen");
    const client = await clientOf(server, wire, revision, {
      elicit: () => {
        throw thrown;
      },
    });
    const events = eventsOf<ClientEvent>(client);
    await client.callTool("form").catch(() => undefined);
    expect(only(events, "handler-error")).toMatchObject([{ method: "elicitation/create", error: thrown }]);
  });
});

test.each(eras)("the option onEvent and server.onEvent report the same errors (%s)", async (revision) => {
  const errors: unknown[] = [];
  const server = serverWith({
    onEvent: heard({ handlerError: (error, { method, name }) => errors.push([error, method, name]) }),
  });
  const events = eventsOf<ServerEvent>(server);
  const thrown = new Error("broken");
  const fails = (): never => {
    throw thrown;
  };
  server.tool("t", {}, fails);
  server.prompt("p", {}, () => Promise.reject(thrown));
  server.resourceTemplate("x://{a}", { list: fails }, fails);
  server.on("notifications/acme/a", {}, fails);
  const client = await clientOf(server, "memory", revision);
  await client.callTool("t");
  await failureOf(client.getPrompt("p"));
  await client.listResources();
  await failureOf(client.readResource("x://1"));
  await client.notify("notifications/acme/a", {});
  await settled();
  expect(errors).toEqual([
    [thrown, "tools/call", "t"],
    [thrown, "prompts/get", "p"],
    [thrown, "resources/list", "x://{a}"],
    [thrown, "resources/read", "x://1"],
    [thrown, "notifications/acme/a", undefined],
  ]);
  const reported = only(events, "handler-error") as { error: unknown; method: string; name?: string }[];
  expect(reported.map(({ error, method, name }) => [error, method, name])).toEqual(errors);
});

test.each(eras)("a method without a handler is reported (%s)", async (revision) => {
  const server = serverWith();
  const events = eventsOf<ServerEvent>(server);
  const client = await clientOf(server, "memory", revision);
  await failureOf(client.request("acme/x", {}, { result: {} } as never));
  expect(only(events, "request-refused")).toMatchObject([{ reason: "method", method: "acme/x" }]);
});

test("an ask without an answer is reported when it times out", async () => {
  const clock = new VirtualClock();
  const server = serverWith({ clock, timeouts: { timeout: 200 } });
  server.tool("t", {}, async (_, { ask }) => String(await ask.roots("k")));
  const events = eventsOf<ServerEvent>(server);
  let asked!: () => void;
  const isAsked = new Promise<void>((resolve) => (asked = resolve));
  const roots = (): Promise<[]> => new Promise(() => asked());
  const client = await clientOf(server, "memory", "2025-11-25", { roots });
  const result = client.callTool("t");
  await isAsked;
  await clock.advance(200);
  await result;
  expect(only(events, "request-timed-out")).toMatchObject([
    { direction: "outgoing", method: "roots/list", error: { code: "timeout", data: { limit: 200 } } },
  ]);
});

test("a client reports requests that time out, and questions beyond its limits", async () => {
  const clock = new VirtualClock();
  const server = serverWith();
  let run!: () => void;
  const runs = new Promise<void>((resolve) => (run = resolve));
  server.tool("slow", {}, () => new Promise<string>(() => run()));
  const form = { message: "?", requestedSchema: { type: "object", properties: {} } } as const;
  server.tool("asks", {}, async (_, { ask }) => {
    await Promise.all(Array.from({ length: 33 }, (_, index) => ask.elicit(`${index}`, form)));
    return "done";
  });
  const elicit = () => ({ action: "cancel" }) as const;
  const client = await clientOf(server, "memory", "2026-07-28", { clock, elicit });
  const events = eventsOf<ClientEvent>(client);
  expect(await failureOf(client.callTool("asks"))).toMatchObject({ code: "limit-exceeded" });
  const failure = failureOf(client.callTool("slow", {}, { timeout: 300 }));
  await runs;
  await clock.advance(300);
  await failure;
  expect(events).toMatchObject([
    { type: "limit-hit", limit: "limits.maxRoundQuestions", method: "tools/call" },
    { type: "request-timed-out", direction: "outgoing", method: "tools/call", error: { code: "timeout" } },
  ]);
});

test("a client reports each connection, and each request that it sends again", async () => {
  const server = serverWith();
  server.tool("t", {}, () => "done");
  const events: ClientEvent[] = [];
  let far!: ReturnType<typeof memoryChannels>[1];
  const client = await connect(
    () => {
      const [near, other] = memoryChannels();
      server.connect((far = other));
      return near;
    },
    { revisions: clientRevisions, onEvent: (event) => events.push(event), http: { resend: "always" } },
  );
  onTestFinished(() => client.close());
  await far.close();
  await settled();
  await client.callTool("t");
  expect(events.map((event) => [event.type, "earlier" in event ? event.earlier : ""])).toEqual([
    ["connection-opening", 0],
    ["connection-opened", ""],
    ["connection-closed", ""],
    ["connection-opening", 1],
    ["connection-opened", ""],
  ]);
});

test("a client reports a request that it sends again", async () => {
  const server = serverWith();
  server.tool("t", {}, () => "done");
  const handler = createHttpHandler(server);
  onTestFinished(() => handler.close());
  const client = await connect("http://localhost/mcp", {
    revisions: clientRevisions,
    revision: "2025-11-25",
    http: { fetch: (url, init) => handler.fetch(new Request(url, init)) },
  });
  onTestFinished(() => client.close());
  const events = eventsOf<ClientEvent>(client);
  for (const { id } of handler.sessions) await handler.sessions.end(id);
  await client.callTool("t");
  const retried = { type: "request-retried", method: "tools/call", reason: "session", pauseMs: 0 };
  expect(only(events, "request-retried")).toMatchObject([{ ...retried, error: { code: "session-lost" } }]);
});

describe("over HTTP", () => {
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const initialize = {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } },
  };
  const toolsList = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/list",
    params: {
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    },
  };

  /** A handler, its events, and a function that posts to it. */
  function served(options: HttpOptions, server: Server = serverWith()) {
    const handler = createHttpHandler(server, options);
    onTestFinished(() => handler.close());
    const events = eventsOf<ServerEvent>(server);
    const send = (message: unknown, more: Record<string, string> = {}): Promise<Response> => {
      const modern =
        message === toolsList ? { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list" } : {};
      return handler.fetch(
        new Request("http://localhost/mcp", {
          method: "POST",
          headers: { host: "localhost", ...headers, ...modern, ...more } as Record<string, string>,
          body: JSON.stringify(message),
        }),
      );
    };
    return { events, send, server };
  }

  test("refused hosts, origins and credentials", async () => {
    const { events, send } = served({
      authenticate: ({ header }) =>
        header("authorization") === "Bearer ada"
          ? { principal: "ada" }
          : { status: 401, text: "who are you?" },
    });
    await send(initialize, { host: "evil.example" });
    await send(initialize, { origin: "https://evil.example" });
    await send(initialize);
    expect((await send(initialize, { authorization: "Bearer ada" })).status).toBe(200);
    expect(events).toMatchObject([
      {
        type: "request-refused",
        reason: "host",
        status: 403,
        message: expect.stringContaining("evil.example") as string,
      },
      { type: "request-refused", reason: "origin", status: 403 },
      { type: "request-refused", reason: "credentials", status: 401, message: "who are you?" },
      { type: "session-created", principal: "ada" },
    ]);
  });

  test("sessions that expire, are evicted and end", async () => {
    const clock = new VirtualClock();
    const { events, send } = served(
      { limits: { sessions: 2 }, sessions: { idleMs: 1000 } },
      serverWith({ clock }),
    );
    const open = async (): Promise<string> => (await send(initialize)).headers.get("mcp-session-id")!;
    const first = await open();
    const second = await open();
    const third = await open();
    await clock.advance(2000);
    expect(events.map((event) => [event.type, (event as { sessionId: string }).sessionId])).toEqual([
      ["session-created", first],
      ["session-created", second],
      ["session-evicted", first],
      ["session-created", third],
      ["session-expired", second],
      ["session-expired", third],
    ]);
  });

  test("the limit of one body", async () => {
    const { events, send } = served({ bodyLimit: 50 });
    expect((await send(toolsList)).status).toBe(413);
    expect(events).toMatchObject([{ type: "limit-hit", limit: "bodyLimit", principal: "" }]);
  });

  test("the limit of running requests", async () => {
    const server = serverWith();
    const ends: (() => void)[] = [];
    server.handle("tools/list", () => new Promise((resolve) => ends.push(() => resolve({ tools: [] }))));
    server.tool("t", {}, () => "");
    const { events, send } = served({ limits: { work: 1 } }, server);
    const running = send(toolsList);
    while (ends.length === 0) await settled();
    expect((await send(toolsList)).status).toBe(503);
    ends.splice(0).forEach((end) => end());
    await running;
    expect(only(events, "limit-hit")).toMatchObject([{ limit: "limits.work", principal: "" }]);
  });

  test("the limit of sessions", async () => {
    const server = serverWith();
    const ends: (() => void)[] = [];
    server.handle("tools/list", () => new Promise((resolve) => ends.push(() => resolve({ tools: [] }))));
    server.tool("t", {}, () => "");
    const { events, send } = served({ limits: { sessions: 1 } }, server);
    const session = (await send(initialize)).headers.get("mcp-session-id")!;
    const listed = send(
      { jsonrpc: "2.0", id: 2, method: "tools/list" },
      { "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" },
    );
    while (ends.length === 0) await settled();
    // The session has a client, so that none takes its place.
    expect((await send(initialize)).status).toBe(503);
    ends.splice(0).forEach((end) => end());
    await listed;
    expect(only(events, "limit-hit")).toMatchObject([{ limit: "limits.sessions", principal: "" }]);
  });
});

test("a listener that is added by a listener gets only later events", async () => {
  const server = serverWith();
  let calls = 0;
  const listen = (): void => {
    calls++;
    server.onEvent(listen);
  };
  server.onEvent(listen);
  const [, far] = memoryChannels();
  server.connect(far);
  expect(calls).toBe(1);
  await server.close();
});

describe("warnings and errors are written to standard error", () => {
  const listeners: readonly (readonly [string, (() => unknown) | undefined, isWritten: boolean])[] = [
    ["without onEvent", undefined, true],
    ["if onEvent returns nothing", () => undefined, true],
    ["but not if onEvent returns true", () => true, false],
  ];

  /** The lines that are written while some work runs. */
  async function written(work: () => Promise<unknown>): Promise<readonly string[]> {
    const print = vi.spyOn(console, "error").mockImplementation(() => undefined);
    onTestFinished(() => print.mockRestore());
    await work();
    return print.mock.calls.map(([text]) => String(text).split("\n")[0]!);
  }

  test.each(listeners)("of a server, %s", async (_, onEvent, isWritten) => {
    const server = createServer(
      { name: "s", version: "1" },
      { revisions: serverRevisions, ...(onEvent && { onEvent }) },
    );
    server.tool("t", {}, () => {
      throw new Error("broken");
    });
    const client = await clientOf(server, "memory", "2026-07-28");
    expect(await written(() => client.callTool("t"))).toEqual(
      isWritten ? ['tools/call "t": Error: broken'] : [],
    );
  });

  test.each(listeners)("of a client, %s", async (_, onEvent, isWritten) => {
    const server = serverWith({ validation: { send: "off" } });
    server.tool("t", {}, async (_, { ask }) => (await ask.roots("k")).length.toString());
    server.prompt("p", {}, () => "p");
    server.handle("prompts/list", () => ({ prompts: [{ name: 1 }] }) as never);
    const client = await connect(await sourceOf(server, "memory"), {
      revisions: clientRevisions,
      revision: "2025-11-25",
      ...(onEvent && { onEvent }),
      roots: () => {
        throw new Error("broken");
      },
    });
    onTestFinished(() => client.close());
    const lines = await written(async () => {
      await client.listPrompts();
      await client.callTool("t").catch(() => undefined);
    });
    expect(lines).toEqual(
      isWritten ? [expect.stringContaining("prompts/list") as string, "roots/list: Error: broken"] : [],
    );
  });
});
