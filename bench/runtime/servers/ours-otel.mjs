// mcpgen over stdio, or over HTTP with `--http`. `--otel=alone`: instrumented without an SDK;
// `--otel=removed`: instrumented, and the instrumentation removed again.
import { createServer } from "@mcpgen/runtime/all";
import { serveHttp } from "@mcpgen/runtime/http";
import { serveStdio } from "@mcpgen/runtime/stdio";
import { echo } from "./tools.mjs";

const server = createServer({ name: "bench", version: "1.0.0" });
server.tool(echo.name, echo, ({ message }) => message);
const given = process.argv.find((option) => option.startsWith("--otel="))?.slice("--otel=".length);
if (given) {
  const { instrument } = await import("@mcpgen/observe/otel");
  const remove = instrument(server);
  if (given === "removed") remove();
}
if (process.argv.includes("--http")) {
  const { port } = await serveHttp(server, { port: 0, sessions: false, responses: "json" });
  console.log(port);
} else serveStdio(server);
