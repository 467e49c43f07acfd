// Measures the CPU time of a plain call and the memory of servers made with mcpgen and with other
// implementations, on one node and on four: `node bench/scale/peers-cost.mjs`. It needs test/engines and
// bench/runtime installed; see peers/list.mjs for platformatic/mcp. All services run at once and are called
// in turns, so that other load on the machine affects all equally. The client is not counted.
import { Agent } from "node:http";
import { createRequire } from "node:module";
import { loadavg } from "node:os";
import { startRedis } from "../../test/engines/redis.mjs";
import { Nodes } from "../../test/scale/nodes.mjs";
import { call, openSession, send } from "../../test/scale/raw-requests.mjs";
import { freePorts } from "../../test/support/free-ports.mjs";
import { peers, program } from "./peers/list.mjs";

const rounds = Number(process.env.ROUNDS ?? 7);
const calls = Number(process.env.CALLS ?? 4000);
/** Calls of a node before the first round: afterwards V8 has compiled its code. */
const warm = Number(process.env.WARM ?? 10_000);
const inFlight = Number(process.env.IN_FLIGHT ?? 16);
const sessionsOfNode = 16;

const { Redis } = createRequire(new URL("../../test/engines/", import.meta.url))("ioredis");

/** The resources that a process has used: CPU time in microseconds, and resident memory in bytes. */
function usedBy({ child }) {
  return new Promise((resolve) => {
    const answered = ({ used }) => {
      if (!used) return;
      child.off("message", answered);
      resolve({ cpu: used.cpu.user + used.cpu.system, memory: used.memory });
    };
    child.on("message", answered);
    child.send("used");
  });
}

const usage = new URL("peers/usage.mjs", import.meta.url).href;

/** An agent for requests that each open a new connection. */
const unkept = new Agent();

/** A service of several nodes, with a separate Redis if it uses one, and a client. */
class Service {
  #nodes;
  #sessions = [];
  #redis;
  #stop = async () => {};
  #turn = 0;
  samples = [];

  static async start(peer, count) {
    const service = new Service();
    service.peer = peer;
    service.count = count;
    const env = { ...peer.env, NODE_ENV: "production", NODE_OPTIONS: `--import=${usage}` };
    if (peer.usesRedis) {
      [env.REDIS_PORT] = (await freePorts(1)).map(String);
      service.#stop = (await startRedis({ port: env.REDIS_PORT })).stop;
      service.#redis = new Redis(Number(env.REDIS_PORT));
    }
    service.#nodes = new Nodes(program(peer), env);
    await service.#nodes.start(count);
    const ports = service.#nodes.ports();
    for (let number = 0; number < sessionsOfNode * count; number++)
      service.#sessions.push(await openSession(ports[number % count], undefined, unkept));
    return service;
  }

  /** Makes `total` calls; every node gets calls of all sessions. */
  async call(total) {
    const ports = this.#nodes.ports();
    // A node closes a connection that is idle for long, so each turn opens new ones.
    const agents = ports.map(() => new Agent({ keepAlive: true }));
    let left = total;
    const work = async () => {
      while (left-- > 0) {
        const turn = this.#turn++;
        const node = turn % this.count;
        const session = this.#sessions[Math.floor(turn / this.count) % this.#sessions.length];
        const body = call(turn, "test_simple_text", {});
        const sent = { session, body, agent: agents[node] };
        // On a busy machine, a node may close an idle connection at the moment when a call arrives on it.
        const { text } = await send(ports[node], sent).catch(() => send(ports[node], sent));
        if (!text.includes("simple text response"))
          throw new Error(`${this.peer.name}: ${text.slice(0, 300)}`);
      }
    };
    await Promise.all(Array.from({ length: inFlight }, work));
    for (const agent of agents) agent.destroy();
  }

  async #info(section, name) {
    if (!this.#redis) return 0;
    return Number(new RegExp(`${name}:([\\d.]+)`).exec(await this.#redis.info(section))[1]);
  }

  async #used() {
    const nodes = await Promise.all(this.#nodes.members.map(usedBy));
    const sum = (name) => nodes.reduce((total, each) => total + each[name], 0);
    const redis = (await this.#info("cpu", "used_cpu_user")) + (await this.#info("cpu", "used_cpu_sys"));
    return { cpu: sum("cpu"), memory: sum("memory"), redis: 1e6 * redis };
  }

  async measure() {
    const before = await this.#used();
    await this.call(calls);
    const after = await this.#used();
    this.samples.push({
      nodes: (after.cpu - before.cpu) / calls,
      redis: (after.redis - before.redis) / calls,
      nodesMemory: after.memory,
      redisMemory: await this.#info("memory", "used_memory_rss"),
    });
  }

  async end() {
    this.#redis?.disconnect();
    await this.#nodes.end();
    await this.#stop();
  }
}

const median = (numbers) => [...numbers].sort((one, other) => one - other)[numbers.length >> 1];

const services = [];
for (const count of [1, 4])
  for (const peer of peers) if (count === 1 || !peer.isBound) services.push(await Service.start(peer, count));
for (const service of services) await service.call(warm * service.count);
const load = loadavg()[0];
for (let round = 0; round < rounds; round++) for (const service of services) await service.measure();
console.log(
  `${inFlight} in flight, ${rounds} rounds of ${calls} calls, load average ${load.toFixed(1)} at begin`,
);
console.log(
  "peer | nodes | CPU of nodes, µs | CPU of Redis, µs | both | memory of nodes, MiB | memory of Redis, MiB",
);
for (const { peer, count, samples } of services) {
  const of = (name) => median(samples.map((sample) => sample[name]));
  const [nodes, redis] = [of("nodes"), of("redis")];
  const cpu = [nodes, redis, nodes + redis].map((each) => each.toFixed(0));
  const memory = ["nodesMemory", "redisMemory"].map((name) => (of(name) / 2 ** 20).toFixed(0));
  console.log([peer.name, count, ...cpu, ...memory].join(" | "));
}
for (const service of services) await service.end();
process.exit();
