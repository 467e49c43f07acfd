// mcpgen over stdio only, as its users write it.
import "@mcpgen/runtime/stdio-guard";
import { serverRevisions } from "@mcpgen/protocol/server";
import { createServer } from "@mcpgen/runtime/server";
import { serveStdio } from "@mcpgen/runtime/stdio";
import { add, echo, more } from "./tools.mjs";

const server = createServer({ name: "bench", version: "1.0.0" }, { revisions: serverRevisions });
for (const tool of [echo, ...more]) server.tool(tool.name, tool, ({ message }) => message);
server.tool(add.name, add, ({ a, b }) => String(a + b));
serveStdio(server);
