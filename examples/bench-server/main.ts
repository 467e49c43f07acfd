/**
 * A server to measure: `echo` and `add`, and as many more tools as `BENCH_TOOLS` asks for.
 * Usage: node dist/examples/bench-server/main.js [--stdio | --http [--stateless] [--responses=json|sse]]
 * Over HTTP it listens on a free port, and prints it.
 */
import "@mcpgen/runtime/stdio-guard";
import { writeSync } from "node:fs";
import { serverRevisions } from "@mcpgen/protocol/server";
import { createServer } from "@mcpgen/runtime/server";
import { serveStdio } from "@mcpgen/runtime/stdio";

const server = createServer({ name: "bench", version: "1.0.0" }, { revisions: serverRevisions });

const message = {
  type: "object",
  properties: { message: { type: "string" } },
  required: ["message"],
} as const;
const operands = {
  type: "object",
  properties: { a: { type: "number" }, b: { type: "number" } },
  required: ["a", "b"],
} as const;

server.tool<{ message: string }>(
  "echo",
  { description: "Answers with the message", inputSchema: message },
  (input) => input.message,
);
server.tool<{ a: number; b: number }>(
  "add",
  { description: "Adds two numbers", inputSchema: operands },
  ({ a, b }) => String(a + b),
);
for (let index = 2; index < Number(process.env["BENCH_TOOLS"] ?? 2); index++)
  server.tool<{ message: string }>(
    `tool_${index}`,
    {
      description: `Tool number ${index}, which answers with the message`,
      inputSchema: message,
    },
    (input) => input.message,
  );

const given = new Set(process.argv);
if (given.has("--http")) {
  const { serveHttp } = await import("@mcpgen/runtime/http");
  const responses = given.has("--responses=sse") ? "sse" : "json";
  const { port } = await serveHttp(server, { port: 0, sessions: !given.has("--stateless"), responses });
  // Past the guard, which keeps standard output for messages.
  writeSync(1, `${port}\n`);
} else serveStdio(server);
