// A process that runs tasks: node tasks.mjs server|worker DRIVER ADDRESS LOG. Prints a line when it is ready; a server
// prints its URL. The file LOG gets a line of JSON for each effect, and for each write of a journal. It does not belong
// to the store.
import { openSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { tasks as tasksExtension } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/server";
import { serverRevisions } from "@mcpgen/protocol/server";
import { createServer } from "@mcpgen/runtime";
import { serveHttp } from "@mcpgen/runtime/http";
import { tasks } from "@mcpgen/tasks";
import { openBus } from "../buses.mjs";
import { leaseMs } from "../cluster.mjs";
import { openStore } from "../stores.mjs";

const [role, driver, address, path] = process.argv.slice(2);
const log = openSync(path, "a");
const write = (line) => writeSync(log, `${JSON.stringify({ ...line, pid: process.pid })}\n`);

const { store } = await openStore(driver, address);
const journalled = ({ id, request, journal }) => {
  if (request)
    write({ id, name: request.params.arguments.name, journalled: journal?.once.map(({ key }) => key) ?? [] });
};
/** Logs the journal after each write. A run that takes over a task logs the whole journal before its handler begins. */
const observed = {
  ...store,
  create: async (task) => {
    await store.create(task);
    journalled(task);
  },
  replace: async (task, version) => {
    const isReplaced = await store.replace(task, version);
    if (isReplaced) journalled(task);
    return isReplaced;
  },
};

const limits = { work: Infinity, memory: Infinity };
const server = createServer(
  { name: "cluster", version: "1.0.0" },
  {
    revisions: serverRevisions,
    changes: await openBus(driver, address),
    extensions: [
      tasks(tasksExtension, {
        ...{ store: observed, keys: ["cluster: a secret for tests"], limits },
        ...{ leaseMs, pollMs: 100 },
      }),
    ],
  },
);

const inputSchema = {
  type: "object",
  properties: { name: { type: "string" }, steps: { type: "integer" } },
  required: ["name", "steps"],
};

/** Does a step once: a line in the log, then some time. */
const step = (context, name, index) =>
  context.once(`step ${index}`, async () => {
    write({ name, effect: `step ${index}` });
    await sleep(100);
    return index;
  });

for (const onRestart of ["replay", "fail"])
  server.tool(
    onRestart,
    { inputSchema, task: { support: "required", inlineMs: 0, onRestart } },
    async ({ name, steps }, context) => {
      const done = [];
      for (let index = 0; index < steps; index++) done.push(await step(context, name, index));
      return done.join(" ");
    },
  );

const question = { message: "Go on?", requestedSchema: { type: "object", properties: {} } };
server.tool(
  "ask",
  { inputSchema, task: { support: "required", inlineMs: 0, onRestart: "replay" } },
  async ({ name, steps }, context) => {
    const done = [];
    for (let index = 0; index < steps; index++) {
      if (index === Math.floor(steps / 2)) done.push((await context.ask.elicit("go on", question)).action);
      done.push(await step(context, name, index));
    }
    return done.join(" ");
  },
);

if (role === "server") {
  const { url } = await serveHttp(server, { port: 0, host: "localhost" });
  console.log(url);
} else {
  console.log("ready");
  // The timer of tasks does not keep a process alive.
  setInterval(() => {}, 60_000);
}
