import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import {
  type CodeFirstServer,
  type ServerOptions,
  connect,
  createServer,
  memoryChannels,
  memoryStateStore,
} from "@mcpgen/runtime";
import { type HttpOptions, createHttpHandler } from "@mcpgen/runtime/http";
import { VirtualClock } from "@mcpgen/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { endpointOf } from "../../../../runtime/core/legacy/http/legacy-endpoint.js";
import { heard } from "../../../support/heard.mjs";
import { metaOf } from "../../../support/raw-stdio-client.js";
import { exchangeOf } from "./exchange-of.js";

type Answer = {
  readonly status: number;
  readonly session: string | null;
  readonly body: {
    readonly error?: { readonly code: number };
    readonly result?: { readonly content: readonly { readonly text: string }[] };
  };
};
type StateOptions = NonNullable<ServerOptions["state"]>;
type Post = (message: unknown, headers?: Record<string, string>) => Promise<Answer>;

function served(
  options: HttpOptions = {},
  warnings: string[] = [],
  state: StateOptions = {},
): { server: CodeFirstServer; post: Post } {
  const server = createServer(
    { name: "trust", version: "1.0.0" },
    {
      revisions: serverRevisions,
      onEvent: heard({ warning: (message) => void warnings.push(message) }),
      state,
    },
  );
  server.tool("whoami", {}, (_, { auth }) => JSON.stringify(auth ?? null));
  const handler = createHttpHandler(server, { keepAliveMs: 0, ...options });
  onTestFinished(() => handler.close());
  const post: Post = async (message, headers = {}) => {
    const response = await handler.fetch(
      new Request("http://localhost/mcp", {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json", ...headers },
        body: JSON.stringify(message),
      }),
    );
    const text = await response.text();
    const session = response.headers.get("mcp-session-id");
    return { status: response.status, session, body: text === "" ? {} : JSON.parse(text) };
  };
  return { server, post };
}

const initialize = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "raw", version: "1" },
  },
};
const whoami = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "whoami" } };

test("auth without a principal is refused, and the warning names the option", async () => {
  const warnings: string[] = [];
  // @ts-expect-error: it does not compile either.
  const { post } = served({ authenticate: () => ({ auth: "alice" }) }, warnings);
  const { status, session } = await post(initialize);
  expect([status, session]).toEqual([500, null]);
  expect(warnings).toEqual([expect.stringContaining("principal")]);
});

test("a session sees the auth of the request at hand", async () => {
  const { post } = served({
    authenticate: ({ header }) => ({ auth: { scope: header("x-scope") }, principal: "alice" }),
  });
  const { session } = await post(initialize, { "x-scope": "one" });
  const own = { "mcp-session-id": session!, "mcp-protocol-version": "2025-11-25" };
  for (const scope of ["two", "three"]) {
    const { body } = await post(whoami, { ...own, "x-scope": scope });
    expect(body.result?.content[0]?.text).toBe(JSON.stringify({ scope }));
  }
});

test.each([
  ["params are wrong", { ...initialize, params: {} }, 200],
  ["it is a notification", { jsonrpc: "2.0", method: "initialize", params: initialize.params }, 202],
])("an initialize that is refused opens no session: %s", async (_, message, expected) => {
  const { post } = served({ limits: { sessions: 1 } });
  const { status, session } = await post(message);
  expect([status, session]).toEqual([expected, null]);
  expect((await post(initialize)).session).not.toBeNull();
});

const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };

/** An endpoint with a tool that never settles, and a session in which it was called. */
async function forsaken(options: HttpOptions, calls: number) {
  const clock = new VirtualClock();
  const server = createServer({ name: "trust", version: "1.0.0" }, { revisions: serverRevisions, clock });
  let aborted = 0;
  server.tool("never", {}, (_, { signal }) => {
    signal.addEventListener("abort", () => aborted++);
    return new Promise<string>(() => {});
  });
  const endpoint = endpointOf(server, { keepAliveMs: 0, graceMs: 0, ...options });
  onTestFinished(() => endpoint.close());
  const send = (message: unknown, headers = {}) => {
    const exchange = exchangeOf("POST", { ...json, ...headers }, JSON.stringify(message));
    endpoint.handle(exchange);
    return exchange;
  };
  const session = { "mcp-session-id": send(initialize).session!, "mcp-protocol-version": "2025-11-25" };
  for (let id = 1; id <= calls; id++)
    send({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "never" } }, session).gone();
  return { clock, endpoint, send, session, aborted: () => aborted };
}

test("abandoned requests keep no client out", async () => {
  const { endpoint, send } = await forsaken({ limits: { work: 5 } }, 5);
  expect(endpoint.kept.requests).toBe(0);
  expect(send(initialize).status).toBe(200);
});

test("one session has so many requests at a time, whether anybody waits for them or not", async () => {
  const { send, session } = await forsaken({}, 256);
  expect(send({ jsonrpc: "2.0", id: 257, method: "ping" }, session).status).toBe(503);
  expect(send(initialize).status).toBe(200);
});

test("sessions whose clients are gone make room, those at work last", async () => {
  const { send, session, aborted } = await forsaken({ limits: { sessions: 2 } }, 1);
  const idle = send(initialize).session!;
  expect(send(initialize).status).toBe(200);
  expect(send({ jsonrpc: "2.0", id: 6, method: "ping" }, { ...session, "mcp-session-id": idle }).status).toBe(
    404,
  );
  expect(aborted()).toBe(0);
});

test("if every session only has abandoned work, the oldest is evicted", async () => {
  const { send, aborted } = await forsaken({ limits: { sessions: 1 } }, 2);
  expect(send(initialize).status).toBe(200);
  expect(aborted()).toBe(2);
});

test("a request whose session ends is not answered with 404: it has begun", async () => {
  const { endpoint, send, session } = await forsaken({}, 0);
  const call = send({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "never" } }, session);
  endpoint.handle(exchangeOf("DELETE", session));
  expect(call.status).toBe(503);
  expect(send({ jsonrpc: "2.0", id: 2, method: "ping" }, session).status).toBe(404);
});

test("an abandoned session ends with its work", async () => {
  const { clock, endpoint, send, session, aborted } = await forsaken({ sessions: { idleMs: 1000 } }, 5);
  await clock.advance(999);
  expect(send({ jsonrpc: "2.0", id: 6, method: "ping" }, session).status).toBe(200);
  await clock.advance(1000);
  expect(send({ jsonrpc: "2.0", id: 7, method: "ping" }, session).status).toBe(404);
  expect(send(initialize).status).toBe(200);
  expect([endpoint.kept.sessions, aborted()]).toEqual([1, 5]);
});

test("closing the HTTP handler leaves other connections of the server open", async () => {
  const server = createServer({ name: "trust", version: "1.0.0" }, { revisions: serverRevisions });
  server.tool("late", {}, () => "here");
  const [near, far] = memoryChannels();
  server.connect(far);
  const client = await connect(near, { revisions: clientRevisions });
  const handler = createHttpHandler(server);
  await handler.close();
  expect(await client.callTool("late")).toMatchObject({ content: [{ text: "here" }] });
  await client.close();
});

describe.each([
  ["with sessions", "2025-11-25", {}],
  ["without sessions", "2025-11-25", { sessions: false }],
  ["at 2026-07-28", "2026-07-28", {}],
] as const)("%s", (_, revision, options) => {
  test.each([
    ["a method that is no name", { jsonrpc: "2.0", id: 1, method: 5 }],
    ["an id without anything", { jsonrpc: "2.0", id: 1 }],
    ["an id that another number stands for", { jsonrpc: "2.0", id: 2 ** 53, method: "ping" }],
  ])("%s is refused", async (_name, message) => {
    const { post } = served(options);
    const { session } = revision === "2026-07-28" ? { session: null } : await post(initialize);
    const own = session === null ? {} : { "mcp-session-id": session };
    const { status, body } = await post(message, { ...own, "mcp-protocol-version": revision });
    expect([status, body.error?.code]).toEqual([400, -32600]);
  });
});

test("headers tell nothing of a tool that the client may not use", async () => {
  const { server, post } = served({
    authenticate: ({ header }) => ({ auth: header("x-user"), principal: header("x-user")! }),
  });
  server.tool(
    "hidden",
    {
      inputSchema: {
        type: "object",
        properties: { city: { type: "string", "x-mcp-header": "City" } },
      },
      visible: (_tool, { auth }) => auth === "ada",
    },
    () => "seen",
  );
  const codeFor = async (user: string, name: string) => {
    const _meta = metaOf({});
    const params = { name, arguments: { city: "Bern" }, _meta };
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": name };
    const { body } = await post(
      { jsonrpc: "2.0", id: 1, method: "tools/call", params },
      { ...headers, "x-user": user },
    );
    return body.error?.code;
  };
  expect(await codeFor("ada", "hidden")).toBe(-32020);
  expect(await codeFor("eve", "hidden")).toBe(await codeFor("eve", "none"));
});

describe("keys of state", () => {
  const asked = async (state: StateOptions, replay = true): Promise<readonly string[]> => {
    const warnings: string[] = [];
    const { server, post } = served({ graceMs: 0 }, warnings, state);
    server.tool("greet", { replay }, async (_, { ask }) => {
      const answer = await ask.elicit("name", {
        message: "Who is it?",
        requestedSchema: { type: "object", properties: {} },
      });
      return answer.action;
    });
    const params = { name: "greet", _meta: metaOf({ elicitation: {} }) };
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "greet" };
    for (const id of [1, 2])
      expect((await post({ jsonrpc: "2.0", id, method: "tools/call", params }, headers)).body).toMatchObject({
        result: { resultType: "input_required" },
      });
    return warnings;
  };

  test("a key of this process alone is warned of, once", async () => {
    expect(await asked({ parking: false })).toEqual([expect.stringContaining("state.keys")]);
  });

  test("keys that are given are not", async () => {
    const state = { keys: ["sixteen letters!"], parking: false, store: memoryStateStore() } as const;
    expect(await asked(state)).toEqual([]);
  });

  test("a handler that waits needs none", async () => {
    expect(await asked({}, false)).toEqual([]);
  });

  test("one that can be guessed is refused", () => {
    expect(() => served({}, [], { keys: ["sixteen letters!", "fifteen letters"] })).toThrow(
      expect.objectContaining({ code: "invalid-definition" }),
    );
  });
});
