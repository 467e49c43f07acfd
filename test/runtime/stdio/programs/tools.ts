// A server with tools that end in all ways there are.
import "../../../../runtime/core/stdio-guard.js";
import { serverRevisions } from "@mcpgen/protocol";
import { createServer } from "../../../../runtime/core/index.js";
import { serveStdio } from "../../../../runtime/core/stdio.js";

const server = createServer({ name: "tools", version: "1" }, { revisions: serverRevisions });

server.tool("throw", {}, () => {
  throw new Error("broken \u001b[2Jon purpose", { cause: new TypeError("deeper") });
});
server.tool("throw a value without text", {}, () => {
  throw Object.create(null) as Error;
});

server.tool("work", {}, async () => {
  await new Promise((resolve) => setTimeout(resolve, 50));
  return "worked";
});
server.tool("hang", {}, () => new Promise(() => {}));

serveStdio(server, { drain: Number(process.env["DRAIN"] ?? 1000) });
