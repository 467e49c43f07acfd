// The official SDK v2. Its sessions are in memory, because it has no other store for them. With STATELESS, it
// runs without sessions.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";

const installed = createRequire(new URL("../../runtime/", import.meta.url));
const load = (name) => import(pathToFileURL(installed.resolve(name)).href);
const { NodeStreamableHTTPServerTransport } = await load("@modelcontextprotocol/node");
const { McpServer, inputRequired } = await load("@modelcontextprotocol/server");
const { z } = await load("zod");

const isStateless = process.env.STATELESS === "1";
const text = (value) => ({ content: [{ type: "text", text: value }] });

function makeServer() {
  const server = new McpServer({ name: "peer", version: "1.0.0" });
  const inputSchema = z.object({});
  server.registerTool("test_simple_text", { description: "Text", inputSchema }, () =>
    text("This is a simple text response for testing."),
  );
  server.registerTool("slow", { description: "Slow", inputSchema }, async () => {
    await sleep(2000);
    return text("slow");
  });
  const requestedSchema = { type: "object", properties: { name: { type: "string" } } };
  server.registerTool("ask", { description: "Asks", inputSchema }, (_, { mcpReq }) => {
    const answer = mcpReq.inputResponses?.name;
    if (answer) return text(`hello ${answer.content?.name}`);
    return inputRequired({
      inputRequests: { name: inputRequired.elicit({ message: "Name?", requestedSchema }) },
    });
  });
  return server;
}

const sessions = new Map();

async function connected(options) {
  const transport = new NodeStreamableHTTPServerTransport(options);
  await makeServer().connect(transport);
  return transport;
}

/** Returns the transport of a request; undefined for a session of another process. */
async function transportOf(id) {
  if (isStateless) return connected({ sessionIdGenerator: undefined });
  if (id !== undefined) return sessions.get(id);
  const transport = await connected({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (opened) => void sessions.set(opened, transport),
  });
  return transport;
}

const http = createServer(async (request, response) => {
  const transport = await transportOf(request.headers["mcp-session-id"]);
  if (transport) return transport.handleRequest(request, response);
  const error = { code: -32001, message: "Session not found" };
  response
    .writeHead(404, { "content-type": "application/json" })
    .end(JSON.stringify({ jsonrpc: "2.0", error, id: null }));
});
await new Promise((resolve) => http.listen(0, "127.0.0.1", resolve));
process.send({ port: http.address().port });
process.once("disconnect", () => process.exit());
