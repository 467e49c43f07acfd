// mcpgen with sealed sessions; with REDIS_PORT, processes share a store in Redis.
import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import { cluster } from "@mcpgen/cluster";
import { createServer } from "@mcpgen/runtime/all";
import { serveHttp } from "@mcpgen/runtime/http";
import { sealedSessions } from "@mcpgen/cluster/sealed-sessions";

const keys = ["the first secret of the service for tests"];

async function shared(port) {
  const { Redis } = createRequire(new URL("../../../test/engines/", import.meta.url))("ioredis");
  const { redisClusterStore } = await import("@mcpgen/redis");
  return { cluster: cluster({ store: redisClusterStore(new Redis(port), new Redis(port)), keys }) };
}

const server = createServer({ name: "peer", version: "1.0.0" });
const definition = { description: "For measurements", inputSchema: { type: "object" } };
server.tool("test_simple_text", definition, () => "This is a simple text response for testing.");
server.tool("slow", definition, async (_, { progress }) => {
  await progress(0);
  await sleep(2000);
  return "slow";
});
const requestedSchema = { type: "object", properties: { name: { type: "string" } } };
server.tool("ask", definition, async (_, { ask }) => {
  const { content } = await ask.elicit("name", { message: "Name?", requestedSchema });
  return `hello ${content?.name}`;
});
const redisPort = process.env.REDIS_PORT;
const { port } = await serveHttp(server, {
  port: 0,
  sessions: sealedSessions({ keys }),
  ...(redisPort && (await shared(Number(redisPort)))),
});
process.send({ port });
process.once("disconnect", () => process.exit());
