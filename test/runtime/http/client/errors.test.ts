import { clientRevisions } from "@mcpgen/protocol";
import { type ConnectOptions, connect } from "@mcpgen/runtime";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { type Incoming, clientOf, connected, scripted } from "../../../support/scripted-http-server.js";
import { type Fetched, fetching, never } from "./fetched.js";

const revision = "2025-11-25";

describe("headers", () => {
  test("override one another without regard to case, and headers of the protocol override all", async () => {
    const { server, client } = await connected(
      revision,
      {},
      {
        http: {
          headers: { Authorization: "Bearer old", Accept: "text/plain", "X-Own": "yes", "X-None": undefined },
          authorize: () => ({ authorization: "Bearer new" }),
        },
      },
    );
    await client.callTool("x");
    const { headers } = server.of("tools/call")[0]!;
    expect(headers).toMatchObject({
      authorization: "Bearer new",
      accept: "application/json, text/event-stream",
      "x-own": "yes",
    });
    expect(headers).not.toHaveProperty("x-none");
  });

  test("may be a Headers object", async () => {
    const { server, client } = await connected(
      revision,
      {},
      {
        http: {
          headers: new Headers({ "x-own": "yes" }),
          authorize: async () => new Headers({ authorization: "Bearer new" }),
        },
      },
    );
    await client.callTool("x");
    expect(server.of("tools/call")[0]!.headers).toMatchObject({
      "x-own": "yes",
      authorization: "Bearer new",
    });
  });
});

/** Requests that cannot be sent, and their errors. */
const impossible: Record<string, [url: string, http: ConnectOptions["http"], text: string]> = {
  "an invalid URL": ["http://:::", {}, "not a URL"],
  "a URL with credentials": ["http://me:secret@127.0.0.1:9/mcp", {}, "http.authorize"],
  "a port that the platform blocks": ["http://127.0.0.1:6000/mcp", {}, "blocks the port"],
  "a header's value": ["http://127.0.0.1:9/mcp", { headers: { "x-own": "secret\nx" } }, '"x-own"'],
  "a header that authorizes": [
    "http://127.0.0.1:9/mcp",
    { authorize: () => ({ authorization: "secret\0" }) },
    '"authorization"',
  ],
  "a fetch that throws": [
    "http://127.0.0.1:9/mcp",
    {
      fetch: () => {
        throw new Error("no network here");
      },
    },
    "http.fetch threw: no network here",
  ],
  "a fetch that returns nothing": [
    "http://127.0.0.1:9/mcp",
    { fetch: (() => Promise.resolve(undefined)) as never },
    "http.fetch returned undefined, not a Response",
  ],
};

test.each(Object.keys(impossible))("is invalid-definition: %s", async (kind) => {
  const [url, http, text] = impossible[kind]!;
  const failure: unknown = await connect(url, { revisions: clientRevisions, ...(http && { http }) }).catch(
    (error: unknown) => error,
  );
  expect(failure).toMatchObject({
    code: "invalid-definition",
    message: expect.stringContaining(text) as string,
  });
  expect((failure as Error).message).not.toContain("secret");
});

describe("redirects", () => {
  /** Sends everything from `/mcp` on. */
  const onward =
    (status: number, to: string) =>
    (incoming: Incoming, next: (incoming: Incoming) => void): void =>
      incoming.path === "/mcp" ? incoming.status(status, "", { location: to }) : next(incoming);

  test.each([307, 308])("on the same origin are followed with method and body (%i)", async (status) => {
    const { server, client } = await connected(revision);
    server.script = {
      "tools/call": (incoming) => onward(status, "/mcp/")(incoming, (each) => each.reply({ content: [] })),
    };
    expect((await client.callTool("x", { a: 1 })).content).toEqual([]);
    const [first, second] = server.of("tools/call");
    expect([second!.verb, second!.path, second!.text]).toEqual(["POST", "/mcp/", first!.text]);
    expect(second!.headers["mcp-session-id"]).toBe("s1");
  });

  test("to another origin, in a circle or with another method are errors", async () => {
    const elsewhere = await scripted(revision);
    const { server, client } = await connected(
      revision,
      {},
      { http: { headers: { authorization: "secret" } } },
    );
    for (const [status, location] of [
      [307, elsewhere.url],
      [308, "//example.invalid/mcp"],
      [307, server.url.replace("http://", "http://me:pass@")],
      [307, "/mcp"],
      [302, "/mcp/"],
    ] as const) {
      server.script = { "tools/call": (incoming) => incoming.status(status, "", { location }) };
      await expect(client.callTool("x")).rejects.toMatchObject({
        code: "connection-closed",
        data: { status, location },
        message: expect.stringContaining(location) as string,
      });
    }
    expect(elsewhere.received).toEqual([]);
  });
});

describe("HTTP errors name the next step", () => {
  test("401 leads to an error with the option and the challenge, for any body", async () => {
    const { server, client } = await connected(revision);
    const challenge = 'Bearer resource_metadata="https://example.com/meta"';
    for (const body of [
      "",
      JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32001, message: "no" } }),
    ]) {
      server.script = {
        "tools/call": (incoming) =>
          incoming.status(401, body, { "content-type": "application/json", "www-authenticate": challenge }),
      };
      const failure: unknown = await client.callTool("x").catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: "connection-closed", data: { status: 401, challenge, body } });
      expect((failure as Error).message).toContain("http.authorize");
      expect((failure as Error).message).toContain(challenge);
    }
  });

  test.each([429, 503])("%i names the time of the next attempt", async (status) => {
    const { server, client } = await connected(revision);
    const asked = async (after: string): Promise<unknown> => {
      server.script = {
        "tools/call": (incoming) => incoming.status(status, "busy", { "retry-after": after }),
      };
      return client.callTool("x").catch((error: unknown) => error);
    };
    expect(await asked("120")).toMatchObject({
      data: { status, retryAfterMs: 120_000 },
      message: expect.stringContaining("120000 ms") as string,
    });
    vi.useFakeTimers({ toFake: ["Date"], now: 1_800_000_000_000 });
    expect(await asked(new Date(Date.now() + 60_000).toUTCString())).toMatchObject({
      data: { retryAfterMs: 60_000 },
    });
    expect(await asked("soon")).toMatchObject({ data: { status } });
  });
});

describe("a server that refuses the handshake", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));

  const refused = (): Response => new Response("no such method", { status: 405 });

  test("and the HTTP+SSE stream: the error has both reasons", async () => {
    const stream = (): Response =>
      new Response("", { status: 401, headers: { "www-authenticate": "Bearer" } });
    const failure: unknown = await fetching({ initialize: refused, GET: stream }).catch(
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({ code: "connection-closed", data: { status: 401, challenge: "Bearer" } });
    expect((failure as Error).message).toMatch(/401 to GET \(HTTP\+SSE\).*405.*no such method/);
  });

  test("and sends no endpoint event: an error after five seconds", async () => {
    const open = (): Response =>
      new Response(new ReadableStream(), { headers: { "content-type": "text/event-stream" } });
    for (const answer of [never, open]) {
      let begin = (): void => undefined;
      const begun = new Promise<void>((resolve) => (begin = resolve));
      const GET = (request: Fetched): Response | Promise<Response> => (begin(), answer(request));
      const connecting = fetching({ initialize: refused, GET }).catch((error: unknown) => error);
      await begun;
      await vi.advanceTimersByTimeAsync(5000);
      const failure = (await connecting) as Error;
      expect(failure).toMatchObject({ code: "connection-closed" });
      expect(failure.message).toMatch(/sent no endpoint event within 5000 ms .*405/);
    }
  });

  test("and has no HTTP+SSE: the error has the refusal", async () => {
    await expect(fetching({ initialize: refused })).rejects.toMatchObject({
      message: "the server answered 405: no such method",
      data: { status: 405 },
    });
  });
});

test("options accept values of the platform, and functions that return them or promises", async () => {
  const server = await scripted(revision);
  const options: NonNullable<ConnectOptions["http"]>[] = [
    { authorize: () => ({ authorization: "x" }) },
    { authorize: async () => ({ authorization: undefined }) },
    { authorize: (challenge, signal) => (signal.aborted ? {} : { "x-challenge": challenge?.challenge }) },
    { fetch: async (url: string, init?: RequestInit) => fetch(url, init) },
    { fetch },
    { headers: new Headers() },
    { headers: { a: undefined as string | undefined } },
  ];
  for (const http of options) expect((await clientOf(server.url, { http })).revision).toBe(revision);
});

describe("causes", () => {
  test("of a stream that broke and was not resumed, and of the last attempt to connect again", async () => {
    for (const id of [undefined, "e1"]) {
      const { server, client } = await connected("2025-11-25", {
        "tools/call": (incoming) => incoming.event({ jsonrpc: "2.0", method: "notifications/x" }, id).reset(),
        GET: (incoming) => incoming.reset(),
      });
      const failure: unknown = await client
        .callTool("x", {}, { resend: false })
        .catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: "connection-closed", cause: expect.any(Error) as Error });
      expect(server.of("tools/call")).toHaveLength(1);
    }
  });

  test("of a handshake that the server refused", async () => {
    const data = { supported: ["1999-01-01"] };
    const server = await scripted("2025-11-25", {
      initialize: (incoming) =>
        incoming.json(incoming.answer({ error: { code: -32602, message: "too new", data } })),
    });
    await expect(clientOf(server.url)).rejects.toMatchObject({
      code: "unsupported-version",
      cause: { rpcCode: -32602, data },
    });
  });
});
