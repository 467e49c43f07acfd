import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { pin } from "./pinning.mjs";

const report = fileURLToPath(new URL("report.cjs", import.meta.url));
const newline = 10;

/**
 * A server in a separate process. To keep this client cheap, it writes prepared bytes, and searches a
 * response only for its line end while it measures.
 */
export class ProcessUnderTest {
  #child;
  #onData = () => {};
  #ended = false;
  #stderr = "";

  constructor(file, { environment = {}, options = ["--stdio"] } = {}) {
    this.#child = spawn(process.execPath, ["--require", report, file, ...options], {
      env: { ...process.env, ...environment },
      stdio: ["pipe", "pipe", "pipe", "pipe"],
    });
    this.#child.stdout.on("data", (chunk) => this.#onData(chunk));
    this.#child.stderr.on("data", (chunk) => (this.#stderr = (this.#stderr + chunk).slice(-2000)));
    this.#child.stdin.on("error", () => {});
    this.exited = new Promise((resolve) => {
      this.#child.on("exit", (code, signal) => {
        if (!this.#ended) throw new Error(`${file} ended (${signal ?? code}):\n${this.#stderr}`);
        resolve();
      });
    });
  }

  send(...messages) {
    this.#child.stdin.write(messages.map((message) => JSON.stringify(message) + "\n").join(""));
  }

  /** Resolves to the next `count` messages, parsed. */
  receive(count = 1) {
    return new Promise((resolve) => {
      let text = "";
      this.#onData = (chunk) => {
        text += chunk;
        const lines = text.split("\n");
        if (lines.length <= count) return;
        this.#onData = () => {};
        resolve(lines.slice(0, count).map((line) => JSON.parse(line)));
      };
    });
  }

  /**
   * Sends `count` requests so that `inFlight` are always open; `line(index)` returns the text of a request.
   */
  exchange(line, count, inFlight) {
    return new Promise((resolve) => {
      let sent = 0;
      let answered = 0;
      const write = (wanted) => {
        const end = Math.min(count, sent + wanted);
        let text = "";
        while (sent < end) text += line(sent++);
        if (text !== "") this.#child.stdin.write(text);
      };
      this.#onData = (chunk) => {
        const arrived = lineEnds(chunk);
        if (arrived === 0) return;
        answered += arrived;
        if (answered < count) return write(arrived);
        this.#onData = () => {};
        resolve();
      };
      write(inFlight);
    });
  }

  /** Microseconds of CPU time that all threads have used so far. */
  cpu() {
    return this.#ask("SIGUSR2");
  }

  /** Bytes of heap in use after a garbage collection. */
  heap() {
    return this.#ask("SIGHUP");
  }

  /** Keeps the process on one core; returns whether that is possible here. */
  pinTo(core) {
    return pin(this.#child.pid, core);
  }

  /** Bytes of memory that were resident at the peak so far; outside Linux, bytes that are resident now. */
  peakMemory() {
    const { pid } = this.#child;
    const kibibytes =
      process.platform === "linux"
        ? /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]
        : spawnSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" }).stdout;
    return Number(kibibytes) * 1024;
  }

  /** Sends a signal; resolves to the number that report.cjs answers it with. */
  #ask(signal) {
    return new Promise((resolve) => {
      this.#child.stdio[3].once("data", (data) => resolve(Number(String(data))));
      this.#child.kill(signal);
    });
  }

  async end() {
    this.#ended = true;
    this.#child.kill("SIGKILL");
    await this.exited;
  }
}

function lineEnds(chunk) {
  let count = 0;
  for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, at + 1)) count++;
  return count;
}
