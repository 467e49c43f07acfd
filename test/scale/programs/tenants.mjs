// A node of several principals: the bearer token of a request names one. The node reports its use of memory when its
// parent asks.
import { createServer as createHttpServer } from "node:http";
import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { serverRevisions } from "@mcpgen/protocol/server";
import { createServer } from "@mcpgen/runtime";
import { serveHttp } from "@mcpgen/runtime/http";
import { shared } from "./shared.mjs";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");

const { serverOptions, httpOptions } = await shared();
const server = createServer(
  { name: "tenants", version: "1.0.0" },
  { revisions: serverRevisions, ...serverOptions },
);

const integer = { type: "integer" };
const properties = { key: { type: "string" }, steps: integer, size: integer, ms: integer };
const inputSchema = { type: "object", properties, required: ["key"] };
server.tool("echo", { inputSchema }, ({ key }) => key);

const question = {
  message: "Go on?",
  requestedSchema: { type: "object", properties: { name: { type: "string" } } },
};
/** Asks the client, and says what it answered. */
server.tool("ask", { inputSchema }, async ({ key }, { ask }) => {
  const { action, content } = await ask.elicit("name", question);
  return `${key}: ${action} ${content?.name}`;
});

/** Asks nothing, and ends when it is cancelled. */
server.tool("hold", { inputSchema }, async ({ key }, { progress, signal }) => {
  await progress(0, 1, key);
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
  return "cancelled";
});

const flood = { isOn: true };
/** Reports steps of `size` bytes, each after `ms` milliseconds, until the parent says stop. */
server.tool("flood", { inputSchema }, async ({ steps, size, ms = 0 }, context) => {
  const text = "x".repeat(size);
  let step = 0;
  for (; step < steps && flood.isOn; step++) {
    await context.progress(step + 1, steps, text);
    await sleep(ms);
  }
  return `${step} steps`;
});

/** @returns the principal of a token, or the status that refuses it */
const authenticate = ({ header }) => {
  const [, name] = /^Bearer (\w+)$/.exec(header("authorization") ?? "") ?? [];
  return name ? { auth: name, principal: name } : { status: 401 };
};

const { SCALE_LIMITS = "{}", SCALE_SESSIONS = "{}", SCALE_TTL, SCALE_ADDRESS } = process.env;
const limits = JSON.parse(SCALE_LIMITS);
/** Sessions in Redis, for so many milliseconds without use. */
async function storedSessions(path, idleMs) {
  const { Redis } = createRequire(new URL("../../engines/", import.meta.url))("ioredis");
  const { redisSessionStore } = await import("@mcpgen/redis");
  return { idleMs, store: redisSessionStore(new Redis({ path })) };
}
/** Sealed ones, or those with SCALE_TTL. */
const sessions = {
  ...(SCALE_TTL ? await storedSessions(SCALE_ADDRESS, Number(SCALE_TTL)) : httpOptions.sessions),
  ...JSON.parse(SCALE_SESSIONS),
};
const http = await serveHttp(server, { port: 0, authenticate, ...httpOptions, sessions, ...limits });

/** Responses that begin and do not end, to measure the cost of a connection without MCP. */
const held = createHttpServer((_, response) => response.writeHead(200).flushHeaders());
await new Promise((resolve) => held.listen(0, "127.0.0.1", resolve));
const heldPort = held.address().port;

process.on("message", async (message) => {
  if (message.flood === false) flood.isOn = false;
  if (!message.usage) return;
  if (message.usage === "collected")
    for (let turn = 0; turn < 4; turn++) {
      await sleep(10);
      collect();
    }
  const { rss, heapUsed } = process.memoryUsage();
  process.send({ usage: { cpu: process.cpuUsage(), rss, heapUsed, heldPort, ...http.stats() } });
});
process.once("disconnect", () => process.exit());
process.send({ port: http.port });
