import { type ServeHttpOptions, createHttpHandler, createNodeHandler, serveHttp } from "@mcpgen/runtime/http";
import { McpError } from "@mcpgen/runtime";
import { describe, expect, onTestFinished, test } from "vitest";
import { inside } from "../../../support/http-fixture.js";
import { Party } from "../../../support/raw-http-client.js";

const { server } = inside();

/** The message of an error that is the application's. */
function errorOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    expect(error).toBeInstanceOf(McpError);
    expect(error).toMatchObject({ code: "invalid-definition" });
    return (error as McpError).message;
  }
  throw new Error("it was taken");
}

async function served(options: ServeHttpOptions) {
  const http = await serveHttp(server, { port: 0, ...options });
  onTestFinished(() => http.close());
  return http;
}

/** The status of a plain request to a URL, as a client sends it that was given no more. */
async function status(url: string): Promise<number> {
  const party = new Party(url, "2026-07-28");
  return (await party.post(party.message("tools/list"))).status;
}

describe("options of every handler", () => {
  test.each([
    [{ allowedHost: ["x"] }, "allowedHost: there is no such option. Did you mean allowedHosts?"],
    [{ AllowedOrigin: ["x"] }, "AllowedOrigin: there is no such option. Did you mean allowedOrigins?"],
    [{ limit: { work: 1 } }, "limit: there is no such option. Did you mean limits?"],
    [{ quite: "another" }, "quite: there is no such option. There are allowedHosts, allowedOrigins,"],
    [{ toString: undefined }, "toString: there is no such option. There are allowedHosts,"],
    [
      { sessions: { generateIds: 1 } },
      "sessions.generateIds: there is no such option. Did you mean generateId?",
    ],
    [{ sse: { message: "/x" } }, "sse.message: there is no such option. Did you mean messages?"],
    [
      { allowedHosts: "localhost" },
      'allowedHosts: expected a list such as ["api.example.com"], or "dangerously-any", got "localhost".',
    ],
    [{ allowedHosts: ["https://api.example.com"] }, "allowedHosts: expected"],
    [{ allowedHosts: ["*"] }, "allowedHosts: expected"],
    [{ allowedHosts: [""] }, "allowedHosts: expected"],
    [
      { allowedOrigins: ["app.example.com"] },
      'allowedOrigins: expected a list such as ["https://app.example.com"], or "dangerously-any", got',
    ],
    [{ allowedOrigins: ["https://app.example.com/page"] }, "allowedOrigins: expected"],
    [{ allowedOrigins: ["https://*.example.com"] }, "allowedOrigins: expected"],
    [
      { dangerouslyAllowAnyHost: true },
      'dangerouslyAllowAnyHost: the option is gone. Write allowedHosts: "dangerously-any".',
    ],
    [{ allowedOrigins: null }, "allowedOrigins: expected a list"],
    [{ bodyLimit: NaN }, "bodyLimit: expected a whole number from 1 to 2147483647, got NaN."],
    [{ bodyLimit: -1 }, "bodyLimit: expected a whole number from 1 to 2147483647, got -1."],
    [{ bodyLimit: "4 MiB" }, 'bodyLimit: expected a whole number from 1 to 2147483647, got "4 MiB".'],
    [{ limits: { work: 0 } }, "limits.work: expected"],
    [
      { sessions: 5 },
      "sessions: expected true or false, or an object with idleMs, generateId, onSession, store, got 5.",
    ],
    [{ limits: { sessions: 0 } }, "limits.sessions: expected a whole number from 1 to 2147483647, got 0."],
    [
      { sessions: { idleMs: Infinity } },
      "sessions.idleMs: expected a whole number from 1 to 2147483647, got Infinity.",
    ],
    [{ sse: { messages: 5 } }, "sse.messages: expected a string, got 5."],
    [{ responses: "xml" }, 'responses: expected auto or json or sse, got "xml".'],
    [{ events: "memory" }, "events: expected an object"],
    [{ keepAliveMs: -1 }, "keepAliveMs: expected a whole number from 0 to 2147483647, got -1."],
    // Timers of platforms would take it for a millisecond.
    [{ keepAliveMs: 2 ** 31 }, "keepAliveMs: expected"],
    [{ graceMs: 0.5 }, "graceMs: expected"],
    [{ authenticate: {} }, "authenticate: expected a function, got {}."],
  ])("%j: %s", async (options, message) => {
    for (const make of [createHttpHandler, createNodeHandler])
      expect(errorOf(() => make(server, options as ServeHttpOptions))).toContain(message);
    await expect(serveHttp(server, { port: 0, ...(options as ServeHttpOptions) })).rejects.toThrow(message);
  });

  test("undefined options, the highest limit, and lists of names are accepted", async () => {
    const handler = createHttpHandler(server, {
      ...({ responses: undefined } as object),
      bodyLimit: 2 ** 31 - 1,
      allowedHosts: ["API.example.com:8080", "[fd00::1]"],
      allowedOrigins: ["https://app.example.com/", "vscode-webview://abc", "null"],
      limits: { sessions: 1 },
      keepAliveMs: 0,
    });
    await handler.close();
  });
});

describe("options of serveHttp", () => {
  test.each([
    [{ port: NaN }, "port: expected a whole number from 0 to 65535, got NaN."],
    [{ port: 70_000 }, "port: expected"],
    [{ port: "3000" }, "port: expected"],
    [{ prot: 3000 }, "prot: there is no such option. Did you mean port?"],
    [{ host: "" }, "host: expected a name or an address"],
    [{ path: "mcp" }, 'path: expected one as it stands in URLs, such as "/mcp", got "mcp".'],
    [{ path: "" }, "path: expected"],
    [{ path: "/a b" }, "path: expected"],
    [{ path: "/mcp?x=1" }, "path: expected"],
    [{ path: "/mcp#x" }, "path: expected"],
    [{ path: "/a/../b" }, "path: expected"],
    [{ path: "/über" }, "path: expected"],
    [{ headersTimeout: 1000 }, "headersTimeout: the option is gone. Set node.headersTimeout"],
    [{ requestTimeout: 0 }, "requestTimeout: the option is gone. Set node.requestTimeout"],
  ])("%j rejects: %s", async (options, message) => {
    const promise = serveHttp(server, options as ServeHttpOptions);
    await expect(promise).rejects.toMatchObject({
      name: "McpError",
      code: "invalid-definition",
      message: expect.stringContaining(message) as string,
    });
  });

  test.each(["/", "/mcp/", "/%C3%BCber", "/a/b.c"])("path %s is served", async (path) => {
    const { url } = await served({ path });
    expect(await status(url)).toBe(200);
    expect(await status(`${url}?x=1`)).toBe(200);
    expect(await status(`${url}x`)).toBe(404);
  });

  test("a head has 10 seconds, a request 60, a quiet connection more than with a proxy in front", async () => {
    const { node } = await served({});
    const { headersTimeout, requestTimeout, keepAliveTimeout } = node;
    expect({ headersTimeout, requestTimeout, keepAliveTimeout }).toEqual({
      headersTimeout: 10_000,
      requestTimeout: 60_000,
      keepAliveTimeout: 65_000,
    });
  });

  test.each([
    ["127.0.0.1", "http://127.0.0.1:"],
    ["localhost", "http://localhost:"],
    ["127.0.0.2", "http://127.0.0.2:"],
    ["0.0.0.0", "http://127.0.0.1:"],
  ])("listening on %s, it is reached by %s", async (host, start) => {
    const { url, port } = await served({ host });
    expect(url).toBe(`${start}${port}/mcp`);
    expect(await status(url)).toBe(200);
    const party = new Party(url, "2026-07-28");
    for (const other of ["0.0.0.0", "127.0.0.3", "evil.example"])
      expect((await party.post(party.message("tools/list"), { host: `${other}:${port}` })).status).toBe(403);
  });

  test("a port in use rejects with the next step", async () => {
    const { port } = await served({});
    await expect(serveHttp(server, { port })).rejects.toMatchObject({
      name: "McpError",
      code: "listen-failed",
      message: expect.stringMatching(new RegExp(`EADDRINUSE.*:${port}\\. Give another port`)) as string,
      cause: expect.objectContaining({ code: "EADDRINUSE" }) as Error,
    });
    await expect(serveHttp(server, { port: 0, host: "192.0.2.1" })).rejects.toMatchObject({
      code: "listen-failed",
      message: expect.stringMatching(/EADDRNOTAVAIL.* or host/) as string,
    });
  });
});
