import { deepStrictEqual } from "node:assert";
import { development, floor, floorValid, legacy, modern, ours, oursByFetch } from "../contenders.mjs";
import { HttpUnderTest, contendersFor } from "../http-under-test.mjs";
import { requestLine } from "../messages.mjs";
import { ours as bundles } from "../production.mjs";
import { accessToken } from "../protected.mjs";
import { takeTurns } from "../turns.mjs";

const message = "a message of some forty characters, hello";
const judge = ({ content }) => deepStrictEqual(content, [{ type: "text", text: message }]);
const bar = [1.25, floor];
const statelessJson = { revision: legacy, stateful: false, responses: "json" };

const modes = [
  ["sessions, JSON", { ...statelessJson, stateful: true }],
  ["sessions, events", { ...statelessJson, stateful: true, responses: "sse" }],
  ["stateless, JSON", statelessJson],
  ["stateless, events", { ...statelessJson, responses: "sse" }],
  ["modern, JSON", { ...statelessJson, revision: modern }],
  ["modern, events", { ...statelessJson, revision: modern, responses: "sse" }],
];

/** The CPU time of a server for each `tools/call` over HTTP, for every form of response and both eras. */
export const httpRows = [
  ...modes.map(([name, mode]) => row(name, mode)),
  ...modes.map(([name, mode]) =>
    row(`${name}, 1 connection`, { ...mode, connections: 1, taking: judgedOnly }),
  ),
  {
    name: "HTTP, cached token: added",
    unit: "µs",
    bar: [0.08, floor],
    measure: measureProtected,
  },
  // For information: the fetch adapter, which uses web objects on Node, and the server without a production
  // bundle.
  {
    ...row("stateless, JSON, by fetch", { ...statelessJson, taking: withOurs(oursByFetch) }),
    bar: undefined,
  },
  { ...row("modern, JSON, development", { ...modes[4][1], taking: withOurs(development) }), bar: undefined },
];

function row(name, mode) {
  return { name: `HTTP, ${name}`, unit: "µs", bar, measure: (effort) => measureHttp(mode, effort) };
}

/**
 * The time that verifying a cached token adds to a call: the difference to the same server without
 * protection.
 */
async function measureProtected(effort) {
  const { token, keys } = await accessToken();
  const open = "open";
  const environment = { BENCH_JWKS: JSON.stringify(keys) };
  const http = { server: bundles.protected, environment };
  const taking = (mode) => [
    ...judgedOnly(mode).filter(({ name }) => name === floor),
    { name: open, http: { ...http, options: ["--open"] } },
    { name: ours, http },
  ];
  const headers = { Authorization: `Bearer ${token}` };
  const spent = await measureHttp({ ...modes[4][1], headers, taking }, effort);
  return new Map([
    [floor, spent.get(floor)],
    [ours, spent.get(ours) - spent.get(open)],
  ]);
}

/** The number of connections, each with one call in flight, unless the row sets another. */
const inFlight = 64;
/**
 * The calls of a turn, and the calls before the first turn, after which V8 has compiled every function of the
 * judged rows.
 */
const calls = 4000;
const warmingCalls = 12_000;
const judged = new Set([floor, floorValid, ours, "open", "plain"]);
/**
 * Limits for contenders that are not judged, in microseconds of CPU time: the last per cent does not matter
 * for them.
 */
const turnLimit = 120_000;
const warmingLimit = 800_000;

/** Returns the CPU time of each server of a mode for a `tools/call`, by name. */
export async function measureHttp(mode, { share, rounds }) {
  const body = requestLine("tools/call", { name: "echo", arguments: { message } }, mode.revision);
  const taking = (mode.taking ?? contendersFor)(mode);
  const ready = new Map();
  for (const one of taking) ready.set(one.name, await prepare(one, mode, body));
  const spent = await takeTurns(taking, rounds, ({ name }) => {
    const { server, count } = ready.get(name);
    return server.cost(body, Math.ceil(count * share));
  });
  for (const { server } of ready.values()) await server.end();
  return spent;
}

function judgedOnly(mode) {
  return contendersFor(mode).filter(({ name }) => judged.has(name));
}

function withOurs(server) {
  return (mode) => judgedOnly(mode).map((one) => (one.name === ours ? { ...one, http: { server } } : one));
}

/**
 * Starts a server and warms it up, after checking its answer; returns it with the number of calls in a turn.
 */
async function prepare(one, mode, body) {
  const server = await HttpUnderTest.open(one, mode, mode.connections ?? inFlight);
  if (mode.stateful) await server.openSessions();
  await server.tryOut(body, judge);
  const limit = judged.has(one.name) ? Infinity : warmingLimit;
  const cost = await warmUp(server, body, limit);
  return { server, count: judged.has(one.name) ? calls : Math.min(calls, turnLimit / cost) };
}

/**
 * Makes calls until the server is warm, or until it has used `limit` microseconds; returns the cost of a call
 * at the end.
 */
async function warmUp(server, body, limit) {
  const end = (await server.cpu()) + limit;
  let cost;
  for (let done = 0; done < warmingCalls && (await server.cpu()) < end; done += 500)
    cost = await server.cost(body, 500);
  return cost;
}
