import { serverRevisions } from "@mcpgen/protocol";
import { type Scopes, createServer } from "@mcpgen/runtime";
import type { HttpOptions, PermitCall } from "@mcpgen/runtime/http";
import { describe, expect, test } from "vitest";
import type { Step } from "@mcpgen/protocol/model";
import { permitCallOf } from "../../../../runtime/core/http/server/permit.js";
import { heard } from "../../../support/heard.mjs";
import { adapters, serve } from "../../../support/http-adapters.js";

const modern = "2026-07-28";
const legacy = "2025-03-26";

function serverWith(scopes: Scopes | undefined) {
  const ran: string[] = [];
  const warnings: string[] = [];
  const server = createServer(
    { name: "permit", version: "1" },
    { revisions: serverRevisions, onEvent: heard({ warning: (text) => void warnings.push(text) }) },
  );
  const given = scopes && { scopes };
  server.tool("write", { ...given, inputSchema: { type: "object" } }, () => {
    ran.push("write");
    return "written";
  });
  server.tool("read", { scopes: ["files:read"] }, () => "read");
  server.tool("off", { scopes: ["secret"] }, () => "off").disable();
  server.prompt(
    "ask",
    { scopes: ({ topic }) => [`topic:${String(topic)}`], arguments: [{ name: "topic" }] },
    () => "?",
  );
  server.resource("file:///hidden", { scopes: ["hidden"], visible: () => false }, () => "hidden");
  server.resource("file:///plain", { scopes: ["plain"] }, () => "plain");
  server.resourceTemplate("file:///{name}", { scopes: ({ name }) => [`file:${String(name)}`] }, () => "file");
  return { server, ran, warnings };
}

/** Posts a body, of a modern request or of older ones without a session. */
async function post(url: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: "Bearer ada",
      ...headers,
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const request = (method: string, params: object = {}, id = 1) => ({ jsonrpc: "2.0", id, method, params });

/** A modern request with its headers. */
function asModern(method: string, params: Record<string, unknown>) {
  const name = (params["name"] ?? params["uri"]) as string | undefined;
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": modern,
    "io.modelcontextprotocol/clientInfo": { name: "x", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const headers: Record<string, string> = { "mcp-protocol-version": modern, "mcp-method": method };
  if (name !== undefined) headers["mcp-name"] = name;
  return [request(method, { ...params, _meta }), headers] as const;
}

/** Denies requests that need a scope, as a resource server does. */
const deny: HttpOptions["permit"] = (calls) => {
  const scope = [...new Set(calls.flatMap(({ scopes }) => scopes))].join(" ");
  if (scope === "") return undefined;
  return {
    status: 403,
    headers: { "www-authenticate": `Bearer error="insufficient_scope", scope="${scope}"` },
  };
};

describe.each(adapters)("permit over %s", (adapter) => {
  test.each([
    ["at once", deny],
    ["later", async (...given: Parameters<NonNullable<typeof deny>>) => deny!(...given)],
  ] as const)("a denial %s has its status and headers, and no handler runs", async (_, permit) => {
    const { server, ran } = serverWith(["files:write", "files:read"]);
    const events: unknown[] = [];
    server.onEvent((event) => void (event.type === "request-refused" && events.push(event)));
    const { url } = await serve(adapter, server, { permit, sessions: false });
    const [body, headers] = asModern("tools/call", { name: "write" });
    const refused = await post(url, body, headers);
    expect([refused.status, refused.text]).toEqual([403, ""]);
    expect(refused.headers.get("www-authenticate")).toContain('scope="files:write files:read"');
    expect(ran).toEqual([]);
    expect(events).toMatchObject([
      { reason: "permission", status: 403, method: "tools/call", name: "write" },
    ]);
    const [open, openHeaders] = asModern("tools/list", {});
    expect((await post(url, open, openHeaders)).status).toBe(200);
  });

  test("a batch is permitted or denied as a whole, without its notifications", async () => {
    const { server, ran } = serverWith((args) => [`write:${String(args["path"])}`]);
    const seen: (readonly PermitCall[])[] = [];
    const { url } = await serve(adapter, server, {
      sessions: false,
      permit: (calls) => {
        seen.push(calls);
        return seen.length > 1 ? { status: 403, text: "no" } : undefined;
      },
    });
    const [first, second] = [{ name: "write", arguments: { path: "/a" } }, { name: "read" }];
    const batch = [
      request("tools/call", first, 1),
      { jsonrpc: "2.0", method: "notifications/initialized" },
      request("tools/call", second, 2),
    ];
    expect((await post(url, batch, { "mcp-protocol-version": legacy })).status).toBe(200);
    expect(await post(url, batch, { "mcp-protocol-version": legacy })).toMatchObject({
      status: 403,
      text: "no",
    });
    expect(ran).toEqual(["write"]);
    expect(seen[0]).toEqual([
      { method: "tools/call", name: "write", scopes: ["write:/a"], params: first },
      { method: "tools/call", name: "read", scopes: ["files:read"], params: second },
    ]);
  });

  test("in a session, a request may be denied while its event stream is open", async () => {
    const { server } = serverWith(["files:write"]);
    const { url } = await serve(adapter, server, { permit: deny });
    const opened = await post(
      url,
      request("initialize", {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name: "x", version: "1" },
      }),
    );
    const session = { "mcp-session-id": opened.headers.get("mcp-session-id")! };
    const stream = await fetch(url, { headers: { accept: "text/event-stream", ...session } });
    expect(stream.status).toBe(200);
    expect((await post(url, request("tools/call", { name: "write" }), session)).status).toBe(403);
    expect((await post(url, request("ping"), session)).status).toBe(200);
    await stream.body!.cancel();
  });

  test("permit gets the value that authenticate returned", async () => {
    const { server } = serverWith(undefined);
    const principals: unknown[] = [];
    const found = { auth: { scopes: ["a"] }, principal: "https://auth.example.com|ada" };
    const { url } = await serve(adapter, server, {
      sessions: false,
      authenticate: () => found,
      permit: (_, principal) => void principals.push(principal),
    });
    await post(url, ...asModern("tools/list", {}));
    expect(principals).toEqual([found]);
  });

  test("permit may return any thenable", async () => {
    const { server } = serverWith([]);
    const thenable = { then: (use: (found: undefined) => void) => use(undefined) };
    const served = await serve(adapter, server, { sessions: false, permit: () => thenable as never });
    const { status } = await post(served.url, ...asModern("tools/list", {}));
    expect(status).toBe(200);
  });

  test("no request runs if permit fails or returns an invalid value", async () => {
    const { server, ran, warnings } = serverWith((() => "write") as never);
    let permit: NonNullable<HttpOptions["permit"]> = () => undefined;
    const { url } = await serve(adapter, server, { sessions: false, permit: (...given) => permit(...given) });
    const call = asModern("tools/call", { name: "write" });
    expect((await post(url, ...call)).status).toBe(500);
    for (permit of [
      () => ({ status: 99 }),
      () => false as never,
      async () => null as never,
      async () => ({}) as never,
      () => {
        throw new Error("the secret is 42");
      },
    ]) {
      const { status, text } = await post(url, ...asModern("tools/call", { name: "read" }));
      expect([status, text.includes("42")]).toEqual([500, false]);
    }
    expect(ran).toEqual([]);
    expect(warnings.length).toBeGreaterThan(0);
  });
});

/** A request, and the scopes for it. */
const asked: readonly (readonly [string, Record<string, unknown>, readonly string[]])[] = [
  ["tools/list", { name: "write" }, ["files:write"]],
  ["tools/call", { name: "missing" }, []],
  ["tools/call", { name: "off" }, []],
  ["tools/call", { name: "toString" }, []],
  ["prompts/get", { name: "ask", arguments: { topic: "cats" } }, ["topic:cats"]],
  ["prompts/get", { name: "ask", arguments: 3 }, ["topic:undefined"]],
  ["completion/complete", { ref: { type: "ref/prompt", name: "ask" } }, ["topic:undefined"]],
  ["completion/complete", { ref: { type: "ref/resource", uri: "file:///{name}" } }, ["file:undefined"]],
  ["resources/read", { uri: "file:///plain" }, ["plain"]],
  ["resources/read", { uri: "file:///a" }, ["file:a"]],
  // A client that does not see the resource reads the template.
  ["resources/read", { uri: "file:///hidden" }, ["hidden", "file:hidden"]],
  ["resources/subscribe", { uri: "file:///plain" }, ["plain"]],
  ["resources/read", { uri: "other:///a" }, []],
  ["resources/read", { uri: 3 }, []],
  [
    "subscriptions/listen",
    { notifications: { resourceSubscriptions: ["file:///plain", "file:///b"] } },
    ["plain", "file:b"],
  ],
  [
    "subscriptions/listen",
    { notifications: { resourceSubscriptions: Array.from({ length: 101 }, (_, index) => `x:///${index}`) } },
    ["hidden", "plain", "file:undefined"],
  ],
  ["acme/own", { uri: "file:///plain" }, []],
  ["ping", {}, []],
];

test("the scopes are taken from the definition that a request names", async () => {
  const { server } = serverWith(["files:write"]);
  const seen: (readonly string[])[] = [];
  const { url } = await serve("node", server, {
    sessions: false,
    permit: (calls) => {
      seen.push(calls[0]!.scopes);
      return { status: 403 };
    },
  });
  for (const [method, params] of asked) await post(url, request(method, params));
  expect(seen).toEqual(asked.map(([, , scopes]) => scopes));
});

test("scopes are not listed, are mounted with their server, and change by update", async () => {
  const { server } = serverWith(["files:write"]);
  const host = createServer({ name: "host", version: "1" }, { revisions: serverRevisions });
  host.mount(server, { prefix: "guest" });
  const own = host.tool("own", { scopes: ["one"] }, () => "own");
  const seen: unknown[] = [];
  const { url } = await serve("node", host, {
    sessions: false,
    permit: (calls) => void seen.push(calls[0]!.scopes),
  });
  const { text } = await post(url, ...asModern("tools/list", {}));
  expect(text).not.toContain("scopes");
  await post(url, ...asModern("tools/call", { name: "guest_write" }));
  await post(url, ...asModern("tools/call", { name: "own" }));
  own.update({ scopes: ["two"] });
  await post(url, ...asModern("tools/call", { name: "own" }));
  own.update({ scopes: undefined });
  await post(url, ...asModern("tools/call", { name: "own" }));
  expect(seen).toEqual([[], ["files:write"], ["one"], ["two"], []]);
});

test.each([[["a b"]], [[""]], [["a", 3]], ["files"], [null]])("invalid scopes are refused: %j", (scopes) => {
  const server = createServer({ name: "x", version: "1" }, { revisions: serverRevisions });
  expect(() => server.tool("x", { scopes: scopes as never }, () => "x")).toThrow(
    /tool "x": scopes: expected a list/,
  );
});

describe("params whose revision differs from the vocabulary", () => {
  const renaming =
    (from: string, to: string): Step =>
    (value) => {
      const { [from]: member, ...rest } = value as { readonly [member: string]: unknown };
      return member === undefined ? value : { ...rest, [to]: member };
    };
  const wording: { readonly [revision: string]: Step } = {
    "2025-11-25": renaming("tool", "name"),
    "2025-06-18": renaming("called", "tool"),
    "2025-03-26": (_, report) => report.refuse({ code: "no-form", pointer: "", reason: "has no form" }),
  };
  const revisions = serverRevisions.map((each) => {
    const step = wording[each.id];
    if (!step) return each;
    const incomingRequests = new Map([...each.steps!.incomingRequests, ["tools/call", step]] as const);
    return { ...each, steps: { ...each.steps!, incomingRequests } };
  });

  const callOf = (speaks: readonly string[], params: object): PermitCall => {
    const server = createServer(
      { name: "permit", version: "1" },
      { revisions: { known: revisions, speaks } },
    );
    server.tool("read", { scopes: ["files:read"] }, () => "read");
    server.tool("write", { scopes: ["files:write"] }, () => "written");
    return permitCallOf(server, { jsonrpc: "2.0", id: 1, method: "tools/call", params: params as never });
  };

  test("are read in the vocabulary of the tools", () => {
    const params = { tool: "read", arguments: {} };
    expect(callOf(["2025-11-25"], params)).toEqual({
      method: "tools/call",
      name: "read",
      params,
      scopes: ["files:read"],
    });
  });

  test("need the scopes of every entry that a session may call with them", () => {
    const { scopes } = callOf(["2025-11-25", "2025-06-18"], { tool: "read", called: "write" });
    expect([...scopes].sort()).toEqual(["files:read", "files:write"]);
  });

  test("stay unchanged if no revision can translate them to the vocabulary", () => {
    const params = { name: "read" };
    expect(callOf(["2025-03-26"], params)).toMatchObject({ name: "read", params });
  });
});
