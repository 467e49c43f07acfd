// Measures the CPU time of one `tools/call` in a server without hooks and with each kind of hook: in one
// process without a transport, and in a separate server process over HTTP. Usage: npm run build && node
// bench/runtime/hooks.mjs
import { createServer } from "@mcpgen/runtime/all";
import { rateLimit, timeLimit } from "@mcpgen/observe";
import { requestLog } from "@mcpgen/observe";
import { fileURLToPath } from "node:url";
import { modern, ours } from "./contenders.mjs";
import { HttpUnderTest } from "./http-under-test.mjs";
import { callerOf } from "./in-process.mjs";
import { requestLine } from "./messages.mjs";
import { pinToOneCore } from "./pinning.mjs";
import { takeTurns } from "./turns.mjs";

pinToOneCore();

const calls = 20_000;

/**
 * Returns a server with the given middleware, and a function that sends calls to it and resolves when all are
 * answered.
 */
function contender(name, ...middleware) {
  const server = createServer({ name: "bench", version: "1" });
  server.tool("echo", {}, async () => "hello");
  for (const each of middleware) server.use(each);
  return { name, run: callerOf(server) };
}

const contenders = [
  contender("no hook"),
  contender("a middleware that does nothing", (_, next) => next()),
  contender("an async middleware", async (_, next) => await next()),
  contender("rateLimit", rateLimit({ calls: 2_000_000_000 })),
  contender("timeLimit", timeLimit(30_000)),
  contender("requestLog, lines dropped", ...requestLog({ level: "info", write: () => {} }).use),
];

for (const { run } of contenders) await run(calls);
const medians = await takeTurns(contenders, 9, async ({ run }) => {
  const started = process.cpuUsage();
  await run(calls);
  const { user, system } = process.cpuUsage(started);
  return (user + system) / calls;
});
print("without a transport", medians);

const overHttp = {
  "no hook": "none",
  "a middleware that does nothing": "middleware",
  "an event listener": "events",
  "requestLog, lines dropped": "log",
};
const line = requestLine("tools/call", { name: "echo", arguments: { message: "hello" } }, modern);
const servers = [];
for (const [name, hooks] of Object.entries(overHttp)) {
  const server = fileURLToPath(new URL("servers/http/ours-hooks.mjs", import.meta.url));
  const http = { server, options: [`--hooks=${hooks}`], environment: { NODE_ENV: "production" } };
  const opened = await HttpUnderTest.open({ name: ours, http }, { revision: modern, responses: "json" }, 64);
  servers.push({ name, opened });
}
for (const { opened } of servers) await opened.cost(line, calls);
print("over HTTP", await takeTurns(servers, 15, ({ opened }) => opened.cost(line, 4000)));
for (const { opened } of servers) await opened.end();

function print(title, rows) {
  console.log(title);
  for (const [name, each] of rows) console.log(`${each.toFixed(2).padStart(7)} µs  ${name}`);
}
