// Stateless, as the server for Node of the source and simpleStatelessStreamableHttp.ts of the SDK: a server and
// a transport for each request.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { listen } from "../../runtime/servers/http/mode.mjs";
import { text, tools } from "../tools.mjs";
import { shapes } from "../zod.mjs";

function makeServer() {
  const server = new McpServer({ name: "bench", version: "1.0.0" });
  for (const { name, description, run } of tools)
    server.registerTool(name, { description, inputSchema: shapes[name] }, async (input) =>
      text(await run(input)),
    );
  return server;
}

listen(async (request, response) => {
  const server = makeServer();
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  response.on("close", () => {
    void transport.close();
    void server.close();
  });
  await server.connect(transport);
  await transport.handleRequest(request, response);
});
