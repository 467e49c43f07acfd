// A node whose tools have effects, which a log counts. SIGTERM drains it.
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { serverRevisions } from "@mcpgen/protocol/server";
import { createServer } from "@mcpgen/runtime";
import { health } from "@mcpgen/runtime/health";
import { serveHttp } from "@mcpgen/runtime/http";
import { shared } from "./shared.mjs";

const { serverOptions, httpOptions } = await shared();
const server = createServer(
  { name: "worker", version: "1.0.0" },
  { revisions: serverRevisions, ...serverOptions },
);

const properties = { key: { type: "string" }, ms: { type: "number" } };
const inputSchema = { type: "object", properties, required: ["key"] };
/** Has an effect in the middle of its work. */
server.tool("work", { inputSchema }, async ({ key, ms = 0 }, context) => {
  await context.progress(0);
  await sleep(ms / 2);
  if (process.env.SCALE_LOG) appendFileSync(process.env.SCALE_LOG, `${key}\n`);
  await sleep(ms / 2);
  return `done ${key}`;
});

/** The delay ends when the parent says that the load balancer has noticed. */
const clock = {
  now: () => performance.now(),
  schedule: (callback) => process.on("message", ({ left }) => left && callback()),
  clear: () => {},
};
const status = health({ clock });
const http = await serveHttp(server, { port: 0, graceMs: 60_000, routes: status.routes, ...httpOptions });
process.once("SIGTERM", () => void status.drain(http).then(() => process.disconnect()));
process.once("disconnect", () => process.exit());
process.send({ port: http.port });
