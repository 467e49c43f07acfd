import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePorts } from "../support/free-ports.mjs";
import { lackOf, pathOf } from "../support/programs.mjs";
import { newFolder, start } from "./guarded.mjs";

const server = pathOf("redis-server");

/** The reason why there is no Redis here, or `undefined`. */
export const noRedis = lackOf(server !== undefined, "redis-server is not installed");

/**
 * Starts an empty Redis, for this process and those that it starts.
 *
 * @param settings more of its options, e.g. `{ "maxmemory": "10mb" }`
 * @returns the path of its socket, and a function that stops it
 */
export async function startRedis(settings = {}) {
  const folder = newFolder();
  const socket = join(folder, "redis.sock");
  const all = { port: "0", unixsocket: socket, dir: folder, save: "", appendonly: "no", ...settings };
  const options = Object.entries(all).flatMap(([name, value]) => [`--${name}`, value]);
  const stop = await start([server, ...options], {
    ready: "eady to accept connections",
    signal: "KILL",
    folder,
  });
  return { socket, stop };
}

/** The first and last slots of the nodes of a cluster. */
const slots = ["0 5460", "5461 10922", "10923 16383"];

/**
 * Starts a cluster of three nodes. Each has a third of the slots, and refuses commands whose keys have several.
 *
 * @returns the address of a node, and a function that stops all
 */
export async function startRedisCluster() {
  const nodes = [];
  const stop = async () => {
    await Promise.all(nodes.map((node) => node.stop()));
  };
  try {
    for (const range of slots) {
      const node = await startNode();
      nodes.push(node);
      await send(node.socket, `CLUSTER ADDSLOTSRANGE ${range}`);
    }
    for (const { port, bus } of nodes.slice(1))
      await send(nodes[0].socket, `CLUSTER MEET 127.0.0.1 ${port} ${bus}`);
    for (const { socket } of nodes) {
      const isReady = (info) => info.includes("cluster_state:ok") && info.includes("cluster_size:3");
      while (!isReady(await send(socket, "CLUSTER INFO"))) await sleep(20);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { address: `127.0.0.1:${nodes[0].port}`, stop };
}

/** Starts a node that no cluster knows. */
async function startNode() {
  for (let attempt = 0; ; attempt++) {
    const [port, bus] = await freePorts(2);
    const settings = {
      port: `${port}`,
      "cluster-enabled": "yes",
      "cluster-port": `${bus}`,
      bind: "127.0.0.1",
      "cluster-announce-ip": "127.0.0.1",
    };
    try {
      return { ...(await startRedis(settings)), port, bus };
    } catch (error) {
      // Another process may have taken the port.
      if (attempt === 5) throw error;
    }
  }
}

/** Sends a command. @returns the beginning of the reply */
async function send(socket, command) {
  const connection = connect(socket);
  connection.write(`${command}\r\n`);
  const [reply] = await once(connection, "data");
  connection.destroy();
  return String(reply);
}
