// Mistakes of an author are refused at once, with their place and the next step.
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import {
  type CodeFirstServer,
  type McpError,
  type ServerSession,
  connect,
  createServer,
  memoryChannels,
  errorTable,
} from "@mcpgen/runtime";
import { createHttpHandler } from "@mcpgen/runtime/http";
import { rateLimit } from "@mcpgen/observe";
import { requestLog } from "@mcpgen/observe";
import { describe, expect, test } from "vitest";
import { failureOf } from "../support/failure-of.js";
import { heard } from "../support/heard.mjs";
import { clientOf, eras, routes, serverWith } from "../support/served.js";

/** The message of the `invalid-definition` that some work throws. */
function refusalOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    expect((error as McpError).code).toBe("invalid-definition");
    return (error as McpError).message;
  }
  return "accepted";
}

const handler = () => ({});

describe("options with wrong values", () => {
  const made = (options: object): string =>
    refusalOf(() => createServer({ name: "s", version: "1" }, { revisions: serverRevisions, ...options }));

  test.each<[object, string]>([
    [{ lists: { pageSize: "5" } }, 'lists.pageSize: expected a whole number from 1, got "5".'],
    [{ lists: { pageSize: 1.5 } }, "lists.pageSize: expected a whole number from 1, got 1.5."],
    [{ lists: { cache: 5 } }, "lists.cache: expected an object, got 5."],
    [
      { revisions: ["2025-11-25"] },
      "revisions: expected tables such as serverRevisions; revision (client) or revisions.speaks (server) takes ids.",
    ],
    [
      { revisions: "2026-07-28" },
      'revisions: expected a list, or an object with known, speaks, vocabulary, got "2026-07-28".',
    ],
    [
      { revisions: { known: serverRevisions, speaks: "2026-07-28" } },
      'revisions.speaks: expected a list, got "2026-07-28".',
    ],
    [{ errors: errorTable({}) }, "errors: expected { table: errorTable({ … }) }."],
    [{ errors: { table: {} } }, "errors.table: expected errorTable({ … }), got {}."],
    [{ timeouts: true }, "timeouts: expected an object, got true."],
    [{ clock: {} }, "clock: expected an object with the functions now, schedule, clear, got {}."],
    [{ clock: null }, "clock: expected an object with the functions now, schedule, clear, got null."],
    [{ state: { store: {} } }, "state.store: expected an object with the function use, got {}."],
    [{ changes: [] }, "changes: expected an object with the functions publish, subscribe, got []."],
  ])("createServer %j", (options, message) => {
    expect(made(options)).toBe(message);
  });

  test.each<[unknown, string]>([
    [null, "options: expected an object, got null."],
    [5, "options: expected an object, got 5."],
    [
      { sessions: { store: { get: handler } } },
      "sessions.store: expected an object with the functions get, set, touch, delete, got {}.",
    ],
    [{ events: {} }, "events: expected an object with the functions append, after, drop, got {}."],
  ])("createHttpHandler %j", (options, message) => {
    expect(refusalOf(() => createHttpHandler(serverWith(), options as object))).toBe(message);
  });

  test.each<[unknown, string]>([
    [undefined, "rateLimit: expected an object, got undefined."],
    [{}, "rateLimit: expected calls or sampling, or both."],
    [{ per: "principal" }, "rateLimit: expected calls or sampling, or both."],
  ])("rateLimit %j", (options, message) => {
    expect(refusalOf(() => rateLimit(options as object))).toBe(message);
  });

  test.each([null, undefined, 5])("errorTable %j", (overrides) => {
    const expected = `errors.table: expected an object, got ${String(overrides)}.`;
    expect(made({ errors: { table: errorTable(overrides as never) } })).toBe(expected);
  });

  test.each([undefined, 5, {}, [null], [{}], [{ method: 5 }]])("batch %j", async (messages) => {
    const [near, far] = memoryChannels();
    createServer({ name: "s", version: "1" }, { revisions: serverRevisions }).connect(far);
    const client = await connect(near, { revisions: clientRevisions, revision: "2025-03-26" });
    const message = "batch: expected a list of objects with a method";
    expect(await failureOf(client.batch(messages as never))).toMatchObject({
      code: "invalid-definition",
      message,
    });
    await client.close();
  });

  test("requestLog", () => {
    expect(refusalOf(() => requestLog(null as never))).toBe("options: expected an object, got null.");
  });

  test.each<[object, string]>([
    [{ use: [5] }, "use: expected a function, got number."],
    [{ use: [undefined] }, "use: expected a function, got undefined."],
    [{ roots: 5 }, "roots: expected a list or a function, got 5."],
    [{ http: true }, "http: expected an object, got true."],
    [{ clock: {} }, "clock: expected an object with the functions now, schedule, clear, got {}."],
    [
      { signal: {} },
      "signal: expected an object with the functions addEventListener, removeEventListener, got {}.",
    ],
  ])("connect %j", async (options, message) => {
    const [near] = memoryChannels();
    const failure = await failureOf(connect(near, { revisions: clientRevisions, ...options }));
    expect(failure).toMatchObject({ code: "invalid-definition", message });
  });
});

describe("registrations", () => {
  const forVendors = "For a vendor method, pass schemas, or {}.";

  test.each<[string, (server: CodeFirstServer) => unknown, string]>([
    [
      "no handler",
      (server) => server.handle("ping", undefined as never),
      "ping: expected a function, got undefined.",
    ],
    [
      "no handler after schemas",
      (server) => server.handle("acme/x", {}, undefined as never),
      "acme/x: expected a function, got object.",
    ],
    [
      "a text as handler",
      (server) => server.handle("acme/x", {}, "x" as never),
      "acme/x: expected a function, got string.",
    ],
    [
      "a text as listener",
      (server) => server.on("acme/x", {}, "x" as never),
      "acme/x: expected a function, got string.",
    ],
    [
      "a vendor method without schemas",
      (server) => server.handle("acme/x", handler),
      `"acme/x" is not a client request of any given revision. ${forVendors}`,
    ],
    [
      "a notification as request",
      (server) => server.handle("notifications/initialized", {}, handler),
      "notifications/initialized is a notification: register it with on.",
    ],
    [
      "a request as notification",
      (server) => server.on("tools/call", () => {}),
      "tools/call is a request: register it with handle.",
    ],
    [
      "what the runtime handles",
      (server) => server.on("notifications/cancelled", () => {}),
      "notifications/cancelled: the runtime handles it. Use the signal or onProgress of the request.",
    ],
    ["no middleware", (server) => server.use(5 as never), "use: expected a function, got number."],
    ["no listener", (server) => server.onEvent({} as never), "onEvent: expected a function, got object."],
  ])("of a server: %s", (_, register, message) => {
    expect(refusalOf(() => register(serverWith()))).toBe(message);
  });

  test.each<[string, (client: Awaited<ReturnType<typeof clientOf>>) => unknown, string]>([
    [
      "no handler",
      (client) => client.handle("acme/x", undefined as never),
      "acme/x: expected a function as its handler",
    ],
    [
      "a text as listener",
      (client) => client.on("acme/x", {} as never, "x" as never),
      "acme/x: expected a function, got string.",
    ],
    [
      "no listener",
      (client) => client.on("acme/x", undefined as never),
      "acme/x: expected a function, got undefined.",
    ],
    [
      "what the runtime handles",
      (client) => client.on("notifications/progress", () => {}),
      "notifications/progress: the runtime handles it. Use the signal or onProgress of the request.",
    ],
    [
      "ping",
      (client) => client.handle("ping", handler),
      "ping is a method of the protocol. The client answers it.",
    ],
    [
      "the same method twice",
      (client) => [client.handle("acme/x", handler), client.handle("acme/x", handler)],
      "acme/x has a handler already. Remove it first.",
    ],
    ["no middleware", (client) => client.use(undefined as never), "use: expected a function, got undefined."],
  ])("of a client: %s", async (_, register, message) => {
    const client = await clientOf(serverWith(), "memory", "2026-07-28");
    expect(refusalOf(() => register(client))).toBe(message);
  });

  test.each(eras)("the last handler of a method on a server counts (%s)", async (revision) => {
    const server = serverWith();
    server.handle("acme/x", {}, () => ({ from: "first" }));
    server.handle("acme/x", {}, () => ({ from: "last" }));
    const client = await clientOf(server, "memory", revision);
    expect(await client.request("acme/x", {}, { result: {} })).toMatchObject({ from: "last" });
  });
});

describe.each(routes)("over %s at %s", (wire, revision) => {
  test.each<[string, (next: () => unknown) => unknown]>([
    ["nothing", () => undefined],
    ["a number", () => 5],
    ["a promise of null", () => Promise.resolve(null)],
    ["nothing after next", async (next) => void (await next())],
  ])("middleware that returns %s is named in the error, on both sides", async (_, answer) => {
    const errors: string[] = [];
    const server = serverWith({
      onEvent: heard({ handlerError: (error) => void errors.push((error as Error).message) }),
    });
    server.tool("t", {}, () => "done");
    const wrong = (request: { readonly method: string }, next: () => unknown): never =>
      (request.method === "tools/call" ? answer(next) : next()) as never;
    const client = await clientOf(server, wire, revision);
    const removeOfClient = client.use(wrong);
    expect(await failureOf(client.callTool("t"))).toMatchObject({
      code: "invalid-result",
      message: "tools/call: middleware returned no object: return what next gives",
    });
    removeOfClient();
    server.use(wrong);
    expect(await failureOf(client.callTool("t"))).toMatchObject({ code: "remote-error", rpcCode: -32603 });
    expect(errors).toEqual(["the result of the handler or middleware of tools/call is not an object"]);
  });

  test("middleware may call next twice, and later than it answers", async () => {
    const server = serverWith();
    let calls = 0;
    server.tool("t", {}, () => String(++calls));
    const remove = server.use(async (request, next) => {
      if (request.method !== "tools/call") return next();
      await next();
      return next();
    });
    const client = await clientOf(server, wire, revision);
    expect((await client.callTool("t")).content).toEqual([{ type: "text", text: "2" }]);
    remove();
    let late: unknown;
    server.use(async (request, next) => {
      if (request.method !== "tools/call") return next();
      late = new Promise((resolve) => setTimeout(() => resolve(next()), 1));
      return { content: [{ type: "text", text: "early" }] };
    });
    expect((await client.callTool("t")).content).toEqual([{ type: "text", text: "early" }]);
    expect(await late).toMatchObject({ content: [{ type: "text", text: "3" }] });
    expect(server.stats().gauges.requests).toBe(0);
  });

  test("a message sent after the end is refused, or has no effect", async () => {
    const server = serverWith({ capabilities: { logging: {} } });
    let session: ServerSession | undefined;
    let late: (() => void) | undefined;
    server.tool("t", {}, (_, context) => {
      session = context.session;
      late = () => {
        context.notify("acme/late");
        context.progress(1);
        context.log("error", "late");
      };
      return "done";
    });
    const client = await clientOf(server, wire, revision);
    const heard: string[] = [];
    client.on("*", (_, method) => void heard.push(method));
    await client.callTool("t");
    late!();
    await client.callTool("t");
    expect(heard).toEqual([]);
    await client.close();
    await session!.closed;
    session!.notify("acme/late");
    session!.log("error", "late");
    server.notify("acme/late");
    const code = revision === "2026-07-28" ? "missing-capability" : "connection-closed";
    expect(await failureOf(session!.ping())).toMatchObject({ code });
    for (const work of [
      () => client.callTool("t"),
      () => client.notify("acme/late"),
      () => client.request("acme/late", {}, { result: {} }),
      () => client.rootsChanged(),
    ])
      expect(await failureOf(work())).toMatchObject({ code: "connection-closed" });
    await client.close();
    await server.close();
    await server.close();
  });
});
