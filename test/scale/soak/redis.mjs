// A Redis that is restarted, and keeps its data: an append-only file, written once a second.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { newFolder } from "../../engines/guarded.mjs";
import { startRedis } from "../../engines/redis.mjs";
import { Redis } from "./store.mjs";

export class RestartableRedis {
  #folder = newFolder();
  #stop;
  #admin;

  /** The path of its socket, the same after each restart. */
  socket = join(this.#folder, "redis.sock");

  async start() {
    const dir = this.#folder;
    const settings = { dir, unixsocket: this.socket, appendonly: "yes", appendfsync: "everysec" };
    ({ stop: this.#stop } = await startRedis(settings));
    if (this.#admin) return;
    this.#admin = new Redis({ path: this.socket, retryStrategy: () => 100 });
    this.#admin.on("error", () => {});
  }

  /** Kills it, and starts it again after some time. */
  async restart(downMs) {
    await this.#stop();
    await sleep(downMs);
    await this.start();
  }

  /** Closes the connections of all nodes. */
  async closeConnections() {
    for (const type of ["normal", "pubsub"]) await this.#admin.client("KILL", "TYPE", type, "SKIPME", "yes");
  }

  /** Lets all commands wait. */
  async pause(ms) {
    await this.#admin.client("PAUSE", ms, "ALL");
  }

  /** Version of the program. */
  async version() {
    return /redis_version:(\S+)/.exec(await this.#admin.info("server"))[1];
  }

  /** Bytes that its data and its buffers take. */
  async memory() {
    return Number(/used_memory:(\d+)/.exec(await this.#admin.info("memory"))[1]);
  }

  async end() {
    this.#admin?.disconnect();
    await this.#stop?.();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
