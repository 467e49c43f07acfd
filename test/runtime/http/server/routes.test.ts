import { createServer as createNodeServer } from "node:http";
import { serverRevisions } from "@mcpgen/protocol";
import { createServer } from "@mcpgen/runtime";
import {
  type HttpOptions,
  type HttpRoute,
  createHttpHandler,
  createNodeHandler,
  serveHttp,
} from "@mcpgen/runtime/http";
import { describe, expect, onTestFinished, test } from "vitest";
import { heard } from "../../../support/heard.mjs";
import { adapters, serve } from "../../../support/http-adapters.js";
import { listen } from "../../../support/listen.js";

const plain = () => createServer({ name: "routes", version: "1" }, { revisions: serverRevisions });
const metadata = "/.well-known/oauth-protected-resource/mcp";

const open: HttpRoute = {
  path: metadata,
  handle: ({ method }) =>
    method === "OPTIONS"
      ? new Response(null, { status: 204, headers: { "access-control-allow-origin": "*" } })
      : Response.json({ resource: "x" }, { headers: { "access-control-allow-origin": "*" } }),
};

/** Answers with the request. */
const echo: HttpRoute = {
  path: "/token",
  handle: async (request) => {
    const { method, url, headers } = request;
    const answer = new Response(
      JSON.stringify({ method, url, type: headers.get("content-type"), text: await request.text() }),
    );
    answer.headers.append("set-cookie", "a=1; Path=/");
    answer.headers.append("set-cookie", "b=2; Path=/");
    return answer;
  },
};

const denyAll: HttpOptions["authenticate"] = () => ({ status: 401 });

test.each(["", "?a=/b", "?a#/c", "#d?e"])("a handler of fetch finds the path before %j", async (rest) => {
  const handler = createHttpHandler(plain(), { routes: [echo], authenticate: denyAll });
  onTestFinished(() => handler.close());
  const status = async (url: string) => (await handler.fetch(new Request(url))).status;
  expect(await status(`http://127.0.0.1/token${rest}`)).toBe(200);
  expect(await status(`http://127.0.0.1:8080/token${rest}`)).toBe(200);
  expect(await status(`http://127.0.0.1/token/${rest}`)).toBe(401);
  expect(await status(`http://127.0.0.1${rest}`)).toBe(401);
  expect(await status(`http://elsewhere.example/token${rest}`)).toBe(403);
});

describe.each(adapters)("routes over %s", (adapter) => {
  const served = async (options: HttpOptions) => {
    const { url, stats } = await serve(adapter, plain(), options);
    return { stats, to: (path: string, init?: RequestInit) => fetch(new URL(path, url), init) };
  };

  test("answer without authentication, to pages of any origin, but only to the allowed hosts", async () => {
    const { to } = await served({ routes: [open], authenticate: denyAll });
    const origin = "https://elsewhere.example.com";
    const found = await to(metadata, { headers: { origin } });
    expect([found.status, await found.json()]).toEqual([200, { resource: "x" }]);
    expect(found.headers.get("access-control-allow-origin")).toBe("*");
    const before = await to(metadata, { method: "OPTIONS", headers: { origin } });
    expect([before.status, before.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
    expect((await to(metadata, { method: "HEAD" })).status).toBe(200);
    expect((await to("/mcp", { method: "POST" })).status).toBe(401);
    expect((await to("/mcp", { headers: { origin } })).status).toBe(403);
  });

  test("get query, headers and body; every cookie is sent", async () => {
    const { to } = await served({ routes: [echo] });
    const form = "application/x-www-form-urlencoded";
    const found = await to("/token?a=b", {
      method: "POST",
      body: "grant_type=x&ü=1",
      headers: { "content-type": form },
    });
    expect(await found.json()).toMatchObject({ method: "POST", type: form, text: "grant_type=x&ü=1" });
    if (adapter === "node") expect(found.headers.getSetCookie()).toEqual(["a=1; Path=/", "b=2; Path=/"]);
  });

  test("get the public URL", async () => {
    const { to } = await served({ routes: [echo], publicUrl: "https://api.example.com/mcp" });
    const found = (await (await to("/token?a=b")).json()) as { url: string };
    expect(found.url).toBe("https://api.example.com/token?a=b");
    const behind = (await served({ routes: [echo] })).to("/token?a=b");
    expect(((await (await behind).json()) as { url: string }).url).toMatch(
      /^http:\/\/127\.0\.0\.1:\d+\/token\?a=b$/,
    );
  });

  test("a body of more than 64 KiB gets 413; a route that fails gets 500", async () => {
    let warned = "";
    const server = createServer(
      { name: "routes", version: "1" },
      { revisions: serverRevisions, onEvent: heard({ warning: (text) => void (warned = text) }) },
    );
    const { url } = await serve(adapter, server, {
      routes: [
        echo,
        {
          path: "/broken",
          handle: () => {
            throw new Error("broken");
          },
        },
      ],
    });
    const post = (path: string, body: string) => fetch(new URL(path, url), { method: "POST", body });
    expect((await post("/token", "x".repeat(65_537))).status).toBe(413);
    expect((await post("/token", "x".repeat(65_536))).status).toBe(200);
    expect((await post("/broken", "")).status).toBe(500);
    expect(warned).toContain("broken");
  });

  test("authenticate gets the public URL, or the URL of the request", async () => {
    const urls: string[] = [];
    const authenticate: HttpOptions["authenticate"] = ({ url }) => {
      urls.push(url);
      return { status: 401 };
    };
    const publicUrl = "https://api.example.com/v1/mcp";
    for (const options of [{ authenticate }, { authenticate, publicUrl }]) {
      const { to } = await served(options);
      await to("/mcp?x=1", { method: "POST", headers: { "content-type": "application/json" } });
    }
    expect(urls[0]).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp\?x=1$/);
    expect(urls[1]).toBe(`${publicUrl}?x=1`);
  });
});

test("the host of the public URL is an allowed host", async () => {
  const { fetch: handle } = createHttpHandler(plain(), {
    publicUrl: "https://api.example.com/mcp",
    routes: [open],
  });
  const status = async (url: string) => (await handle(new Request(url))).status;
  expect(await status(`https://api.example.com${metadata}`)).toBe(200);
  expect(await status(`https://evil.example.com${metadata}`)).toBe(403);
  expect(await status("https://api.example.com/mcp")).toBe(405);
});

test("serveHttp answers 404 elsewhere", async () => {
  const { port } = await serve("node", plain(), { routes: [open] });
  expect((await fetch(`http://127.0.0.1:${port}/elsewhere`)).status).toBe(404);
  expect((await fetch(`http://127.0.0.1:${port}${metadata}?x`)).status).toBe(200);
});

test("a mounted handler names its routes, and answers them wherever it gets them", async () => {
  const handler = createNodeHandler(plain(), { routes: [open, echo] });
  expect(handler.routes).toEqual([metadata, "/token"]);
  // As Express does: the path of the mount is taken off, and a parser has read the form.
  const node = createNodeServer((request, response) => {
    Object.assign(request, { originalUrl: request.url, url: "/" });
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => void chunks.push(chunk));
    request.on("end", () => {
      const form = new URLSearchParams(Buffer.concat(chunks).toString());
      const names = [...new Set(form.keys())];
      handler(request, response, Object.fromEntries(names.map((name) => [name, form.getAll(name)])));
    });
  });
  const port = await listen(node);
  onTestFinished(async () => {
    await handler.close();
    node.closeAllConnections();
    node.close();
  });
  expect((await fetch(`http://127.0.0.1:${port}${metadata}`)).status).toBe(200);
  const found = await fetch(`http://127.0.0.1:${port}/token`, {
    method: "POST",
    body: new URLSearchParams("scope=a+b&resource=1&resource=2"),
  });
  expect(await found.json()).toMatchObject({ text: "scope=a+b&resource=1&resource=2" });
});

test("after close, routes are refused, too", async () => {
  const handler = createHttpHandler(plain(), { routes: [open] });
  expect(handler.routes).toEqual([metadata]);
  await handler.close();
  expect((await handler.fetch(new Request(`http://127.0.0.1${metadata}`))).status).toBe(503);
});

test.each([
  [{ routes: [{ path: "x", handle: open.handle }] }, "routes[0].path: expected one as it stands in URLs"],
  [{ routes: [{ path: "/a?b", handle: open.handle }] }, "routes[0].path"],
  [{ routes: [{ path: "//a", handle: open.handle }] }, "routes[0].path"],
  [{ routes: [null] }, "routes[0].path"],
  [{ routes: [open, { path: "/x" }] }, "routes[1].handle: expected a function"],
  [{ routes: [open, open] }, `routes[1].path: there are two routes for ${metadata}`],
  [{ routes: [{ path: "/mcp", handle: open.handle }] }, "routes: /mcp is the path of the endpoint"],
  [{ publicUrl: "api.example.com/mcp" }, "publicUrl: expected the URL of the endpoint"],
  [{ publicUrl: "ftp://api.example.com/mcp" }, "publicUrl"],
  [{ publicUrl: "https://me:pw@api.example.com/mcp" }, "publicUrl"],
  [{ publicUrl: "https://api.example.com/mcp?" }, "publicUrl"],
  [{ publicUrl: "https://api.example.com/mcp#a" }, "publicUrl"],
])("wrong options are refused: %j", async (options, text) => {
  await expect(serveHttp(plain(), { port: 0, ...options } as never)).rejects.toMatchObject({
    code: "invalid-definition",
    message: expect.stringContaining(text) as string,
  });
});
