// A server of ours that passes a call on to a server of the official SDK: relay.mjs stdio|http, with COLLECTOR in the environment.
import { fileURLToPath } from "node:url";
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { connect, createServer } from "@mcpgen/runtime";
import { serveHttp } from "@mcpgen/runtime/http";
import { instrument, instrumentation } from "@mcpgen/observe/otel";
import { serveStdio } from "@mcpgen/runtime/stdio";
import { telemetryTo } from "./telemetry.mjs";

const { options, flush } = telemetryTo(process.env.COLLECTOR);
const echo = fileURLToPath(new URL("echo-sdk-v2.mjs", import.meta.url));
const next = await connect(
  { command: process.execPath, args: [echo] },
  { revisions: clientRevisions, ...instrumentation(options) },
);
const server = createServer({ name: "relay", version: "1.0.0" }, { revisions: serverRevisions });
instrument(server, options);
server.tool("relay", {}, async () => {
  const { content } = await next.callTool("context");
  return content[0].text;
});
/** Exports what was recorded before. */
server.tool("flush", {}, async () => {
  await flush();
  return "flushed";
});
if (process.argv[2] === "http") {
  await serveHttp(server, { port: 0 });
} else serveStdio(server);
