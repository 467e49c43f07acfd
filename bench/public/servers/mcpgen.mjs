import { serverRevisions } from "@mcpgen/protocol";
import { createServer } from "@mcpgen/runtime";
import { serveHttp } from "@mcpgen/runtime/http";
import { tools } from "../tools.mjs";

const server = createServer({ name: "bench", version: "1.0.0" }, { revisions: serverRevisions });
for (const { name, description, inputSchema, run } of tools)
  server.tool(name, { description, inputSchema }, async (input) => JSON.stringify(await run(input)));

const { port } = await serveHttp(server, { port: 0, sessions: false });
console.log(port);
