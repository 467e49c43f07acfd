// Measures the CPU time of a call, depending on the number of nodes, the calls in flight, and the store that
// the nodes share: `node bench/scale/fleet.mjs`. It needs test/engines installed. Rounds alternate and the
// medians count, but other work on the machine still changes them. The rows are recorded in `constants.mjs`.
// Beside each row stands the prediction of the model, which follows from the rows of one node and of plain
// node:http.
import { fork } from "node:child_process";
import { Agent, request } from "node:http";
import { createRequire } from "node:module";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { startRedis } from "../../test/engines/redis.mjs";
import { constantsOf, predicted } from "./prediction.mjs";

const rounds = Number(process.env.ROUNDS ?? 5);
const calls = Number(process.env.CALLS ?? 8000);
/** Calls of a node before the first round: afterwards V8 has compiled its code. */
const warm = Number(process.env.WARM ?? 20_000);
const load = createRequire(new URL("../../test/engines/", import.meta.url));
const keys = ["the first secret of the service for tests"];
const revision = "2025-11-25";

/**
 * Runs a node, which answers calls and reports the resources it has used. @param address the address of
 * Redis, "" for sessions in memory, or "floor"
 */
async function serve(address) {
  const url = await (address === "floor" ? serveFloor() : serveTools(address));
  process.on("message", () =>
    process.send({ ...process.cpuUsage(), ...performance.nodeTiming.uvMetricsInfo }),
  );
  process.send(url);
}

/** Runs a plain node:http server, which reads and writes the same messages and checks nothing. */
async function serveFloor() {
  const { createServer } = await import("node:http");
  const server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (part) => (text += part));
    request.on("end", () => {
      const { id, params } = JSON.parse(text);
      const content = [{ type: "text", text: String(params?.arguments?.message) }];
      const answer = JSON.stringify({ jsonrpc: "2.0", id, result: { content } });
      const headers = { "content-type": "application/json", "mcp-session-id": "floor" };
      response.writeHead(200, headers).end(answer);
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${server.address().port}/mcp`;
}

async function serveTools(address) {
  const [{ createServer }, { serveHttp }] = await Promise.all([
    import("@mcpgen/runtime/all"),
    import("@mcpgen/runtime/http"),
  ]);
  const server = createServer({ name: "node", version: "1.0.0" });
  server.tool("echo", { inputSchema: { type: "object" } }, ({ message }) => String(message));
  return (await serveHttp(server, { port: 0, ...(address && (await shared(address))) })).url;
}

async function shared(path) {
  const [{ Redis }, { redisClusterStore }, { cluster }, { sealedSessions }] = await Promise.all([
    load("ioredis"),
    import("@mcpgen/redis"),
    import("@mcpgen/cluster"),
    import("@mcpgen/cluster/sealed-sessions"),
  ]);
  const store = redisClusterStore(new Redis({ path }), new Redis({ path }));
  return { sessions: sealedSessions({ keys }), cluster: cluster({ store, keys }) };
}

const reply = (child) => new Promise((resolve) => child.once("message", resolve));

/** Several nodes, and a client that calls them in turn. */
export class Fleet {
  #children;
  #urls;
  #agents;
  #sessions;
  #turn = 0;

  static async start(count, address = "") {
    const fleet = new Fleet();
    const env = { ...process.env, NODE_ENV: "production" };
    fleet.#children = Array.from({ length: count }, () =>
      fork(fileURLToPath(import.meta.url), ["node", address], { env }),
    );
    fleet.#urls = await Promise.all(fleet.#children.map(reply));
    fleet.#agents = fleet.#urls.map(() => new Agent({ keepAlive: true, maxSockets: 128 }));
    fleet.#sessions = [];
    // With sessions in memory, a session belongs to its node.
    for (let number = 0; number < 16 * count; number++)
      fleet.#sessions.push(await fleet.#open(number % count));
    return fleet;
  }

  async #open(at) {
    const clientInfo = { name: "bench", version: "1.0.0" };
    const params = { protocolVersion: revision, capabilities: {}, clientInfo };
    const { session } = await this.#post(at, { id: 0, method: "initialize", params });
    await this.#post(at, { method: "notifications/initialized" }, session);
    return session;
  }

  /** Makes `total` calls, `inFlight` at a time. */
  async call(total, inFlight) {
    let left = total;
    const worker = async () => {
      while (left-- > 0) {
        const turn = this.#turn++;
        const at = turn % this.#urls.length;
        const session = this.#sessions[turn % this.#sessions.length];
        const params = { name: "echo", arguments: { message: "hello" } };
        const { text } = await this.#post(at, { id: turn, method: "tools/call", params }, session);
        if (!text.includes('"text":"hello"')) throw new Error(text.slice(0, 300));
      }
    };
    await Promise.all(Array.from({ length: inFlight }, worker));
  }

  /** Microseconds of CPU time, turns of event loops, and events of all nodes since they started. */
  async used() {
    const all = await Promise.all(
      this.#children.map((child) => {
        const answer = reply(child);
        child.send("used");
        return answer;
      }),
    );
    const sum = (name) => all.reduce((total, each) => total + each[name], 0);
    return { cpu: sum("user") + sum("system"), loops: sum("loopCount") };
  }

  #post(at, message, session) {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      accept: "application/json, text/event-stream",
      ...(session && { "mcp-session-id": session, "mcp-protocol-version": revision }),
    };
    return new Promise((resolve, reject) => {
      const options = { method: "POST", agent: this.#agents[at], headers };
      const sent = request(this.#urls[at], options, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part) => (text += part));
        response.on("end", () => resolve({ text, session: response.headers["mcp-session-id"] }));
      });
      sent.on("error", reject);
      sent.end(body);
    });
  }

  end() {
    for (const agent of this.#agents) agent.destroy();
    for (const child of this.#children) child.kill();
  }
}

const median = (numbers) => [...numbers].sort((one, other) => one - other)[numbers.length >> 1];

/** The CPU time of Redis in microseconds. */
async function redisCpu(monitor) {
  const text = await monitor.info("cpu");
  return ["used_cpu_user", "used_cpu_sys"].reduce(
    (sum, name) => sum + 1e6 * Number(new RegExp(`${name}:([\\d.]+)`).exec(text)[1]),
    0,
  );
}

/** Prints the cost of a call for each number of nodes and of calls in flight, and the ratio of row 9. */
async function main() {
  const { socket, stop } = await startRedis();
  const { Redis } = load("ioredis");
  const monitor = new Redis({ path: socket });
  const fleets = [];
  const add = async (name, count, address, loads) => {
    const fleet = await Fleet.start(count, address);
    await fleet.call(warm * count, 16);
    for (const inFlight of loads)
      fleets.push({ name, count, address, inFlight, fleet, samples: [], loops: [], redis: [], client: [] });
  };
  await add("floor", 1, "floor", [16]);
  await add("floor", 2, "floor", [16]);
  await add("floor", 4, "floor", [16, 64]);
  await add("memory", 1, "", [1, 2, 4, 8, 16, 64]);
  await add("memory", 2, "", [16, 32]);
  await add("memory", 4, "", [16, 64]);
  await add("Redis", 1, socket, [16]);
  await add("Redis", 4, socket, [16, 64]);
  for (let round = 0; round < rounds; round++)
    for (const each of fleets) {
      const [before, redisBefore, own] = [
        await each.fleet.used(),
        await redisCpu(monitor),
        process.cpuUsage(),
      ];
      await each.fleet.call(calls, each.inFlight);
      const [after, redisAfter, { user, system }] = [
        await each.fleet.used(),
        await redisCpu(monitor),
        process.cpuUsage(own),
      ];
      each.samples.push((after.cpu - before.cpu) / calls);
      each.loops.push((after.loops - before.loops) / calls);
      each.redis.push((redisAfter - redisBefore) / calls);
      each.client.push((user + system) / calls);
    }
  for (const { fleet } of fleets) fleet.end();
  monitor.disconnect();
  await stop();
  const cells = fleets.map((each) => ({
    name: each.name,
    nodes: each.count,
    inFlight: each.inFlight,
    cpu: median(each.samples),
    turns: median(each.loops),
    redis: median(each.redis),
    client: median(each.client),
  }));
  const constants = constantsOf(cells);
  console.log(
    "sessions in | nodes | in flight | nodes, µs | model, µs | Redis, µs | turns of loops | client, µs",
  );
  for (const row of cells) {
    const { name, nodes, inFlight, cpu, turns, redis, client } = row;
    const model = name === "floor" ? "" : predicted(row, constants).toFixed(1);
    const [at, used, loops, own] = [cpu.toFixed(1), redis.toFixed(1), turns.toFixed(2), client.toFixed(1)];
    console.log([name, nodes, inFlight, at, model, used, loops, own].join(" | "));
  }
  const of = (name, count, inFlight) =>
    cells.find((each) => each.name === name && each.nodes === count && each.inFlight === inFlight);
  // Four processes on fewer than four cores cost more in any case: the ratio of the floor shows how much.
  for (const inFlight of [16, 64])
    for (const [name, reference] of [
      ["floor", "floor"],
      ["memory", "memory"],
      ["Redis", "memory"],
    ]) {
      const [four, one] = [of(name, 4, inFlight), of(reference, 1, 16)];
      const ratio = (four.cpu + (name === "Redis" ? four.redis : 0)) / one.cpu;
      console.log(
        `row 9: ${name}, ${inFlight} in flight at 4 nodes, by ${reference}, 16 at 1: ${ratio.toFixed(2)}`,
      );
    }
  process.exit();
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await (process.argv[2] === "node" ? serve(process.argv[3]) : main());
