import { clientRevisions } from "@mcpgen/protocol";
import { type AuthorizeRequest, type Authorizer, connect } from "@mcpgen/runtime";
import { expect, onTestFinished, test } from "vitest";
import { failureOf } from "../../../support/failure-of.js";
import {
  type Incoming,
  type Script,
  type ScriptedHttp,
  clientOf,
  scripted,
} from "../../../support/scripted-http-server.js";

const modern = "2026-07-28";
const legacy = "2025-11-25";

/** An authorizer that records its calls, and returns a header for each attempt. */
function recorded(more: Partial<Authorizer> = {}) {
  const asked: AuthorizeRequest[] = [];
  const authorizer: Authorizer = {
    authorize(request) {
      asked.push(request);
      return { authorization: `Bearer ${request.attempt}` };
    },
    ...more,
  };
  return { asked, authorizer };
}

/** Answers a call after as many refusals. */
const after =
  (refusals: number): Script[string] =>
  (incoming, own) =>
    incoming.headers.authorization === `Bearer ${refusals}`
      ? incoming.reply(own.result({ content: [] }))
      : incoming.status(401, "no", { "www-authenticate": "DPoP", "dpop-nonce": `n${own.received.length}` });

test.each([modern, legacy])("an authorizer is asked for three more attempts (%s)", async (revision) => {
  const server = await scripted(revision, { "tools/call": after(3) });
  const { asked, authorizer } = recorded();
  const client = await clientOf(server.url, { revision, http: { authorize: authorizer } });
  await client.callTool("x");
  asked.splice(0, asked.length - 4);
  expect(asked.map(({ attempt, method, url, revision: id }) => [attempt, method, url, id])).toEqual(
    [0, 1, 2, 3].map((attempt) => [attempt, "POST", server.url, revision]),
  );
  expect(asked.map(({ refused }) => refused?.status)).toEqual([undefined, 401, 401, 401]);
  expect(asked[0]).not.toHaveProperty("refused");
  const nonces = asked.slice(1).map(({ refused }) => refused!.headers.get("dpop-nonce"));
  expect(new Set(nonces).size).toBe(3);
});

test("the fourth refusal is final, and so is one that the authorizer accepts", async () => {
  const server = await scripted(modern, {
    "tools/call": (incoming) =>
      incoming.status(403, "too few scopes", { "www-authenticate": 'Bearer error="x"' }),
  });
  for (const [sent, more] of [
    [4, {}],
    [
      2,
      {
        authorize: ({ attempt }: AuthorizeRequest) =>
          attempt < 2 ? { authorization: "Bearer 0" } : undefined,
      },
    ],
  ] as const) {
    const client = await clientOf(server.url, { http: { authorize: recorded(more).authorizer } });
    server.received.length = 0;
    expect(await failureOf(client.callTool("x"))).toMatchObject({
      code: "connection-closed",
      data: { status: 403, body: "too few scopes", challenge: 'Bearer error="x"' },
    });
    expect(server.of("tools/call")).toHaveLength(sent);
  }
});

test("a JSON-RPC error in an accepted refusal is the error of the request", async () => {
  const server = await scripted(modern, {
    "tools/call": (incoming) =>
      incoming.json(incoming.answer({ error: { code: -32010, message: "denied" } }), 403),
  });
  const authorize = ({ attempt }: AuthorizeRequest) => (attempt === 0 ? {} : undefined);
  const client = await clientOf(server.url, { http: { authorize: { authorize } } });
  expect(await failureOf(client.callTool("x"))).toMatchObject({ code: "remote-error", rpcCode: -32010 });
});

test("an error of an authorizer is the cause of authorize-failed, and nothing is sent", async () => {
  const server = await scripted(modern);
  const cause = new Error("login needed");
  let failing: "authorize" | "observe" | "" = "";
  const client = await clientOf(server.url, {
    http: {
      authorize: {
        authorize: () => {
          if (failing === "authorize") throw cause;
          return {};
        },
        observe: () => {
          if (failing === "observe") throw cause;
        },
      },
    },
  });
  for (const [member, sent] of [
    ["authorize", 0],
    ["observe", 1],
  ] as const) {
    failing = member;
    server.received.length = 0;
    expect(await failureOf(client.callTool("x"))).toMatchObject({ code: "authorize-failed", cause });
    expect(server.of("tools/call")).toHaveLength(sent);
  }
  failing = "";
});

test("the probe is authorized, and its response is observed", async () => {
  const seen: unknown[] = [];
  const server = await scripted(modern, {
    "server/discover": (incoming, own) =>
      incoming.headers.authorization === "Bearer 2"
        ? incoming.reply(own.result({ supportedVersions: [modern], capabilities: {} }), {
            "dpop-nonce": "next",
          })
        : incoming.status(401),
  });
  const { asked, authorizer } = recorded({
    observe: ({ status, headers, url }) => void seen.push([status, headers.get("dpop-nonce"), url]),
  });
  const client = await connect(server.url, { revisions: clientRevisions, http: { authorize: authorizer } });
  onTestFinished(() => client.close());
  expect(asked.map(({ attempt, revision }) => [attempt, revision])).toEqual([
    [0, modern],
    [1, modern],
    [2, modern],
  ]);
  expect(seen).toEqual([[200, "next", server.url]]);
});

test("the handshake names its revision to the authorizer; GET and DELETE are authorized, too", async () => {
  let refused = 0;
  const server = await scripted(legacy, {
    GET: (incoming) => void (refused++ === 0 ? incoming.status(401) : incoming.events()),
    DELETE: (incoming) => incoming.status(incoming.headers.authorization === "Bearer 1" ? 204 : 401),
  });
  const { asked, authorizer } = recorded();
  const client = await clientOf(server.url, { revision: legacy, http: { authorize: authorizer } });
  await client.callTool("x");
  await client.close();
  const steps = asked.map(({ method, attempt, revision }) => `${method} ${attempt} ${revision}`);
  expect(steps[0]).toBe(`POST 0 ${legacy}`);
  expect(steps).toContain(`GET 1 ${legacy}`);
  expect(steps.slice(-2)).toEqual([`DELETE 0 ${legacy}`, `DELETE 1 ${legacy}`]);
});

test("HTTP+SSE: the stream and each message are authorized, at their own URLs", async () => {
  let stream: Incoming | undefined;
  const answer = (incoming: Incoming): void => {
    const { message } = incoming;
    if (incoming.path !== "/messages") return incoming.status(404);
    if (incoming.headers.authorization !== "Bearer 2") return incoming.status(401);
    incoming.status(202);
    if (message?.method === "initialize")
      stream!.event(
        incoming.answer({
          protocolVersion: "2024-11-05",
          capabilities: {},
          serverInfo: { name: "older", version: "1" },
        }),
      );
    else if (message?.id !== undefined) stream!.event(incoming.answer({}));
  };
  const server: ScriptedHttp = await scripted("2024-11-05", {
    GET: (incoming) =>
      incoming.headers.authorization === "Bearer 1"
        ? void (stream = incoming.events("event: endpoint\ndata: /messages\n\n"))
        : incoming.status(401),
    initialize: answer,
    "notifications/initialized": answer,
    ping: answer,
  });
  const { asked, authorizer } = recorded();
  const client = await clientOf(server.url, { revision: "2024-11-05", http: { authorize: authorizer } });
  await client.ping();
  const messages = new URL("/messages", server.url).href;
  expect(asked.filter(({ method }) => method === "GET").map(({ url, attempt }) => [url, attempt])).toEqual([
    [server.url, 0],
    [server.url, 1],
  ]);
  expect(asked.slice(-3).map(({ url, attempt }) => [url, attempt])).toEqual([
    [messages, 0],
    [messages, 1],
    [messages, 2],
  ]);
  await client.close();
});

test("a redirect on the same origin gets its own proof; no header goes to another origin", async () => {
  const other = await scripted(modern);
  let target = "";
  const server = await scripted(modern, {
    "tools/call": (incoming, own) =>
      incoming.path === "/mcp"
        ? incoming.status(307, "", { location: target })
        : incoming.reply(own.result({ content: [] })),
  });
  const { asked, authorizer } = recorded({
    authorize(request) {
      asked.push(request);
      return { dpop: `${request.method} ${request.url}` };
    },
  });
  const client = await clientOf(server.url, { http: { authorize: authorizer } });
  target = "/moved";
  await client.callTool("x");
  const moved = new URL("/moved", server.url).href;
  expect(server.of("tools/call").map(({ headers }) => headers["dpop"])).toEqual([
    `POST ${server.url}`,
    `POST ${moved}`,
  ]);
  expect(asked.slice(-2).map(({ url, attempt }) => [url, attempt])).toEqual([
    [server.url, 0],
    [moved, 0],
  ]);
  target = other.url;
  expect(await failureOf(client.callTool("x"))).toMatchObject({ data: { status: 307 } });
  expect(other.received).toEqual([]);
});

test("concurrent requests are authorized independently", async () => {
  const server = await scripted(modern, { "tools/call": after(1) });
  const { asked, authorizer } = recorded();
  const client = await clientOf(server.url, { http: { authorize: authorizer } });
  asked.length = 0;
  await Promise.all(Array.from({ length: 5 }, () => client.callTool("x")));
  expect(asked.filter(({ attempt }) => attempt === 0)).toHaveLength(5);
  expect(asked.filter(({ attempt }) => attempt === 1)).toHaveLength(5);
});

test("private results are cached by identity, and are not cached without one", async () => {
  let proofs = 0;
  let principal: string | undefined;
  const server = await scripted(modern, {
    "resources/read": (incoming, own) =>
      incoming.reply({
        ...own.result({ contents: [{ uri: "file:///a", text: `for ${principal}` }], ttlMs: 60_000 }),
        cacheScope: "private",
      }),
  });
  const authorize = () => ({ dpop: `${++proofs}` });
  const read = async (authorizer: Authorizer) => {
    const client = await clientOf(server.url, { http: { authorize: authorizer } });
    server.received.length = 0;
    const texts: string[] = [];
    for (principal of ["ada", "ada", "grace", "ada", undefined, undefined])
      texts.push(((await client.readResource("file:///a")).contents[0] as { text: string }).text);
    expect(texts).toEqual(["for ada", "for ada", "for grace", "for ada", "for undefined", "for undefined"]);
    return server.of("resources/read").length;
  };
  expect(await read({ authorize, identity: () => principal })).toBe(4);
  expect(await read({ authorize })).toBe(6);
});

test.each([3, "Bearer x", {}, null])("an invalid http.authorize is refused: %j", async (authorize) => {
  const connecting = connect("http://127.0.0.1:9/mcp", {
    revisions: clientRevisions,
    http: { authorize: authorize as never },
  });
  expect(await failureOf(connecting)).toMatchObject({
    code: "invalid-definition",
    message: expect.stringContaining("http.authorize: expected a function") as string,
  });
});

test("aborting a call ends the attempt after a refusal", async () => {
  const held: Incoming[] = [];
  let seen: () => void = () => undefined;
  const second = new Promise<void>((resolve) => (seen = resolve));
  const server = await scripted(modern, {
    "tools/call": (incoming) => {
      if (incoming.headers.authorization === "Bearer 0") return incoming.status(401);
      held.push(incoming);
      seen();
    },
  });
  const client = await clientOf(server.url, {
    revision: modern,
    http: { authorize: recorded().authorizer },
  });
  const controller = new AbortController();
  const call = failureOf(client.callTool("x", {}, { signal: controller.signal }));
  await second;
  controller.abort();
  expect(await call).toMatchObject({ code: "cancelled" });
  await held[0]!.closed;
});
