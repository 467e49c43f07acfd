// Redis that is killed and comes back with its data, and a pair of servers under Sentinel.
import { rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { newFolder, start } from "../engines/guarded.mjs";
import { pathOf } from "../support/programs.mjs";
import { freePorts } from "../support/free-ports.mjs";

const program = pathOf("redis-server");
const ready = "eady to accept connections";

/** A server that keeps its data in an append-only file, written each second. */
export class FaultyRedis {
  #folder = newFolder();
  #settings;
  #stop;

  /** @param settings more of its options */
  constructor(settings = {}) {
    this.socket = join(this.#folder, "redis.sock");
    this.#settings = {
      port: "0",
      unixsocket: this.socket,
      dir: this.#folder,
      save: "",
      appendonly: "yes",
      appendfsync: "everysec",
      "enable-debug-command": "yes",
      ...settings,
    };
  }

  /** Resolves when it has loaded its data. */
  async start() {
    const options = Object.entries(this.#settings).flatMap(([name, value]) => [`--${name}`, value]);
    this.#stop = await start([program, ...options], { ready, signal: "KILL", folder: newFolder() });
  }

  /** kill -9. */
  async kill() {
    const stop = this.#stop;
    this.#stop = undefined;
    await stop?.();
  }

  /** Sends a command. @returns the beginning of the reply */
  send(command) {
    return send({ path: this.socket }, command);
  }

  async end() {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** A server, its replica, and a Sentinel that puts the replica in its place. */
export class WatchedRedis {
  servers = [];
  #folder = newFolder();
  #stop;

  async start() {
    const [first, second, sentinel] = await freePorts(3);
    const common = { bind: "127.0.0.1", "repl-diskless-sync-delay": "0" };
    for (const [port, more] of [
      [first, {}],
      [second, { replicaof: `127.0.0.1 ${first}` }],
    ]) {
      const server = new FaultyRedis({ ...common, port: `${port}`, ...more });
      this.servers.push(server);
      await server.start();
    }
    while (!(await this.servers[1].send("INFO replication")).includes("master_link_status:up"))
      await sleep(50);
    const file = join(this.#folder, "sentinel.conf");
    const lines = [
      `port ${sentinel}`,
      "bind 127.0.0.1",
      `dir ${this.#folder}`,
      `sentinel monitor main 127.0.0.1 ${first} 1`,
      "sentinel down-after-milliseconds main 500",
      "sentinel failover-timeout main 3000",
    ];
    writeFileSync(file, lines.join("\n"));
    const options = { ready: "+monitor", signal: "KILL", folder: newFolder() };
    this.#stop = await start([program, file, "--sentinel"], options);
    this.sentinel = `127.0.0.1:${sentinel}`;
    // Sentinel must know the replica before it can use it.
    const known = () => send({ port: sentinel, host: "127.0.0.1" }, "SENTINEL replicas main");
    while (!(await known()).includes(`${second}`)) await sleep(50);
  }

  /** Kills the server. @returns when the replica has taken its place, and milliseconds that this took */
  async failOver() {
    const begun = performance.now();
    const [first, second] = this.servers;
    await first.kill();
    while (!(await second.send("INFO replication")).includes("role:master")) await sleep(20);
    return performance.now() - begun;
  }

  async end() {
    await this.#stop?.();
    await Promise.all(this.servers.map((server) => server.end()));
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Sends a command. @returns the beginning of the reply; empty without a connection */
async function send(address, command) {
  const connection = connect(address);
  try {
    connection.write(`${command}\r\n`);
    const [reply] = await once(connection, "data");
    return String(reply);
  } catch {
    return "";
  } finally {
    connection.destroy();
  }
}
