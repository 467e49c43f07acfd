// Addresses that configurations of hosts hold, and bodies as some of them write them.
import { createServer } from "node:http";
import { createNodeHandler, serveHttp } from "@mcpgen/runtime/http";
import { expect, onTestFinished, test } from "vitest";
import { type Adapter, adapters, serve } from "../../../support/http-adapters.js";
import { http, inside } from "../../../support/http-fixture.js";
import { send } from "../../../support/http-wire.js";
import { listen } from "../../../support/listen.js";
import { Party } from "../../../support/raw-http-client.js";

const revisions = ["2025-11-25", "2026-07-28"];

async function served(options: Parameters<typeof serveHttp>[1] = {}) {
  return serve("node", inside().server, options);
}

/** Opens a session where there is one, and lists the tools. */
async function tools(url: string, revision: string): Promise<number> {
  const party = await new Party(url, revision).open();
  const { result } = await party.request("tools/list");
  return (result!["tools"] as unknown[]).length;
}

test.each([
  [undefined, ["/mcp", "/mcp/", "/mcp/?key=1"]],
  ["/mcp/", ["/mcp", "/mcp/", "/mcp/?key=1"]],
  ["/", ["/", ""]],
  ["/a/b", ["/a/b", "/a/b/"]],
] as const)("the endpoint at %s is served at each of %j", async (path, addresses) => {
  const { url } = await served(path === undefined ? {} : { path });
  for (const address of addresses)
    for (const revision of revisions) expect(await tools(new URL(url).origin + address, revision)).toBe(8);
});

test.each(["/", "/sse", "/mcp//", "/mcp/x", "/MCP", "//mcp", "/.well-known/oauth-protected-resource/mcp"])(
  "%s is answered with 404 and one line that names the endpoint",
  async (path) => {
    const { port } = await served();
    for (const method of ["POST", "GET", "DELETE"]) {
      const answer = await send(`http://127.0.0.1:${port}${path}`, method);
      await answer.whole();
      expect([answer.status, answer.type]).toEqual([404, "text/plain"]);
      expect(answer.text).toBe("There is nothing at this path. The MCP endpoint is /mcp\n");
    }
  },
);

test("with publicUrl the line names the address for clients", async () => {
  const { port } = await served({ publicUrl: "https://api.example.com/tools/mcp" });
  const answer = await send(`http://127.0.0.1:${port}/`, "GET");
  expect(await answer.whole()).toContain("https://api.example.com/tools/mcp\n");
});

test.each(adapters)(
  "over %s a well-known document is found with the slash of the endpoint",
  async (adapter) => {
    const document = "/.well-known/oauth-protected-resource/mcp";
    const routes = [
      { path: document, handle: () => new Response("metadata") },
      { path: "/token", handle: () => new Response("token") },
    ];
    const { port } = await serve(adapter, inside().server, {
      routes,
      authenticate: () => ({ status: 401 }),
    });
    const get = async (path: string) => {
      const answer = await send(`http://127.0.0.1:${port}${path}`, "GET");
      return [answer.status, await answer.whole()];
    };
    expect(await get(document)).toEqual([200, "metadata"]);
    expect(await get(`${document}/`)).toEqual([200, "metadata"]);
    expect(await get("/token")).toEqual([200, "token"]);
    // The application named only this path.
    expect((await get("/token/"))[0]).toBe(adapter === "node" ? 404 : 401);
  },
);

test("a route at the address of the endpoint is refused, with or without a slash", async () => {
  const { server } = inside();
  for (const path of ["/mcp", "/mcp/"])
    await expect(
      serveHttp(server, { port: 0, routes: [{ path, handle: () => new Response("") }] }),
    ).rejects.toMatchObject({ code: "invalid-definition" });
});

test.each([
  ["https://api.example.com/mcp", "/mcp/", "https://api.example.com/mcp/"],
  ["https://api.example.com/mcp", "/mcp/?a=/", "https://api.example.com/mcp/?a=/"],
  ["https://api.example.com/mcp", "/mcp?a=/", "https://api.example.com/mcp?a=/"],
  // A proxy has taken a part of the path away, or all of it.
  ["https://api.example.com/tools/mcp", "/mcp/", "https://api.example.com/tools/mcp/"],
  ["https://api.example.com/mcp", "/", "https://api.example.com/mcp"],
  ["https://api.example.com/mcp", "/internal/", "https://api.example.com/mcp"],
])("authenticate gets the endpoint %s, called at %s, as %s", async (publicUrl, target, expected) => {
  const seen: string[] = [];
  const { port } = await serve("fetch", inside().server, {
    publicUrl,
    authenticate: ({ url }) => (seen.push(url), { status: 401 }),
  });
  await send(`http://127.0.0.1:${port}${target}`, "POST");
  expect(seen).toEqual([expected]);
});

test.each(adapters.flatMap((adapter: Adapter) => revisions.map((revision) => [adapter, revision] as const)))(
  "over %s at %s a body may begin with a byte order mark, once",
  async (adapter, revision) => {
    const { party } = await http(adapter, revision);
    const message = party.message("tools/list");
    const post = (mark: string) => party.postText(mark + JSON.stringify(message), party.headersOf(message));
    const answer = await post("\ufeff");
    expect(answer.status).toBe(200);
    expect((await post("\ufeff\ufeff")).status).toBe(400);
  },
);

test("an application may have parsed the body, or hand over its text", async () => {
  const handle = createNodeHandler(inside().server);
  const node = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    request.on("end", () => handle(request, response, text));
  });
  const port = await listen(node);
  onTestFinished(() => void node.close());
  const party = new Party(`http://127.0.0.1:${port}/mcp`, "2026-07-28");
  const message = party.message("tools/list");
  const answer = await party.postText(`\ufeff${JSON.stringify(message)}`, party.headersOf(message));
  expect(answer.status).toBe(200);
});
