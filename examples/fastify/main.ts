// A server inside a Fastify application, beside its other routes. `main.js [PORT]`
import { serverRevisions } from "@mcpgen/protocol/server";
import { createServer } from "@mcpgen/runtime";
import { createNodeHandler } from "@mcpgen/runtime/http";
import { fastify } from "fastify";

const server = createServer({ name: "fastify", version: "1.0.0" }, { revisions: serverRevisions });
server.tool(
  "count",
  {
    inputSchema: {
      type: "object",
      // Bounded: whatever a client may choose costs the server no more than this.
      properties: { to: { type: "integer", minimum: 0, maximum: 1000 } },
      required: ["to"],
    },
  },
  ({ to }, { progress }) => {
    for (let number = 1; number <= to; number++) progress(number, to);
    return `counted to ${to}`;
  },
);

const app = fastify();
app.get("/", () => "an application of Fastify\n");

const mcp = createNodeHandler(server);
app.all("/api/mcp", (request, reply) => mcp(request.raw, reply.hijack().raw, request.body));
app.addHook("preClose", () => mcp.close());

console.error(`listening on ${await app.listen({ port: Number(process.argv[2] ?? 3000) })}`);
process.once("SIGTERM", () => void app.close());
