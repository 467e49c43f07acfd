// Processes with a shared store that run tasks and are killed.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { clientRevisions } from "@mcpgen/protocol";
import {
  getTask,
  tasks as tasksExtension,
  updateTask,
} from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/client";
import { connect } from "@mcpgen/runtime";
import { driverNames } from "./stores.mjs";

/**
 * Time after which another process may take over a task. Half of it must be longer than the delays of a busy machine.
 */
export const leaseMs = Number(process.env.MCPGEN_LEASE ?? 10_000);

/** One driver for each engine that processes share. */
export const sharedDrivers = ["sqlite", "postgres", "redis"].flatMap((engine) => {
  const found = driverNames.find(([, other]) => other === engine);
  return found ? [found] : [];
});

const program = fileURLToPath(new URL("programs/tasks.mjs", import.meta.url));

/** Numbers from 0 to 1, as a seed decides (mulberry32). */
export function randomFrom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Starts processes by role. A process that is killed is replaced at once. */
export class Cluster {
  /** Process ids, in order of their deaths. */
  killed = [];
  #members = [];
  #client;
  #isEnded = false;

  /** @param engine of engines.mjs */
  constructor({ node }, driver, address, log) {
    this.start = (role) => {
      const child = spawn(node, [program, role, driver, address, log], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      const ready = new Promise((resolve, reject) => {
        createInterface(child.stdout).once("line", resolve);
        child.once("exit", () => reject(new Error(`${role} ${child.pid} ended before it was ready`)));
      });
      ready.catch(() => {});
      const member = { role, child, ready, ended: once(child, "exit") };
      this.#members.push(member);
      return member.ready;
    };
  }

  /** Kills a process, and starts another one in its place. Returns when that was, in milliseconds since 1970. */
  async kill(random) {
    const [member] = this.#members.splice(Math.floor(random() * this.#members.length), 1);
    // A process that has just started has no work to lose: wait until it is ready.
    await member.ready;
    const at = Date.now();
    member.child.kill("SIGKILL");
    await member.ended;
    this.killed.push(member.child.pid);
    if (this.#client?.member === member) this.#client = undefined;
    this.start(member.role).catch(() => {});
    return at;
  }

  /** Calls `use` with a client of any server, until a server lives to answer. */
  async ask(use) {
    for (;;) {
      try {
        return await use(await this.#connected());
      } catch (error) {
        if (this.#isEnded || error.code === "remote-error") throw error;
        this.#client = undefined;
        await sleep(50);
      }
    }
  }

  async #connected() {
    if (this.#client) return this.#client.client;
    const member = this.#members.findLast(({ role }) => role === "server");
    const url = await Promise.race([member.ready, member.ended.then(() => "")]);
    const elicit = () => ({ action: "cancel" });
    const client = connect(url, {
      revisions: clientRevisions,
      extensions: [tasksExtension],
      elicit,
      onEvent: () => true,
    });
    this.#client = { member, client };
    return client;
  }

  /** Makes a task. Returns its id: that of the last one, if answers were lost. */
  async create(tool, name, steps) {
    const { taskId } = await this.ask((client) =>
      client.request("tools/call", {
        name: tool,
        arguments: { name: `${name}.${crypto.randomUUID().slice(0, 4)}`, steps },
      }),
    );
    return taskId;
  }

  read(taskId) {
    return this.ask((client) => getTask(client, { taskId }));
  }

  /** The task, once `isReached`. */
  async until(taskId, isReached) {
    for (;;) {
      const task = await this.read(taskId);
      if (isReached(task)) return task;
      await sleep(200);
    }
  }

  answer(taskId, inputResponses) {
    return this.ask((client) => updateTask(client, { taskId, inputResponses }));
  }

  async end() {
    this.#isEnded = true;
    for (const { child } of this.#members) child.kill("SIGKILL");
    await Promise.all(this.#members.map(({ ended }) => ended));
  }
}
