// HTTP+SSE of 2024-11-05: our server with the clients of both official SDKs, and our client with a server of the
// first.
import assert from "node:assert/strict";
import { createServer as createNodeServer } from "node:http";
import { describe, test } from "node:test";
import * as v2 from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { connect, createServer } from "@mcpgen/runtime";
import { serveHttp } from "@mcpgen/runtime/http";
import { z } from "zod";
import { nameForm } from "./fixture.mjs";
import { hang as timeout } from "../support/until.mjs";

/** Our server. @param reported when what precedes an answer has been read */
function ours(reported) {
  const server = createServer({ name: "ours", version: "1.0.0" }, { revisions: serverRevisions });
  server.tool("echo", { inputSchema: { type: "object" } }, ({ message }) => message);
  server.tool("count", {}, async (_, { progress }) => {
    for (let step = 1; step <= 3; step++) progress(step, 3);
    // The SDKs handle an answer before the reports that arrived with it, and then drop the reports.
    await reported;
    return "counted";
  });
  server.tool("greet", {}, async (_, { ask }) => {
    const { action, content } = await ask.elicit("name", nameForm);
    return action === "accept" ? `Hello, ${content.name}` : action;
  });
  server.tool("change", {}, () => {
    server.tool("later", {}, () => "later");
    return "changed";
  });
  return server;
}

/** A client of either SDK with elicitation, and the notifications that it receives. */
async function theirs(t, Kind, Transport, schema, url) {
  const client = new Kind({ name: "theirs", version: "1" }, { capabilities: { elicitation: { form: {} } } });
  client.setRequestHandler(schema, () => ({ action: "accept", content: { name: "Ada" } }));
  await client.connect(new Transport(new URL(url)));
  t.after(() => client.close());
  return client;
}

const sdks = {
  "sdk-v1": (t, url) => theirs(t, Client, SSEClientTransport, ElicitRequestSchema, url),
  "sdk-v2": (t, url) => theirs(t, v2.Client, v2.SSEClientTransport, "elicitation/create", url),
};

for (const [name, open] of Object.entries(sdks))
  describe(`client ${name}, server ours`, () => {
    test("calls, progress, questions and changes", { timeout }, async (t) => {
      let read;
      const reported = new Promise((resolve) => (read = resolve));
      const http = await serveHttp(ours(reported), { port: 0, path: "/sse", sse: true });
      t.after(() => http.close());
      const [ada, eve] = await Promise.all([open(t, http.url), open(t, http.url)]);
      const names = (await ada.listTools()).tools.map((tool) => tool.name);
      assert.deepEqual(names, ["echo", "count", "greet", "change"]);
      const echoes = [ada, eve].map((client, index) =>
        client.callTool({ name: "echo", arguments: { message: `m${index}` } }),
      );
      assert.deepEqual((await Promise.all(echoes)).map(textOf), ["m0", "m1"]);
      const steps = [];
      const options = { onprogress: ({ progress }) => steps.push(progress) === 3 && read() };
      const counted = { name: "count", arguments: {} };
      await (name === "sdk-v1" ? ada.callTool(counted, undefined, options) : ada.callTool(counted, options));
      assert.deepEqual(steps, [1, 2, 3]);
      assert.equal(textOf(await eve.callTool({ name: "greet", arguments: {} })), "Hello, Ada");
      await ada.callTool({ name: "change", arguments: {} });
      assert.equal((await eve.listTools()).tools.length, 5);
    });
  });

/** A server of the first SDK that has the older transport alone. */
async function older(t) {
  const transports = new Map();
  const node = createNodeServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url, "http://localhost");
    if (request.method === "GET" && pathname === "/sse") {
      const transport = new SSEServerTransport("/messages", response);
      transports.set(transport.sessionId, transport);
      return makeServer().connect(transport);
    }
    const transport = transports.get(searchParams.get("sessionId"));
    if (request.method === "POST" && pathname === "/messages" && transport)
      return transport.handlePostMessage(request, response);
    response.writeHead(404).end();
  });
  await new Promise((resolve) => node.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    node.closeAllConnections();
    node.close();
  });
  return { node, url: `http://127.0.0.1:${node.address().port}/sse` };
}

function makeServer() {
  const server = new McpServer({ name: "older", version: "1.0.0" });
  const text = (value) => ({ content: [{ type: "text", text: value }] });
  server.registerTool("echo", { inputSchema: { message: z.string() } }, ({ message }) => text(message));
  server.registerTool("count", {}, async ({ _meta, sendNotification }) => {
    const { progressToken } = _meta;
    for (let progress = 1; progress <= 3; progress++)
      await sendNotification({ method: "notifications/progress", params: { progressToken, progress } });
    return text("counted");
  });
  server.registerTool("greet", {}, async () => {
    const { content } = await server.server.elicitInput(nameForm);
    return text(`Hello, ${content.name}`);
  });
  return server;
}

describe("client ours, server sdk-v1", () => {
  test("calls, progress and questions", { timeout }, async (t) => {
    const { url } = await older(t);
    const client = await connect(url, {
      revisions: clientRevisions,
      elicit: () => ({ action: "accept", content: { name: "Ada" } }),
    });
    t.after(() => client.close());
    assert.equal(client.revision, "2025-11-25");
    const echoes = ["a", "b", "c"].map((message) => client.callTool("echo", { message }));
    assert.deepEqual((await Promise.all(echoes)).map(textOf), ["a", "b", "c"]);
    const steps = [];
    await client.callTool("count", {}, { onProgress: ({ progress }) => steps.push(progress) });
    assert.deepEqual(steps, [1, 2, 3]);
    assert.equal(textOf(await client.callTool("greet")), "Hello, Ada");
  });

  test("another session follows after a broken stream", { timeout }, async (t) => {
    const { node, url } = await older(t);
    const client = await connect(url, { revisions: clientRevisions });
    t.after(() => client.close());
    await client.ping();
    node.closeAllConnections();
    assert.equal((await client.listTools()).items.length, 3);
    assert.equal(textOf(await client.callTool("echo", { message: "on" })), "on");
  });
});

function textOf({ content }) {
  return content.map(({ text }) => text).join("");
}
