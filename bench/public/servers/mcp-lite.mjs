// Stateless, as the quick start of its README; on Node by the adapter of Hono.
import { getRequestListener } from "@hono/node-server";
import { McpServer, StreamableHttpTransport } from "mcp-lite";
import { z } from "zod";
import { listen } from "../../runtime/servers/http/mode.mjs";
import { text, tools } from "../tools.mjs";
import { shapes } from "../zod.mjs";

const server = new McpServer({
  name: "bench",
  version: "1.0.0",
  schemaAdapter: (schema) => z.toJSONSchema(schema),
});
for (const { name, description, run } of tools)
  server.tool(name, {
    description,
    inputSchema: z.object(shapes[name]),
    handler: async (input) => text(await run(input)),
  });

listen(getRequestListener(new StreamableHttpTransport().bind(server)));
