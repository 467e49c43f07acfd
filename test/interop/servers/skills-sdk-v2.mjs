// Skills by the official SDK, version 2: FOLDER, on stdio, or over HTTP with `sessions` or `handler`.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { NodeStreamableHTTPServerTransport, toNodeHandler } from "@modelcontextprotocol/node";
import { McpServer, createMcpHandler } from "@modelcontextprotocol/server";
import { loadSkills } from "@modelcontextprotocol/server/ext/skills/node";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

const [folder, mode] = process.argv.slice(2);
const catalog = await loadSkills(folder, { pageSize: 1 });

function makeServer() {
  const server = new McpServer({ name: "skills", version: "1.0.0" }, { capabilities: {} });
  catalog.attach(server);
  return server;
}

const sessions = new Map();

async function withSession(request, response) {
  let transport = sessions.get(request.headers["mcp-session-id"]);
  if (!transport) {
    transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => sessions.set(id, transport),
    });
    await makeServer().connect(transport);
  }
  await transport.handleRequest(request, response);
}

if (mode === "sessions") createServer(withSession).listen(0, "127.0.0.1");
else if (mode === "handler") createServer(toNodeHandler(createMcpHandler(makeServer))).listen(0, "127.0.0.1");
else serveStdio(makeServer);
