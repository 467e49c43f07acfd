import { deepStrictEqual } from "node:assert";
import { contenders, development, floor, floorValid, legacy, modern, ours } from "../contenders.mjs";
import { discover, initialize, initialized, requestLine } from "../messages.mjs";
import { ProcessUnderTest } from "../process-under-test.mjs";
import { takeTurns } from "../turns.mjs";

const call = (message) => ({
  method: "tools/call",
  params: { name: "echo", arguments: { message } },
  judge: (result) => deepStrictEqual(result.content, [{ type: "text", text: message }]),
});
export const short = call("a message of some forty characters, hello");
const list = { method: "tools/list", params: {}, judge: ({ tools }) => deepStrictEqual(tools.length, 1000) };

/** The CPU time of a server for each request, over pipes. */
export const stdioRows = [
  row("tools/call, 64 in flight", short, legacy, 64, 10_000, [1.5, floorValid]),
  row("tools/call, 64 in flight, modern", short, modern, 64, 10_000, [1.5, floorValid]),
  row("tools/call, 1 in flight", short, legacy, 1, 2_000, [1.1, floorValid]),
  row("tools/call, 1 in flight, modern", short, modern, 1, 2_000, [1.1, floorValid]),
  row("tools/call, 64 KiB payload", call("0123456789abcdef".repeat(4096)), legacy, 1, 400, [
    1.05,
    floorValid,
  ]),
  row("tools/list, 1,000 tools", list, legacy, 1, 50, [0.2, floor]),
  // For information: the server without a production bundle.
  row("64 in flight, modern, development", short, modern, 64, 10_000, undefined, inDevelopment),
  row("1 in flight, modern, development", short, modern, 1, 2_000, undefined, inDevelopment),
];

function row(name, request, revision, inFlight, calls, bar, taking = contenders) {
  const measure = (effort) => measureStdio({ request, revision, inFlight, calls, taking, ...effort });
  return { name: `stdio, ${name}`, unit: "µs", bar, measure };
}

/** Returns the floors, and mcpgen in development. */
function inDevelopment() {
  const found = contenders().filter(({ name }) => [floor, floorValid, ours].includes(name));
  return found.map((one) => (one.name === ours ? { ...one, server: development } : one));
}

/** Returns the CPU time for a request of each server that `taking` returns, by name. */
export async function measureStdio({ request, revision, inFlight, calls, taking: chosen, share, rounds }) {
  const line = requestLine(request.method, request.params, revision);
  const servers = new Map();
  const taking = chosen().filter((one) => one.revisions.includes(revision));
  for (const one of taking) servers.set(one.name, await open(one, revision, request, line));
  const count = Math.ceil(calls * share);
  // Warms up until V8 has compiled every function: in the quick run as well, which would otherwise measure
  // the compiler.
  for (const server of servers.values()) {
    await server.exchange(line, 3 * calls, 64);
    await server.exchange(line, calls, inFlight);
  }
  const spent = await takeTurns(taking, rounds, async ({ name }) => {
    const server = servers.get(name);
    const before = await server.cpu();
    await server.exchange(line, count, inFlight);
    return ((await server.cpu()) - before) / count;
  });
  for (const server of servers.values()) await server.end();
  return spent;
}

/** Starts a server, and checks its answers to the opening and to one request. */
async function open({ server: file, options = [] }, revision, request, line) {
  const server = new ProcessUnderTest(file, {
    options: ["--stdio", ...options],
    environment: { BENCH_TOOLS: request === list ? "1000" : "2" },
  });
  server.send(...(revision === modern ? [discover] : [initialize(revision)]));
  const [{ result }] = await server.receive();
  deepStrictEqual(
    result?.protocolVersion ?? result?.supportedVersions?.find((one) => one === modern),
    revision,
  );
  if (revision !== modern) server.send(initialized);
  server.send(JSON.parse(line(0)));
  const [answer] = await server.receive();
  deepStrictEqual(answer.id, 1);
  request.judge(answer.result);
  return server;
}
