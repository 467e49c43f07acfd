import { spawn } from "node:child_process";
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Our server first; the others are the official SDKs, with which it is compared. */
export const servers = ["ours", "sdk-v2", "sdk-v1"];
export const transports = ["stdio", "sessions", "stateless", "bearer"];

const token = "a-secret-token";

/** A server of the three, over one transport: what a framework connects to, and what happened in it. */
export class TestedServer {
  #file;
  #transport;
  #folder = mkdtempSync(join(tmpdir(), "mcpgen-frameworks-"));
  #journal = join(this.#folder, "journal");
  #child;
  #url;

  constructor(name, transport) {
    this.#file = fileURLToPath(new URL(`../servers/${name}.mjs`, import.meta.url));
    this.#transport = transport;
    writeFileSync(this.#journal, "");
  }

  get #env() {
    return { PATH: process.env.PATH, FRAMEWORKS_JOURNAL: this.#journal, FRAMEWORKS_TOKEN: token };
  }

  /** `{ command, args, env }`, or `{ url, headers }` of the server that it starts. */
  async target() {
    if (this.#transport === "stdio")
      return { command: process.execPath, args: [this.#file, "stdio"], env: this.#env };
    await this.#start(0);
    return {
      url: this.#url,
      headers: this.#transport === "bearer" ? { authorization: `Bearer ${token}` } : {},
    };
  }

  /** Kills the server, and starts it at the same URL. */
  async restart() {
    const { port } = new URL(this.#url);
    await this.#end();
    await this.#start(port);
  }

  /** Lets the tool `count` end. */
  endCount() {
    appendFileSync(`${this.#journal}.counted`, "");
  }

  /** Whether the tool `wait` has noted this. */
  has(line) {
    return readFileSync(this.#journal, "utf8").split("\n").includes(line);
  }

  /** The revision of the calls; several, if a framework changed it. */
  get revision() {
    const noted = readFileSync(this.#journal, "utf8").matchAll(/^revision (.*)$/gm);
    return [...new Set([...noted].map(([, revision]) => revision))].join(" and ");
  }

  async close() {
    await this.#end();
    if (existsSync(this.#folder)) rmSync(this.#folder, { recursive: true });
  }

  async #start(port) {
    this.#child = spawn(process.execPath, [this.#file, this.#transport, String(port)], {
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      env: this.#env,
    });
    const { url } = await new Promise((resolve, reject) => {
      this.#child.once("message", resolve);
      this.#child.once("exit", () => reject(new Error(`${this.#file} ended before it listened`)));
    });
    this.#url = url;
  }

  async #end() {
    if (!this.#child || this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.kill("SIGKILL");
    await ended;
  }
}
