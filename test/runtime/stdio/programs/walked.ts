// A server of two tools: `add`, which is walked, and `modules`, which answers with the modules that ran since it was
// called before. Usage: node walked.mjs [--http]
import "@mcpgen/runtime/stdio-guard";
import { readFileSync, writeSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { fileURLToPath } from "node:url";
import { serverRevisions } from "@mcpgen/protocol/server";
import { createServer } from "@mcpgen/runtime";
import { serveStdio } from "@mcpgen/runtime/stdio";

const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true });

const server = createServer({ name: "walked", version: "1.0.0" }, { revisions: serverRevisions });
const operands = {
  type: "object",
  properties: { a: { type: "number" }, b: { type: "number" } },
  required: ["a", "b"],
} as const;
server.tool("add", { inputSchema: operands }, ({ a, b }) => String(a + b));
server.tool("modules", {}, async () => JSON.stringify(await modulesThatRan()));

/** Paths of modules of which a function was called since the last time. */
async function modulesThatRan(): Promise<string[]> {
  const file = fileURLToPath(import.meta.url);
  const text = readFileSync(file, "utf8");
  // In a bundle that is not minified, a comment with its path stands before each module.
  const starts = [...text.matchAll(/^\/\/ (\S+\.[mc]?[jt]s)$/gm)].map(({ 1: path, index }) => ({
    path: path!,
    index,
  }));
  const { result } = await session.post("Profiler.takePreciseCoverage");
  const called = result
    .filter(({ url }) => url === import.meta.url)
    .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges.slice(0, 1)))
    .filter(({ count }) => count > 0);
  const paths = called.map(
    ({ startOffset }) => starts.findLast(({ index }) => index < startOffset)?.path ?? "",
  );
  return [...new Set(paths)].filter((path) => /^runtime\/(base|core)\//.test(path)).sort();
}

if (process.argv.includes("--http")) {
  const { serveHttp } = await import("@mcpgen/runtime/http");
  const { port } = await serveHttp(server, { port: 0 });
  // Past the guard, which keeps standard output for messages.
  writeSync(1, `${port}\n`);
} else serveStdio(server);
