import { fileURLToPath } from "node:url";
import { join } from "node:path";

const modules = fileURLToPath(new URL("node_modules", import.meta.url));

/** Evaluation of text as code is disabled in every runtime that has an option for it; workers always refuse it. */
const noCode = "--disallow-code-generation-from-strings";

/** The runtimes that run a module: command and arguments that come before it. */
export const runtimes = {
  "Node 20": [process.execPath, noCode],
  "Node 22": [join(modules, "node-22/bin/node"), noCode],
  "Node 24": [join(modules, "node-24/bin/node"), noCode],
  Bun: [join(modules, "@oven/bun-linux-x64/bin/bun")],
  Deno: [
    join(modules, "@deno/linux-x64-glibc/deno"),
    ...["run", "-A", "--quiet", "--no-lock", "--node-modules-dir=manual", `--v8-flags=${noCode}`],
  ],
};

export const workerd = join(modules, "@cloudflare/workerd-linux-64/bin/workerd");

const all = ["sessions", "across", "gone", "early"];

/** Programs that serve, and the capabilities that they have over sockets. */
export const servers = [
  { name: "Node 20, serveHttp", runtime: "Node 20", program: "serve-node.mjs", has: all },
  { name: "Node 22, serveHttp", runtime: "Node 22", program: "serve-node.mjs", has: all },
  { name: "Node 24, serveHttp", runtime: "Node 24", program: "serve-node.mjs", has: all },
  { name: "Bun.serve", runtime: "Bun", program: "serve-web.mjs", has: all },
  // Deno 2.9 does not abort the signal of a request that has a body till the answer begins.
  {
    name: "Deno.serve",
    runtime: "Deno",
    program: "serve-web.mjs",
    has: all.filter((each) => each !== "gone"),
  },
];

/** Paths of the worker, and their capabilities. */
export const workerPaths = [
  // Requests of a worker may not use objects of other requests.
  { name: "worker", path: "/mcp", has: [] },
  // In a Durable Object they may. The platform notices a disconnected client at the next write, and closes the
  // connection if the response comes before the end of the body.
  { name: "worker with a Durable Object", path: "/object/mcp", has: ["sessions", "across"] },
];
