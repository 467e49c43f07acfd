// A server whose tools change its offer, for clients that get notifications of changes.
import "../../../../runtime/core/stdio-guard.js";
import { serverRevisions } from "@mcpgen/protocol";
import { createServer } from "../../../../runtime/core/index.js";
import { serveStdio } from "../../../../runtime/core/stdio.js";

const server = createServer({ name: "changing", version: "1" }, { revisions: serverRevisions });
server.resource("note://one", { name: "one" }, () => "one");
server.tool("change", {}, () => {
  server.resourceUpdated("note://one");
  return `${process.pid}`;
});
server.tool("add", {}, () => {
  server.tool("added", {}, () => "");
  return "";
});
serveStdio(server);
