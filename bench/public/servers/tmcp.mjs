// With sessions: its transport has no other mode for revisions up to 2025-11-25.
import { getRequestListener } from "@hono/node-server";
import { ValibotJsonSchemaAdapter } from "@tmcp/adapter-valibot";
import { HttpTransport } from "@tmcp/transport-http";
import { McpServer } from "tmcp";
import * as v from "valibot";
import { listen } from "../../runtime/servers/http/mode.mjs";
import { text, tools } from "../tools.mjs";

const described = (schema, description) => v.pipe(schema, v.description(description));
const schemas = {
  calculate_fibonacci: v.object({ n: described(v.number(), "Integer from 0 to 40") }),
  fetch_external_data: v.object({ endpoint: described(v.string(), "Complete URL of the endpoint") }),
  process_json_data: v.object({ data: described(v.looseObject({}), "JSON object to process") }),
  simulate_database_query: v.object({
    query: described(v.string(), "Text of the SQL query"),
    delay_ms: v.optional(described(v.number(), "Delay in milliseconds, from 0 to 5000"), 0),
  }),
};

const server = new McpServer(
  { name: "bench", version: "1.0.0" },
  { adapter: new ValibotJsonSchemaAdapter(), capabilities: { tools: {} } },
);
for (const { name, description, run } of tools)
  server.tool({ name, description, schema: schemas[name] }, async (input) => text(await run(input)));

const transport = new HttpTransport(server, { path: "/mcp" });
listen(getRequestListener((request) => transport.respond(request)));
