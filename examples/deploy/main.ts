// A server for several processes behind a load balancer: the program of compose.yaml, kubernetes.yaml and mcp@.service.
import { serverRevisions } from "@mcpgen/protocol/server";
import { createServer } from "@mcpgen/runtime";
import { health } from "@mcpgen/cluster";
import { serveHttp } from "@mcpgen/runtime/http";
import { sealedSessions } from "@mcpgen/cluster/sealed-sessions";

const keys = process.env["STATE_KEYS"]?.split(",") ?? [];
// The balancer gives a request to any process: a tool that asks its user needs `replay: true`, and `state.store`.
const server = createServer(
  { name: "deployed", version: "1.0.0" },
  { revisions: serverRevisions, state: { keys, parking: false } },
);
server.tool("pid", { description: "The process that answers" }, () => String(process.pid));

const status = health({ delayMs: Number(process.env["DRAIN_MS"] ?? 5000) });
const http = await serveHttp(server, {
  port: Number(process.env["PORT"] ?? 3000),
  host: process.env["HOST"] ?? "0.0.0.0",
  allowedHosts: process.env["ALLOWED_HOSTS"]?.split(",") ?? [],
  sessions: sealedSessions({ keys }),
  routes: status.routes,
});
console.error(`listening on ${http.url}`);
process.once("SIGTERM", () => void status.drain(http));
