// The official SDK v2 with sessions: they are in memory, for it has no other place for them.
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
const http = createServer(async (request, response) => {
  const id = request.headers["mcp-session-id"];
  let transport = sessions.get(id);
  if (!transport && id !== undefined)
    return response
      .writeHead(404, { "content-type": "application/json" })
      .end('{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"},"id":null}');
  if (!transport) {
    transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (opened) => void sessions.set(opened, transport),
    });
    await makeServer().connect(transport);
  }
  await transport.handleRequest(request, response);
});
await new Promise((resolve) => http.listen(0, "127.0.0.1", resolve));
process.send({ port: http.address().port });
process.once("disconnect", () => process.exit());
