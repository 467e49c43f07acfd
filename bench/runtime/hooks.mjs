// CPU of one `tools/call` in a server without hooks, and with each of them: in one process, without a transport.
// Usage: npm run build && node bench/runtime/hooks.mjs
import { createServer } from "@mcpgen/runtime/all";
import { rateLimit, timeLimit } from "@mcpgen/runtime/limits";
import { requestLog } from "@mcpgen/runtime/logging";
import { takeTurns } from "./turns.mjs";

const calls = 20_000;

const _meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** A server with middleware, and a function that sends it calls and resolves when all are answered. */
function contender(name, ...middleware) {
  const server = createServer({ name: "bench", version: "1" });
  server.tool("echo", {}, async () => "hello");
  for (const each of middleware) server.use(each);
  let receiver;
  server.connect({
    open: (opened) => (receiver = opened),
    send: () => {},
    flush: () => {},
    close: async () => {},
  });
  const run = async (count) => {
    for (let id = 1; id <= count; id++) {
      const params = { name: "echo", arguments: {}, _meta };
      receiver.message(JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params }));
      if (id % 64 === 0) await Promise.resolve();
    }
    await new Promise((resolve) => setTimeout(resolve, 0));
  };
  return { name, run };
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
for (const [name, each] of medians) console.log(`${each.toFixed(2)} µs  ${name}`);
