// What the entry of modern revisions serves, refuses, and leaves out of a bundle.
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { createServer as createAnyServer, memoryChannels } from "@mcpgen/runtime";
import {
  connect,
  createHttpHandler,
  createNodeHandler,
  createServer,
  defineServer,
  defineToolServer,
  serveHttp,
} from "@mcpgen/runtime/modern";
import { build } from "esbuild";
import { describe, expect, onTestFinished, test } from "vitest";

const info = { name: "modern", version: "1.0.0" };
const contract = { ...info, tools: [] };
const modern = serverRevisions.filter(({ era }) => era === "modern");
const modernClient = clientRevisions.filter(({ era }) => era === "modern");

/** A server with one tool, of modern revisions alone. */
function echoing() {
  const server = createServer(info, { revisions: modern });
  server.tool<{ text: string }>("echo", {}, ({ text }) => text);
  return server;
}

test("a client and a server of modern revisions meet over HTTP", async () => {
  const served = await serveHttp(echoing(), { port: 0 });
  onTestFinished(() => served.close());
  const client = await connect(served.url, { revisions: modernClient });
  onTestFinished(() => client.close());
  expect(client.revision).toBe(modern[0]!.id);
  expect(await client.callTool("echo", { text: "hello" })).toMatchObject({
    content: [{ type: "text", text: "hello" }],
  });
  expect(served.sessions.size).toBe(0);
});

test("a handshake gets the error that lists the supported revisions, and no session", async () => {
  const handler = createHttpHandler(echoing());
  onTestFinished(() => handler.close());
  const post = {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
  };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: info };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
  const response = await handler.fetch(new Request("http://localhost/mcp", { ...post, body }));
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    error: { data: { supported: modern.map(({ id }) => id), requested: "2025-11-25" } },
  });
  expect(response.headers.get("mcp-session-id")).toBeNull();
  const listening = await handler.fetch(
    new Request("http://localhost/mcp", { headers: { accept: "text/event-stream" } }),
  );
  expect([listening.status, listening.headers.get("allow")]).toEqual([405, "POST"]);
});

describe("a legacy revision is refused, with the entry to import, by", () => {
  const handlers = { tools: {} };
  const given = { checks: {}, revisions: serverRevisions };
  const whole = (): ReturnType<typeof createAnyServer> =>
    createAnyServer(info, { revisions: serverRevisions });
  test.each<[string, () => unknown]>([
    ["createServer", () => createServer(info, { revisions: serverRevisions })],
    ["defineServer", () => defineServer(contract, handlers, given)],
    ["defineToolServer", () => defineToolServer(contract, handlers, given)],
    ["connect", () => connect(memoryChannels()[0], { revisions: clientRevisions })],
    ["createHttpHandler", () => createHttpHandler(whole())],
    ["createNodeHandler", () => createNodeHandler(whole())],
    ["serveHttp", () => serveHttp(whole(), { port: 0 })],
  ])("%s", async (_, refused) => {
    await expect((async () => refused())()).rejects.toMatchObject({
      code: "invalid-definition",
      message: expect.stringMatching(/\d needs a handshake, .* Import @mcpgen\/runtime /) as string,
    });
  });
});

test("revisions that are left out by `speaks` and `revision` are no reason to refuse", async () => {
  const server = createServer(info, {
    revisions: { known: serverRevisions, speaks: modern.map(({ id }) => id) },
  });
  const [near, far] = memoryChannels();
  server.connect(far);
  const client = await connect(near, { revisions: clientRevisions, revision: modernClient[0]!.id });
  onTestFinished(() => client.close());
  expect(client.revision).toBe(modernClient[0]!.id);
});

test.each([
  ["server over stdio", 'import { createServer } from "@mcpgen/runtime/modern"; createServer({}, {});'],
  ["server over HTTP", 'import { serveHttp } from "@mcpgen/runtime/modern"; serveHttp({}, {});'],
  ["server of `fetch`", 'import { createHttpHandler } from "@mcpgen/runtime/modern"; createHttpHandler({});'],
  ["client", 'import { connect } from "@mcpgen/runtime/modern"; connect("https://example.com", {});'],
])("the bundle of a modern %s holds nothing that only legacy revisions need", async (_, contents) => {
  const { metafile } = await build({
    stdin: { contents, resolveDir: process.cwd(), loader: "ts" },
    ...{ bundle: true, write: false, metafile: true, platform: "node", format: "esm", minify: true },
    ...{ conditions: ["mcpgen-source"], logLevel: "error", external: ["@mcpgen/runtime/stdio"] },
  });
  const [output] = Object.values(metafile.outputs);
  const held = Object.entries(output!.inputs).flatMap(([file, { bytesInOutput }]) =>
    bytesInOutput > 0 ? [file] : [],
  );
  expect(held.length).toBeGreaterThan(10);
  expect(held.filter((file) => file.includes("runtime/core/legacy/"))).toEqual([]);
});
