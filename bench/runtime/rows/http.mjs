import { deepStrictEqual } from "node:assert";
import { floorValid, legacy, modern, ours, oursByFetch } from "../contenders.mjs";
import { HttpUnderTest, contendersFor } from "../http-under-test.mjs";
import { requestLine } from "../messages.mjs";
import { takeTurns } from "../turns.mjs";

const message = "a message of some forty characters, hello";
const judge = ({ content }) => deepStrictEqual(content, [{ type: "text", text: message }]);
const bar = [1.25, floorValid];
const statelessJson = { revision: legacy, stateful: false, responses: "json" };

/** CPU time of a server for each `tools/call` over HTTP, in every way of answering and both eras. */
export const httpRows = [
  row("sessions, JSON", { ...statelessJson, stateful: true }, bar),
  row("sessions, events", { ...statelessJson, stateful: true, responses: "sse" }, bar),
  row("stateless, JSON", statelessJson, bar),
  row("stateless, events", { ...statelessJson, responses: "sse" }, bar),
  row("modern, JSON", { ...statelessJson, revision: modern }, bar),
  row("modern, events", { ...statelessJson, revision: modern, responses: "sse" }, bar),
  row("stateless, JSON, ours by fetch", { ...statelessJson, byFetch: true }),
];

function row(name, mode, bar) {
  return { name: `HTTP, ${name}`, unit: "µs", bar, measure: (effort) => measureRow(mode, effort) };
}

/** Connections, each with one call in flight. */
const inFlight = 64;
/** Calls in a turn; fewer for whoever is slow, so that a turn costs no more microseconds of CPU time than that. */
const calls = 4000;
const turnLimit = 240_000;
/** Microseconds for a call: who takes longer is far from the bar, and not told apart by the last per cent. */
const slow = 150;

async function measureRow(mode, { share, rounds }) {
  const taking = contendersFor(mode).map((one) =>
    mode.byFetch && one.name === ours ? { ...one, http: oursByFetch } : one,
  );
  const body = requestLine("tools/call", { name: "echo", arguments: { message } }, mode.revision);
  const servers = new Map();
  const counts = new Map();
  for (const one of taking) {
    const server = await HttpUnderTest.open(one, mode, inFlight);
    if (mode.stateful) await server.openSessions();
    await server.tryOut(body, judge);
    servers.set(one.name, server);
    counts.set(one.name, Math.ceil((await warmUp(server, body)) * share));
  }
  const spent = await takeTurns(taking, rounds, ({ name }) => servers.get(name).cost(body, counts.get(name)));
  for (const server of servers.values()) await server.end();
  return spent;
}

/** Until every function is compiled, in the quick run as well; says how many calls make a turn. */
async function warmUp(server, body) {
  let cost = await server.cost(body, 1000);
  for (let left = 3; left > 0 && cost < slow; left--) cost = await server.cost(body, calls);
  return Math.min(calls, turnLimit / cost);
}
