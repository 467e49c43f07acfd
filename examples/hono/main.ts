// A server inside a Hono application, beside its other routes; on Node here, anywhere else alike. `main.js [PORT]`
import { serve } from "@hono/node-server";
import { serverRevisions } from "@mcpgen/protocol/server";
import { createServer } from "@mcpgen/runtime";
import { createHttpHandler } from "@mcpgen/runtime/http";
import { Hono } from "hono";

const server = createServer({ name: "hono", version: "1.0.0" }, { revisions: serverRevisions });
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

const app = new Hono();
app.get("/", (context) => context.text("an application of Hono\n"));

const mcp = createHttpHandler(server);
app.all("/api/mcp", (context) => mcp.fetch(context.req.raw));

const http = serve(
  { fetch: app.fetch, port: Number(process.argv[2] ?? 3000), hostname: "127.0.0.1" },
  ({ port }) => console.error(`listening on port ${port}`),
);
process.once("SIGTERM", () => void mcp.close().then(() => http.close()));
