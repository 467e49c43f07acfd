// A node whose tools have effects, which a log counts. SIGTERM drains it.
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { serverRevisions } from "@mcpgen/protocol/server";
import { createServer } from "@mcpgen/runtime";
import { health } from "@mcpgen/cluster";
import { serveHttp } from "@mcpgen/runtime/http";
import { shared } from "./shared.mjs";

const { serverOptions, httpOptions } = await shared();
const server = createServer(
  { name: "worker", version: "1.0.0" },
  { revisions: serverRevisions, capabilities: { logging: {} }, ...serverOptions },
);

const properties = { key: { type: "string" }, ms: { type: "number" }, steps: { type: "integer" } };
const inputSchema = { type: "object", properties, required: ["key"] };
/** Has an effect in the middle of its work. */
server.tool("work", { inputSchema }, async ({ key, ms = 0 }, context) => {
  await context.progress(0);
  await sleep(ms / 2);
  if (process.env.SCALE_LOG) appendFileSync(process.env.SCALE_LOG, `${key}\n`);
  await sleep(ms / 2);
  return `done ${key}`;
});

const question = {
  message: "Go on?",
  requestedSchema: { type: "object", properties: { name: { type: "string" } } },
};
/** Asks the client for a name, once or several times. */
server.tool("ask", { inputSchema }, async ({ steps = 1 }, { ask }) => {
  const answers = [];
  for (let step = 1; step <= steps; step++) {
    const { action, content } = await ask.elicit(`name ${step}`, question);
    answers.push(`${action} ${content?.name}`);
  }
  return answers.join(", ");
});

/** Has effects before, between and after its questions. */
server.tool("pay", { inputSchema }, async ({ key, steps = 1 }, { ask }) => {
  const effect = (text) => appendFileSync(process.env.SCALE_LOG, `${key} ${text}\n`);
  effect("begins");
  for (let step = 1; step <= steps; step++) {
    await ask.elicit(`name ${step}`, question);
    effect(`pays ${step}`);
  }
  return "paid";
});

/** Reports its steps. */
server.tool("steps", { inputSchema }, async ({ key, steps, ms = 0 }, context) => {
  for (let step = 1; step <= steps; step++) {
    await context.progress(step, steps, `${key} ${step}`);
    await sleep(ms);
  }
  return `done ${key}`;
});

/** Works until it is cancelled, and then has an effect. */
server.tool("hold", { inputSchema }, async ({ key }, { progress, signal }) => {
  await progress(0);
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
  if (process.env.SCALE_LOG) appendFileSync(process.env.SCALE_LOG, `cancelled ${key}\n`);
  return "cancelled";
});

/** Sends messages that belong to no request to the clients of a name: the key in a log, and a question. */
server.tool("apart", { inputSchema }, ({ key }) => {
  for (const session of server.sessions) {
    if (session.clientInfo?.name !== key) continue;
    session.log("error", key);
    session.elicit(question).then(
      ({ content }) => session.log("error", `${key} is ${content?.name}`),
      () => {},
    );
  }
  return "sent";
});

const status = health({ delayMs: 0 });
const http = await serveHttp(server, { port: 0, graceMs: 60_000, routes: status.routes, ...httpOptions });
/** Closes the endpoint when the parent says that the load balancer has noticed. */
async function close() {
  await new Promise((resolve) => process.on("message", ({ left }) => left && resolve()));
  await http.close();
}
process.once("SIGTERM", () => void status.drain({ close }).then(() => process.disconnect()));
process.once("disconnect", () => process.exit());
process.send({ port: http.port });
