// The smallest server there is: one tool, every revision of the protocol.
import "@mcpgen/runtime/stdio-guard";
import { createServer } from "@mcpgen/runtime/all";
import { serveStdio } from "@mcpgen/runtime/stdio";

const server = createServer({ name: "echo", version: "1.0.0" });

server.tool(
  "echo",
  {
    description: "Says what it is given.",
    inputSchema: { type: "object", properties: { message: { type: "string" } }, required: ["message"] },
  },
  ({ message }) => message,
);

serveStdio(server);
