// Stateless, as "Stateless Mode" in its README. It brings its own HTTP server.
import { once } from "node:events";
import { createServer } from "node:net";
import { FastMCP } from "fastmcp";
import { z } from "zod";
import { tools } from "../tools.mjs";
import { shapes } from "../zod.mjs";

const nothing = () => {};
const logger = { debug: nothing, error: console.error, info: nothing, log: nothing, warn: nothing };
const server = new FastMCP({ name: "bench", version: "1.0.0", logger });
for (const { name, description, run } of tools)
  server.addTool({
    name,
    description,
    parameters: z.object(shapes[name]),
    execute: async (input) => JSON.stringify(await run(input)),
  });

// It does not tell which port it listens on, if it may choose.
const port = await freePort();
await server.start({ transportType: "httpStream", httpStream: { host: "127.0.0.1", port, stateless: true } });
console.log(port);

async function freePort() {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address();
  probe.close();
  await once(probe, "close");
  return port;
}
