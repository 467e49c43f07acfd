// mcp-lite has no stdio transport: lines are split and written here as sparingly as its dispatcher allows.
import { McpServer } from "mcp-lite";
import { z } from "zod";
import { add, echo, more, text } from "./tools.mjs";

const server = new McpServer({
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

let rest = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop();
  for (const line of lines) void answer(JSON.parse(line));
});

async function answer(message) {
  const response = await server._dispatch(message);
  if (response !== null) process.stdout.write(JSON.stringify(response) + "\n");
}
