import { randomUUID } from "node:crypto";
import { NodeStreamableHTTPServerTransport, toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { makeServer } from "../definitions/sdk-v2.mjs";
import { modern } from "../../contenders.mjs";
import { listen, stateless, streams } from "./mode.mjs";

const transports = new Map();
const stands = toNodeHandler(
  createMcpHandler(makeServer, { responseMode: streams ? "sse" : "json", legacy: "reject" }),
);

listen(async (request, response) => {
  if (request.headers["mcp-protocol-version"] === modern) return stands(request, response);
  const known = transports.get(request.headers["mcp-session-id"]);
  if (known) return known.handleRequest(request, response);
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: stateless ? undefined : randomUUID,
    enableJsonResponse: !streams,
    onsessioninitialized: (id) => void transports.set(id, transport),
  });
  const server = makeServer();
  await server.connect(transport);
  await transport.handleRequest(request, response);
  if (stateless) response.on("close", () => void server.close());
});
