import { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { add, echo, more, text } from "../tools.mjs";

const message = z.object({ message: z.string() });

export function makeServer() {
  const server = new McpServer({ name: "bench", version: "1.0.0" });
  server.registerTool(echo.name, { description: echo.description, inputSchema: message }, ({ message }) =>
    text(message),
  );
  server.registerTool(
    add.name,
    { description: add.description, inputSchema: z.object({ a: z.number(), b: z.number() }) },
    ({ a, b }) => text(String(a + b)),
  );
  for (const { name, description } of more)
    server.registerTool(name, { description, inputSchema: message }, ({ message }) => text(message));
  return server;
}
