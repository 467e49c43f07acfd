import { McpServer } from "mcp-lite";
import { z } from "zod";
import { add, echo, more, text } from "../tools.mjs";

export const server = new McpServer({
  name: "bench",
  version: "1.0.0",
  schemaAdapter: (schema) => z.toJSONSchema(schema),
});
const inputSchema = z.object({ message: z.string() });
server.tool(echo.name, {
  description: echo.description,
  inputSchema,
  handler: ({ message }) => text(message),
});
server.tool(add.name, {
  description: add.description,
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  handler: ({ a, b }) => text(String(a + b)),
});
for (const { name, description } of more)
  server.tool(name, { description, inputSchema, handler: ({ message }) => text(message) });
