// mcpgen over HTTP, protected by a resource server that verifies JWTs; with `--open`, without protection.
// BENCH_JWKS contains the keys.
import { jwks, resourceServer } from "@mcpgen/auth/server";
import { serverRevisions } from "@mcpgen/protocol/server";
import { createServer } from "@mcpgen/runtime/server";
import { serveHttp } from "@mcpgen/runtime/http";
import { issuer, resource } from "../../protected.mjs";
import { echo } from "../tools.mjs";
import { stateless, streams } from "./mode.mjs";

const server = createServer({ name: "bench", version: "1.0.0" }, { revisions: serverRevisions });
server.tool(echo.name, { ...echo, scopes: ["echo"] }, ({ message }) => message);
const { http } = resourceServer({
  resource,
  issuers: [jwks(issuer, { keys: JSON.parse(process.env.BENCH_JWKS) })],
  scopes: { required: ["mcp"] },
});
const { port } = await serveHttp(server, {
  port: 0,
  sessions: !stateless,
  responses: streams ? "sse" : "json",
  ...(process.argv.includes("--open") ? {} : http),
  allowedHosts: ["127.0.0.1"],
});
console.log(port);
