import { ValibotJsonSchemaAdapter } from "@tmcp/adapter-valibot";
import { McpServer } from "tmcp";
import * as v from "valibot";
import { add, echo, more, text } from "../tools.mjs";

export const server = new McpServer(
  { name: "bench", version: "1.0.0" },
  { adapter: new ValibotJsonSchemaAdapter(), capabilities: { tools: {} } },
);
const schema = v.object({ message: v.string() });
server.tool({ name: echo.name, description: echo.description, schema }, ({ message }) => text(message));
server.tool(
  { name: add.name, description: add.description, schema: v.object({ a: v.number(), b: v.number() }) },
  ({ a, b }) => text(String(a + b)),
);
for (const { name, description } of more)
  server.tool({ name, description, schema }, ({ message }) => text(message));
