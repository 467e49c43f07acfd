// A server of the official SDK, version 2, on stdio. Its tool returns the trace context that the request brought.
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

serveStdio(() => {
  const server = new McpServer({ name: "echo", version: "1.0.0" });
  server.registerTool("context", { inputSchema: z.object({}) }, (_, { mcpReq }) => {
    const { traceparent = "", baggage = "" } = mcpReq._meta ?? {};
    return { content: [{ type: "text", text: JSON.stringify({ traceparent, baggage }) }] };
  });
  return server;
});
