// Measures handlers that ask at 2026-07-28: the memory of a call that waits, the CPU time of a round, and of a call that does
// not ask. Without a transport. Usage: npm run build && node --expose-gc bench/runtime/parking.mjs [--before=DIR]
// DIR is a built checkout of an earlier commit; its handlers run again for each answer.
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { callerOf, modernMeta } from "./in-process.mjs";
import { pinToOneCore } from "./pinning.mjs";
import { takeTurns } from "./turns.mjs";

pinToOneCore();

const here = new URL("../../", import.meta.url);
const given = process.argv.find((argument) => argument.startsWith("--before="));
const before = given && pathToFileURL(`${resolve(given.slice("--before=".length))}/`);

const _meta = {
  ...modernMeta,
  "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
};
const form = {
  message: "Where to?",
  requestedSchema: { type: "object", properties: { street: { type: "string" } }, required: ["street"] },
};
const answer = { action: "accept", content: { street: "Main Street 1" } };

/** A server of the checkout in a folder, with a tool that asks and one that does not. */
async function serverIn(folder, options, definition = {}) {
  const { createServer } = await import(new URL("runtime/core/dist/all.js", folder));
  const server = createServer({ name: "bench", version: "1" }, { onEvent: () => true, ...options });
  server.tool("echo", {}, async () => "hello");
  server.tool("order", definition, async (_, { ask }) => {
    const { content } = await ask.elicit("address", form);
    return content.street;
  });
  return server;
}

/** Connects to a server. Returns a function that sends a request, and resolves with its result. */
function connectionTo(server, principal = "") {
  let receiver;
  const open = new Map();
  const channel = {
    open: (opened) => (receiver = opened),
    send(text) {
      const { id, result, error } = JSON.parse(text);
      if (error) throw new Error(text);
      open.get(id)(result);
      open.delete(id);
    },
    flush() {},
    async close() {},
  };
  server.connect(channel, { principal });
  let id = 0;
  return (more = {}) =>
    new Promise((done) => {
      open.set(++id, done);
      const params = { name: "order", arguments: {}, ...more, _meta };
      receiver.message(JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params }));
    });
}

/** The CPU time of some work in microseconds, by its number. */
async function cpuOf(count, work) {
  const started = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(started);
  return (user + system) / count;
}

function print(title, rows) {
  console.log(title);
  for (const [name, each] of rows) console.log(`${each.toFixed(2).padStart(9)} µs  ${name}`);
}

/** A clock that stands still until it is moved: the calls expire at once. */
class StoppedClock {
  #now = 0;
  #timers = new Set();
  now = () => this.#now;
  wallTime = () => this.#now;
  schedule(callback, delay) {
    const timer = { callback, due: this.#now + delay };
    this.#timers.add(timer);
    return timer;
  }
  clear = (timer) => void this.#timers.delete(timer);
  move(ms) {
    this.#now += ms;
    for (const timer of [...this.#timers])
      if (timer.due <= this.#now && this.#timers.delete(timer)) timer.callback();
  }
}

async function heap() {
  for (let turn = 0; turn < 3; turn++) {
    await new Promise((done) => setTimeout(done, 20));
    globalThis.gc();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const asks = 2000;
/** A contender that asks and is answered. */
async function asker(name, folder, options, definition) {
  const call = connectionTo(await serverIn(folder, options, definition));
  const one = async () => {
    const { requestState } = await call();
    await call({ requestState, inputResponses: { address: answer } });
  };
  return {
    name,
    run: async () => {
      for (let count = 0; count < asks; count++) await one();
    },
  };
}
const askers = [
  await asker("the handler waits", here),
  await asker("replay: true", here, { state: { parking: false } }, { replay: true }),
  ...(before ? [await asker("before", before)] : []),
];
for (const { run } of askers) await run();
print("a call with one question", await takeTurns(askers, 9, ({ run }) => cpuOf(asks, run)));

const plainCalls = 20_000;
const callers = [{ name: "now", run: callerOf(await serverIn(here)) }];
if (before) callers.push({ name: "before", run: callerOf(await serverIn(before)) });
for (const { run } of callers) await run(plainCalls);
const turns = 15;
print(
  "a call that does not ask",
  await takeTurns(callers, turns, ({ run }) => cpuOf(plainCalls, () => run(plainCalls))),
);

// Last, for the heap that it fills slows down what follows.
if (globalThis.gc) {
  const calls = 10_000;
  const clients = 100;
  const clock = new StoppedClock();
  const server = await serverIn(here, { clock, state: { parking: { calls, perPrincipal: calls } } });
  const lines = Array.from({ length: clients }, (_, index) => connectionTo(server, `client ${index}`));
  const park = () => Promise.all(Array.from({ length: calls }, (_, index) => lines[index % clients]()));
  // The first round loads the code.
  await park();
  clock.move(600_000);
  const empty = await heap();
  await park();
  const { parked } = server.stats().gauges;
  const full = await heap();
  clock.move(600_000);
  const left = server.stats().gauges.parked;
  const after = await heap();
  console.log(`${parked} parked calls`);
  console.log(
    `${Math.round((full - empty) / parked)
      .toString()
      .padStart(9)} bytes each`,
  );
  console.log(
    `${Math.round((after - empty) / parked)
      .toString()
      .padStart(9)} bytes each, after ${parked - left} have expired`,
  );
} else console.log("the memory of parked calls is measured with --expose-gc");
