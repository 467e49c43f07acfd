// By its handler of all revisions, which serves those up to 2025-11-25 without sessions.
import { toNodeHandler } from "@modelcontextprotocol/node";
import { McpServer, createMcpHandler } from "@modelcontextprotocol/server";
import { z } from "zod";
import { listen } from "../../runtime/servers/http/mode.mjs";
import { text, tools } from "../tools.mjs";
import { shapes } from "../zod.mjs";

const schemas = Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [name, z.object(shape)]));

function makeServer() {
  const server = new McpServer({ name: "bench", version: "1.0.0" });
  for (const { name, description, run } of tools)
    server.registerTool(name, { description, inputSchema: schemas[name] }, async (input) =>
      text(await run(input)),
    );
  return server;
}

listen(toNodeHandler(createMcpHandler(makeServer)));
