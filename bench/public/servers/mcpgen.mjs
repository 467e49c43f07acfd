import { serverRevisions } from "@mcpgen/protocol";
import { createServer } from "@mcpgen/runtime";
import { serveHttp } from "@mcpgen/runtime/http";
import { z } from "zod";
import { text, tools } from "../tools.mjs";
import { shapes } from "../zod.mjs";

const server = createServer({ name: "bench", version: "1.0.0" }, { revisions: serverRevisions });
for (const { name, description, run } of tools)
  server.tool(name, { description, inputSchema: z.object(shapes[name]) }, async (input) =>
    text(await run(input)),
  );

const { port } = await serveHttp(server, { port: 0, sessions: false });
console.log(port);
