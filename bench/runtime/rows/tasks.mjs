import { deepStrictEqual } from "node:assert";
import { contenders, floorValid, ours } from "../contenders.mjs";
import { discover, meta, requestLine } from "../messages.mjs";
import { ours as bundles } from "../production.mjs";
import { ProcessUnderTest } from "../process-under-test.mjs";
import { takeTurns } from "../turns.mjs";

const capabilities = { extensions: { "io.modelcontextprotocol/tasks": {} } };
const _meta = { ...meta, "io.modelcontextprotocol/clientCapabilities": capabilities };

/** The cost of polling a task that is kept in memory. */
export const taskRows = [
  row("stdio, tasks/get, 64 in flight", 64, 10_000, [1.5, floorValid]),
  row("stdio, tasks/get, 1 in flight", 1, 2_000, [1.5, floorValid]),
];

function row(name, inFlight, calls, bar) {
  return { name, unit: "µs", bar, measure: (effort) => measure(inFlight, calls, effort) };
}

async function measure(inFlight, calls, { share, rounds }) {
  const byHand = contenders().find(({ name }) => name === floorValid);
  const taking = [byHand, { name: ours, server: bundles.tasks }];
  const servers = new Map();
  for (const one of taking) servers.set(one.name, await open(one));
  const count = Math.ceil(calls * share);
  for (const { server, line } of servers.values()) {
    await server.exchange(line, 3 * calls, 64);
    await server.exchange(line, calls, inFlight);
  }
  const spent = await takeTurns(taking, rounds, async ({ name }) => {
    const { server, line } = servers.get(name);
    const before = await server.cpu();
    await server.exchange(line, count, inFlight);
    return ((await server.cpu()) - before) / count;
  });
  for (const { server } of servers.values()) await server.end();
  return spent;
}

/**
 * Starts a server and makes a task on it; returns the server and the text of a request that polls the task.
 */
async function open({ server: file }) {
  const server = new ProcessUnderTest(file);
  server.send(discover);
  await server.receive();
  server.send({
    jsonrpc: "2.0",
    id: 0,
    method: "tools/call",
    params: { name: "report", arguments: {}, _meta },
  });
  const [{ result: task }] = await server.receive();
  const line = requestLine("tasks/get", { taskId: task.taskId, _meta });
  server.send(JSON.parse(line(0)));
  const [{ result }] = await server.receive();
  deepStrictEqual(result.result.content, [
    { type: "text", text: "a message of some forty characters, hello" },
  ]);
  return { server, line };
}
