// A server inside an Express application, beside its other routes. `main.js [PORT]`
import type { AddressInfo } from "node:net";
import { serverRevisions } from "@mcpgen/protocol/server";
import { createServer } from "@mcpgen/runtime";
import { createNodeHandler } from "@mcpgen/runtime/http";
import express from "express";

const server = createServer({ name: "express", version: "1.0.0" }, { revisions: serverRevisions });
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

const app = express();
app.use(express.json());
app.get("/", (_request, response) => void response.send("an application of Express\n"));

const mcp = createNodeHandler(server);
app.all("/api/mcp", mcp);

const http = app.listen(Number(process.argv[2] ?? 3000), "127.0.0.1", () =>
  console.error(`listening on port ${(http.address() as AddressInfo).port}`),
);
process.once("SIGTERM", () => void mcp.close().then(() => http.close()));
