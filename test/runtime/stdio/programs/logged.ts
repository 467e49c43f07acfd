// A server that logs its requests.
import "@mcpgen/runtime/stdio-guard";
import { serverRevisions } from "@mcpgen/protocol/server";
import { createServer } from "@mcpgen/runtime";
import { logRequests } from "@mcpgen/observe";
import { serveStdio } from "@mcpgen/runtime/stdio";

const server = createServer({ name: "logged", version: "1.0.0" }, { revisions: serverRevisions });
server.tool("add", {}, () => "done");
logRequests(server);
serveStdio(server);
