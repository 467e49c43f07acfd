import { randomUUID } from "node:crypto";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { makeServer } from "../definitions/sdk-v1.mjs";
import { listen, stateless, streams } from "./mode.mjs";

const transports = new Map();

listen(async (request, response) => {
  const known = transports.get(request.headers["mcp-session-id"]);
  if (known) return known.handleRequest(request, response);
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: stateless ? undefined : randomUUID,
    enableJsonResponse: !streams,
    onsessioninitialized: (id) => void transports.set(id, transport),
  });
  const server = makeServer();
  await server.connect(transport);
  await transport.handleRequest(request, response);
  if (stateless) response.on("close", () => void server.close());
});
