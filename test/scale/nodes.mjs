// Processes that serve the same endpoint, each on its own port, without memory in common.
import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

/** Ends each member when this process ends. */
const running = new Set();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** Nodes of one service, which come and go. */
export class Nodes {
  /** @type {{ child: import("node:child_process").ChildProcess, port: number, ended: Promise<unknown> }[]} */
  members = [];
  #program;
  #env;

  /**
   * @param program a module that sends `{ port }` to its parent when it listens
   * @param env its environment, beside that of this process
   */
  constructor(program, env = {}) {
    this.#program = program;
    this.#env = env;
  }

  /** The ports of all nodes that listen. */
  ports = () => this.members.map(({ port }) => port);

  /** Changes the environment of the nodes that start from now on. */
  setEnv(env) {
    this.#env = { ...this.#env, ...env };
  }

  /** Starts nodes. @returns when they listen */
  async start(count = 1) {
    await Promise.all(Array.from({ length: count }, () => this.#startOne()));
  }

  async #startOne() {
    const child = fork(this.#program, {
      env: { ...process.env, ...this.#env },
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    running.add(child);
    // A bus of changes: all nodes get the changes that one publishes.
    child.on("message", (message) => {
      if (message.change) for (const each of running) if (each.connected) each.send(message);
    });
    const ended = once(child, "exit").then(() => running.delete(child));
    const port = await Promise.race([
      new Promise((resolve) => child.on("message", (message) => message.port && resolve(message.port))),
      ended.then(() => {
        throw new Error(`${this.#program} ended before it listened`);
      }),
    ]);
    this.members.push({ child, port, ended });
  }

  /** Kills a node without notice. @returns its port, when it has ended */
  async kill(index) {
    const [{ child, ended, port }] = this.members.splice(index, 1);
    child.kill("SIGKILL");
    await ended;
    return port;
  }

  /**
   * Asks the oldest node to end by itself.
   *
   * @param hasLeft whether the load balancer has stopped using a port; the node then closes
   * @returns when it has ended
   */
  async retire(hasLeft) {
    const member = this.members[0];
    const { child, ended, port } = member;
    child.kill("SIGTERM");
    while (!hasLeft(port)) await sleep(5);
    child.send({ left: true });
    await ended;
    this.members.splice(this.members.indexOf(member), 1);
    if (child.exitCode !== 0) throw new Error(`a node ended with ${child.exitCode ?? child.signalCode}`);
  }

  async end() {
    await Promise.all(
      this.members.splice(0).map(async ({ child, ended }) => {
        child.kill("SIGKILL");
        await ended;
      }),
    );
  }
}
