import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const programs = fileURLToPath(new URL("programs/", import.meta.url));

/** Milliseconds that a run may take; a longer run hangs. */
const timeoutMs = 900_000;

/** The command line of a program of ours under a runtime. */
export function commandOf(runtime, program, ...args) {
  return [...runtime, programs + program, ...args];
}

/** A process, and the lines it prints. */
export class Running {
  #child;
  #lines;
  #errors = "";
  #ended;

  /** @param folder for what runtimes keep */
  constructor([command, ...args], folder, cwd = programs) {
    const env = { ...process.env, DENO_DIR: folder, DENO_NO_UPDATE_CHECK: "1" };
    this.#child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe", "pipe"] });
    this.#child.stderr.on("data", (chunk) => (this.#errors += chunk));
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), timeoutMs);
    this.#ended = new Promise((resolve) => {
      this.#child.on("error", (error) => resolve(void (this.#errors += error.message)));
      this.#child.on("exit", resolve);
    }).finally(() => clearTimeout(timer));
  }

  /** The lines that the process writes to its fourth file descriptor. */
  get control() {
    return createInterface({ input: this.#child.stdio[3] })[Symbol.asyncIterator]();
  }

  /** @throws {Error} the process ended without one */
  async line(lines = this.#lines) {
    const { done, value } = await lines.next();
    if (done) throw new Error(`it ended without what was expected: ${this.#errors.slice(0, 2000)}`);
    return value;
  }

  async stop() {
    this.#child.kill();
    await this.#ended;
  }
}
