// platformatic/mcp, from the installed and built clone that MCPGEN_PLATFORMATIC names.
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";

const folder = process.env.MCPGEN_PLATFORMATIC;
const installed = createRequire(join(folder, "package.json"));
const fastify = installed("fastify");
const { default: plugin } = await import(pathToFileURL(join(folder, "dist/index.js")).href);

const text = (value) => ({ content: [{ type: "text", text: value }] });
const app = fastify();
const port = process.env.REDIS_PORT;
await app.register(plugin, {
  serverInfo: { name: "peer", version: "1.0.0" },
  capabilities: { tools: {}, elicitation: {} },
  enableSSE: true,
  ...(port && { redis: { host: "127.0.0.1", port: Number(port) } }),
});
const inputSchema = { type: "object", properties: {} };
const tool = (name, handler) => app.mcpAddTool({ name, description: name, inputSchema }, handler);
tool("test_simple_text", async () => text("This is a simple text response for testing."));
tool("slow", async () => {
  await sleep(2000);
  return text("slow");
});
const requestedSchema = { type: "object", properties: { name: { type: "string" } } };
// The result only confirms that the question was sent, because handlers do not get the answer.
tool("ask", async (_, { sessionId }) =>
  text(`sent ${await app.mcpElicit(sessionId, "Name?", requestedSchema, "name")}`),
);
await app.listen({ port: 0, host: "127.0.0.1" });
process.send({ port: app.server.address().port });
process.once("disconnect", () => process.exit());
