import { describe, expect, expectTypeOf, onTestFinished, test } from "vitest";
import { z } from "zod";
import { clientRevisions } from "@mcpgen/protocol";
import type { CodeFirstServer, ServerSession } from "@mcpgen/runtime";
import { MemorySessionStore } from "@mcpgen/runtime/http";
import { createTestPair } from "@mcpgen/testing";
import { serve } from "../../support/http-adapters.js";
import { Party, messagesOf } from "../../support/raw-http-client.js";
import { type Members, type Raw, type Wired, clientOf, raw, served } from "../../support/raw-stdio-client.js";

const legacy = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const;
const roots = [{ uri: "file:///x" }];
const said = { role: "assistant", model: "m", content: { type: "text", text: "hello" } } as const;
const listing = { roots: { listChanged: true }, sampling: {}, elicitation: {} };
const answers = {
  ping: () => ({ result: {} }),
  "roots/list": () => ({ result: { roots } }),
  "sampling/createMessage": () => ({ result: said }),
  "elicitation/create": () => ({ result: { action: "accept", content: { ok: true } } }),
  "acme/where": ({ params }: Wired) => ({ result: { at: params!["of"] as string } }),
};
const form = {
  message: "?",
  requestedSchema: { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] },
} as const;

/** A client with an open session, and the server's object for it. */
async function open(
  revision: string,
  capabilities: Members = listing,
  define: (server: CodeFirstServer) => void = () => {},
): Promise<Raw & { readonly session: ServerSession }> {
  const made = await raw(revision, define, capabilities, { capabilities: { logging: {} } });
  made.client.answers = answers;
  await made.client.settled();
  const [session] = made.server.sessions;
  return { ...made, session: session! };
}

describe.each(legacy)("at %s, outside of any request of the client", (revision) => {
  test("a session sends every request of the server", async () => {
    const { session, client } = await open(revision);
    await session.ping();
    expect(await session.listRoots()).toEqual(roots);
    expect(await session.sample({ messages: [], maxTokens: 1 })).toEqual(said);
    expect(await session.request("acme/where", { of: 3 })).toMatchObject({ at: 3 });
    if (revision < "2025-06-18")
      await expect(session.elicit(form)).rejects.toMatchObject({ code: "missing-capability" });
    else expect(await session.elicit(form)).toEqual({ action: "accept", content: { ok: true } });
    expect(client.of("ping")).toHaveLength(1);
  });

  test("it has the facts of the client, and reports the end of the connection", async () => {
    const { session, client } = await open(revision);
    expect(session).toMatchObject({ revision, era: "legacy", id: undefined, principal: "" });
    expect(session.clientInfo).toMatchObject({ name: "raw" });
    expect(session.clientCapabilities).toMatchObject({ sampling: {} });
    const pending = session.request("acme/never").catch((error: Error) => error);
    await client.next("acme/never");
    client.hangUp();
    await session.closed;
    expect(await pending).toMatchObject({ code: "connection-closed" });
    await session.closed;
    await expect(session.ping()).rejects.toMatchObject({ code: "connection-closed" });
  });

  test("a request that the client has not declared is not sent, and an invalid answer is refused", async () => {
    const { session, client } = await open(revision, { sampling: {} });
    await expect(session.listRoots()).rejects.toMatchObject({ code: "missing-capability" });
    client.answers = {
      "sampling/createMessage": () => ({ result: { role: "other" } }),
      ping: () => ({ error: { code: -32601, message: "no" } }),
    };
    await expect(session.sample({ messages: [], maxTokens: 1 })).rejects.toMatchObject({
      code: "invalid-result",
    });
    await expect(session.ping()).rejects.toMatchObject({ code: "remote-error" });
  });
});

test("a result schema parses the client's answer to a vendor request", async () => {
  const { session } = await open("2025-11-25");
  const at = { type: "object", properties: { at: { type: "number" } }, required: ["at"] } as const;
  const answer = await session.request("acme/where", { of: 3 }, { result: at });
  expectTypeOf(answer.at).toEqualTypeOf<number>();
  expect(answer.at).toBe(3);
  await expect(session.request("acme/where", { of: "3" }, { result: at })).rejects.toMatchObject({
    code: "invalid-result",
    message: 'acme/where: the result is invalid: at: expected number, got "3" (string)',
  });
  await expect(session.ping({ patient: 1 } as object)).rejects.toMatchObject({ code: "invalid-definition" });
});

test("requests are cancelled by signal and timeout, and report progress", async () => {
  const { session, client, clock } = await open("2025-11-25");
  const controller = new AbortController();
  const one = session.request("acme/slow", {}, { signal: controller.signal });
  const { id } = await client.next("acme/slow");
  controller.abort();
  await expect(one).rejects.toMatchObject({ code: "cancelled" });
  expect(await client.next("notifications/cancelled")).toMatchObject({ params: { requestId: id } });
  const seen: unknown[] = [];
  const other = session.request("acme/slow", {}, { timeout: 1000, onProgress: (each) => seen.push(each) });
  const { params } = await client.next("acme/slow", 2);
  await clock.advance(900);
  client.notify("notifications/progress", {
    progressToken: params!._meta!["progressToken"] as number,
    progress: 0.5,
  });
  await client.settled();
  await clock.advance(900);
  expect(seen).toMatchObject([{ progress: 0.5 }]);
  const failed = other.catch((error: Error) => error);
  await clock.advance(100);
  expect(await failed).toMatchObject({ code: "timeout" });
});

test("malformed progress of a client is ignored, and does not restart timeouts", async () => {
  const { session, client, clock } = await open("2025-11-25");
  const seen: unknown[] = [];
  const asked = session.request("acme/slow", {}, { timeout: 1000, onProgress: (each) => seen.push(each) });
  const failed = asked.catch((error: Error) => error);
  const { params } = await client.next("acme/slow");
  const progressToken = params!._meta!["progressToken"] as number;
  client.notify("notifications/progress", { progressToken, progress: 1, total: "2", message: 3 });
  await client.settled();
  await clock.advance(900);
  for (const progress of ["2", null, {}])
    client.notify("notifications/progress", { progressToken, progress });
  await client.settled();
  await clock.advance(100);
  expect(await failed).toMatchObject({ code: "timeout" });
  expect(seen).toEqual([{ progress: 1 }]);
});

test("roots are kept until the client reports a change, if it declares such reports", async () => {
  const { session, client } = await open("2025-11-25");
  const first = await session.listRoots();
  first.push({ uri: "file:///mine" });
  expect(await session.listRoots()).toEqual(roots);
  expect(client.of("roots/list")).toHaveLength(1);
  client.notify("notifications/roots/list_changed");
  await client.settled();
  expect(await session.listRoots()).toEqual(roots);
  expect(client.of("roots/list")).toHaveLength(2);
  // A change arrives before the answer, so the answer is not cached.
  client.notify("notifications/roots/list_changed");
  await client.settled();
  client.answers = {
    "roots/list": () => {
      client.notify("notifications/roots/list_changed");
      return { result: { roots: [] } };
    },
  };
  expect(await session.listRoots()).toEqual([]);
  await session.listRoots();
  expect(client.of("roots/list")).toHaveLength(4);
});

/** A tool that asks for roots in each way, and changes the lists that it gets. */
const asking = (server: CodeFirstServer): void =>
  void server.tool("where", {}, async (_, { ask, session }) => {
    const first = await ask.roots("a");
    first.push({ uri: "file:///mine" });
    const second = await ask.roots("b");
    const { all } = await ask.all({ all: { method: "roots/list" } });
    const rest = session.era === "legacy" ? [await session.listRoots()] : [];
    return [second, all.roots, ...rest].map((list) => list.map(({ uri }) => uri).join()).join(" ");
  });

test.each(legacy)("handlers and sessions share the kept roots (%s)", async (revision) => {
  const { client } = await raw(revision, asking, listing);
  client.answers = answers;
  const call = async () => (await client.call("where")).result!["content"][0].text as string;
  expect(await call()).toBe("file:///x file:///x file:///x");
  expect(await call()).toBe("file:///x file:///x file:///x");
  expect(client.of("roots/list")).toHaveLength(1);
  client.answers = { "roots/list": () => ({ result: { roots: [{ uri: "file:///y" }] } }) };
  client.notify("notifications/roots/list_changed");
  expect(await call()).toBe("file:///y file:///y file:///y");
  expect(client.of("roots/list")).toHaveLength(2);
});

test("roots of a session that other processes may share are requested each time", async () => {
  const { server } = served((own) =>
    own.tool("where", {}, async (_, { ask }) => String((await ask.roots("a")).length)),
  );
  const store = new MemorySessionStore();
  const { url } = await serve("node", server, { sessions: { store } });
  const party = await new Party(url, "2025-11-25", {}, listing).open();
  for (let count = 0; count < 2; count++) {
    const answer = await party.post(party.call("where"));
    await answer.until(() => messagesOf(answer).some(({ method }) => method === "roots/list"));
    const { id } = messagesOf(answer).find(({ method }) => method === "roots/list")!;
    await party.post({ jsonrpc: "2.0", id, result: { roots } });
    await answer.whole();
  }
});

test.each([
  ["does not report changes of its roots", { roots: {} }, roots],
  ["has more roots than one client may occupy", listing, [{ uri: `file:///${"x".repeat(200_000)}` }]],
])("a client that %s is asked each time", async (_, capabilities, list) => {
  const { session, client } = await open("2025-11-25", capabilities);
  client.answers = { "roots/list": () => ({ result: { roots: list } }) };
  await session.listRoots();
  expect(await session.listRoots()).toEqual(list);
  expect(client.of("roots/list")).toHaveLength(2);
});

test("notifications wait until the client is initialized, requests too, pings and logs do not", async () => {
  const { server } = served(() => {}, { capabilities: { logging: {} } });
  const client = await clientOf({ server }, "2026-07-28");
  client.revision = "2025-11-25";
  client.answers = answers;
  await client.request("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: listing,
    clientInfo: { name: "raw", version: "1" },
  });
  const [session] = server.sessions;
  const asked = session!.listRoots();
  session!.notify("notifications/acme/one", { n: 1 });
  session!.notify("notifications/acme/one", { n: 2 });
  await session!.ping();
  session!.log("info", "early");
  await client.settled();
  const methods = (): unknown[] => client.received.flatMap(({ method }) => method ?? []);
  expect(methods()).toEqual(["ping", "notifications/message"]);
  client.notify("notifications/initialized");
  expect(await asked).toEqual(roots);
  expect(methods().slice(2)).toEqual(["notifications/acme/one", "notifications/acme/one", "roots/list"]);
});

test("log follows the level that the client has set, also by notify", async () => {
  const { session, client } = await open("2025-11-25");
  await client.request("logging/setLevel", { level: "error" });
  session.log("info", "no");
  session.notify("notifications/message", { level: "info", data: "no" });
  session.log("error", { a: 1 }, "mine");
  expect(await client.next("notifications/message")).toMatchObject({
    params: { level: "error", data: { a: 1 }, logger: "mine" },
  });
  expect(client.of("notifications/message")).toHaveLength(1);
});

test.each(["2025-11-25", "2026-07-28"])(
  "log messages by notify of a context follow the client's level (%s)",
  async (revision) => {
    const { client } = await raw(
      revision,
      (own) =>
        own.handle("acme/log", {}, (_, { notify }) => {
          for (const level of ["debug", "error"]) notify("notifications/message", { level, data: level });
          return {};
        }),
      {},
      { capabilities: { logging: {} } },
    );
    const levels = () => client.of("notifications/message").map(({ params }) => params!["level"]);
    const isModern = revision === "2026-07-28";
    if (!isModern) await client.request("logging/setLevel", { level: "error" });
    await client.request("acme/log");
    expect(levels()).toEqual(isModern ? [] : ["error"]);
    await client.request("acme/log", { _meta: { "io.modelcontextprotocol/logLevel": "error" } });
    expect(levels()).toEqual(isModern ? ["error"] : ["error", "error"]);
  },
);

test("server.notify reaches all sessions; a protocol notification only those whose revision has it", async () => {
  const { server, warnings } = served((own) => void own.tool("t", {}, () => ""));
  const able = { elicitation: { url: {} } };
  const clients = await Promise.all(
    ["2024-11-05", "2025-11-25"].map((one) => clientOf({ server }, one, able)),
  );
  const modern = await clientOf({ server }, "2026-07-28");
  modern.start("subscriptions/listen", { notifications: { toolsListChanged: true } });
  await Promise.all([modern, ...clients].map((client) => client.settled()));
  server.notify("notifications/acme/news", { a: 1 });
  server.notify("notifications/tools/list_changed");
  server.notify("notifications/elicitation/complete", { elicitationId: "e" });
  server.notify("notifications/acme/news", { a: 1n });
  const [older, newer] = clients;
  await newer!.next("notifications/elicitation/complete");
  for (const client of clients) {
    expect(client.of("notifications/acme/news")).toMatchObject([{ params: { a: 1 } }]);
    expect(client.of("notifications/tools/list_changed")).toHaveLength(1);
  }
  expect(older!.of("notifications/elicitation/complete")).toEqual([]);
  await modern.next("notifications/tools/list_changed");
  // Between requests, a server sends only notifications of subscriptions (2026-07-28, subscriptions).
  expect(modern.of("notifications/acme/news")).toEqual([]);
  expect(warnings).toEqual([
    "notifications/acme/news is left out: Do not know how to serialize a BigInt",
    "notifications/acme/news is left out: Do not know how to serialize a BigInt",
  ]);
});

describe("in the modern era", () => {
  const inHandler = async (use: (session: ServerSession) => unknown): Promise<Wired> => {
    const { client, server } = await raw(
      "2026-07-28",
      (own) =>
        own.handle("acme/use", {}, async (_, { session, ...context }) => ({
          used: await use(session),
          same: context.sessionId === session.id,
        })),
      listing,
      { capabilities: { logging: {} } },
    );
    const answer = await client.request("acme/use", {
      _meta: { "io.modelcontextprotocol/logLevel": "info" },
    });
    expect([...server.sessions]).toEqual([]);
    await client.settled();
    return { ...answer, params: { methods: client.received.flatMap(({ method }) => method ?? []) } };
  };

  test.each<[string, (session: ServerSession) => Promise<unknown>]>([
    ["ping", (session) => session.ping()],
    ["request", (session) => session.request("acme/x")],
    ["listRoots", (session) => session.listRoots()],
    ["sample", (session) => session.sample({ messages: [], maxTokens: 1 })],
    ["elicit", (session) => session.elicit(form)],
  ])("%s rejects, and names the replacement", async (_, use) => {
    const { result, params } = await inHandler((session) =>
      use(session).catch(({ code, message }: Members) => ({ code, message }) as Members),
    );
    expect(result!["used"]).toMatchObject({
      code: "missing-capability",
      message: expect.stringMatching(
        /a server sends no requests at this revision\. .*context\.ask.*subscriptions/,
      ) as string,
    });
    expect(params!["methods"]).toEqual([]);
  });

  test("notify and log belong to the request, and end with it", async () => {
    let kept: ServerSession | undefined;
    const { result, params } = await inHandler((session) => {
      kept = session;
      session.notify("notifications/acme/step", { n: 1 });
      session.log("info", "x");
      return { era: session.era, id: session.id ?? "none", name: session.clientInfo?.name };
    });
    expect(result!["used"]).toEqual({ era: "modern", id: "none", name: "raw" });
    expect(params!["methods"]).toEqual(["notifications/acme/step", "notifications/message"]);
    kept!.notify("notifications/acme/step", { n: 2 });
    kept!.log("info", "late");
  });
});

describe.each(["node", "fetch"] as const)("over HTTP (%s)", (adapter) => {
  test("a request outside of any client request goes on the GET stream, and waits for one", async () => {
    const { server, clock } = served(() => {});
    const { url } = await serve(adapter, server);
    const party = await new Party(url, "2025-11-25", {}, listing).open();
    const [session] = server.sessions;
    expect(session!.id).toBe(party.session);
    const asked = session!.listRoots();
    const late = session!.ping({ timeout: 10 }).catch((error: Error) => error);
    await clock.advance(10);
    expect(await late).toMatchObject({ code: "timeout" });
    const stream = await party.get();
    await stream.until(() => messagesOf(stream).some(({ method }) => method === "roots/list"));
    const [request, ...more] = messagesOf(stream);
    expect(more).toEqual([]);
    await party.post({ jsonrpc: "2.0", id: request!.id, result: { roots } });
    expect(await asked).toEqual(roots);
    session!.notify("notifications/acme/news");
    await stream.until(() => messagesOf(stream).some(({ method }) => method === "notifications/acme/news"));
    expect((await party.delete()).status).toBe(204);
    await session!.closed;
    expect([...server.sessions]).toEqual([]);
  });

  test("handlers read the headers that an option names, and the URL, in both eras", async () => {
    const { server } = served((own) =>
      own.handle("acme/where", {}, ({ wait }, { headers, url, sessionId, notify }) => {
        if (wait) notify("notifications/acme/wait");
        return { headers, path: new URL(url!, "http://x").search, sessionId: sessionId ?? "none" };
      }),
    );
    const { url } = await serve(adapter, server, { contextHeaders: ["X-Tenant", "x-none", "constructor"] });
    for (const revision of ["2025-11-25", "2026-07-28"]) {
      const party = await new Party(`${url}?a=1`, revision, { "x-tenant": "acme", "x-other": "1" }).open();
      for (const wait of [false, true]) {
        const { result } = await party.request("acme/where", { wait });
        expect(result).toMatchObject({
          headers: { "x-tenant": "acme" },
          path: "?a=1",
          sessionId: party.session ?? "none",
        });
        expect(Object.keys(result!["headers"] as object)).toEqual(["x-tenant"]);
      }
    }
  });
});

test("other transports have no headers and no URL", async () => {
  const { client } = await raw("2025-11-25", (own) =>
    own.handle("acme/where", {}, (_, { headers, url = "none" }) => ({ headers, url })),
  );
  expect((await client.request("acme/where")).result).toEqual({ headers: {}, url: "none" });
});

test("a server without HTTP sessions refuses requests to clients", async () => {
  const { server } = served((own) =>
    own.handle("acme/use", {}, async (_, { session }) => ({
      problem: await session.ping().catch(({ code, message }: Members) => `${code}: ${message}`),
    })),
  );
  const { url } = await serve("node", server, { sessions: false });
  const { result } = await new Party(url, "2025-06-18").request("acme/use");
  expect(result!["problem"]).toMatch(/^missing-capability: ping: .* keeps none\. /);
});

test.each(["2025-06-18", "2025-03-26"])(
  "without HTTP sessions, requests share no session (%s)",
  async (revision) => {
    const { server } = served(
      (own) =>
        own.handle("acme/who", {}, (_, { session }) => {
          session.notify("notifications/acme/here", { of: session.principal });
          session.log("info", session.principal);
          return { principal: session.principal, client: session.clientInfo?.name ?? "none" };
        }),
      { capabilities: { logging: {} } },
    );
    const { url } = await serve("node", server, {
      sessions: false,
      authenticate: ({ header }) => ({ auth: 1, principal: header("x-user")! }),
    });
    for (const user of ["ada", "bob"]) {
      const party = new Party(url, revision, { "x-user": user });
      const answer = await party.post(party.message("acme/who"));
      await answer.whole();
      expect(messagesOf(answer).map(({ params, result }) => params ?? result)).toEqual([
        { of: user },
        { level: "info", data: user },
        { principal: user, client: "none" },
      ]);
    }
  },
);

test("middleware that keeps the session of a handshake does not end it", async () => {
  const { client, server } = await (async () => {
    const made = served((own) => {
      own.tool("t", {}, () => "here");
      own.use(({ context }, next) => {
        expect(context).toHaveProperty("session.principal", "");
        return next();
      });
    });
    return { ...made, client: await clientOf(made, "2025-11-25") };
  })();
  const [session] = server.sessions;
  session!.notify("notifications/acme/late", {});
  expect(await client.next("notifications/acme/late")).toBeDefined();
});

test("middleware runs around vendor requests, and around requests of a session", async () => {
  const { session, client, server } = await open("2025-11-25", listing, (own) =>
    own.handle("acme/sum", {}, ({ n }) => ({ n })),
  );
  const seen: unknown[] = [];
  server.use<"acme/sum">(({ direction, method, params, context }, next) => {
    seen.push({ direction, method, isSession: context.session === session });
    return next(method === "acme/sum" ? { ...params, n: 2 } : params);
  });
  expect((await client.request("acme/sum", { n: 1 })).result).toEqual({ n: 2 });
  expect(await session.listRoots()).toEqual(roots);
  expect(seen).toEqual([
    { direction: "incoming", method: "acme/sum", isSession: true },
    { direction: "outgoing", method: "roots/list", isSession: true },
  ]);
});

test.each(["2025-11-25", "2026-07-28"])(
  "in memory, a client of this runtime calls vendor methods, and answers them (%s)",
  async (revision) => {
    const { server } = served((own) => {
      own.handle("acme/sum", { params: z.object({ n: z.number() }) }, async ({ n }, { session, notify }) => {
        notify("notifications/acme/step", { n });
        const more =
          session.era === "legacy"
            ? await session.request("acme/more", { n }, { result: z.object({ more: z.number() }) })
            : { more: 1 };
        return { sum: n + more.more };
      });
    });
    const { client, close } = await createTestPair({ server, revisions: clientRevisions, revision });
    onTestFinished(close);
    const steps: number[] = [];
    client.handle("acme/more", { params: z.object({ n: z.number() }) }, ({ n }) => ({ more: n * 10 }));
    client.on("notifications/acme/step", { params: z.object({ n: z.number() }) }, ({ n }) => {
      steps.push(n);
    });
    const { sum } = await client.request("acme/sum", { n: 2 }, { result: z.object({ sum: z.number() }) });
    expect(sum).toBe(revision === "2025-11-25" ? 22 : 3);
    await expect.poll(() => steps).toEqual([2]);
  },
);

test("a handler's session is the session of the connection", async () => {
  let mine: ServerSession | undefined;
  const { session, client } = await open("2025-11-25", listing, (own) => {
    own.tool("t", {}, async (_, { session: its }) => {
      mine = its;
      return JSON.stringify(await its.listRoots());
    });
    own.on("notifications/roots/list_changed", (_params, { session: its }) => {
      mine = its;
    });
  });
  await client.call("t");
  expect(mine).toBe(session);
  mine = undefined;
  client.notify("notifications/roots/list_changed");
  await client.settled();
  expect(mine).toBe(session);
});
