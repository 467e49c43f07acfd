import { Buffer } from "node:buffer";
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { attempts, growing, withTimeout } from "@mcpgen/base";
import { invocationOf, type Command } from "./command.js";
import { type ChildOptions, type Exit, type StartOptions, childEnvironment } from "./client-options.js";

/** Bytes of a child's standard error that are kept. */
const kept = 8 * 1024;

/** The end of a text stream, for errors. */
class StderrTail {
  #bytes: Buffer = Buffer.alloc(0);

  push(chunk: Buffer): void {
    const recent = chunk.length >= kept ? chunk : Buffer.concat([this.#bytes, chunk]);
    // A copy: a view would keep the whole chunk in memory.
    this.#bytes = recent.length > kept ? Buffer.from(recent.subarray(-kept)) : recent;
  }

  /** The text, from the first whole character on. */
  text(): string {
    let start = 0;
    // Bytes 10xxxxxx belong to a character that began before.
    while (start < 4 && (this.#bytes[start]! & 0xc0) === 0x80) start++;
    return this.#bytes.toString("utf8", start);
  }
}

const windows = process.platform === "win32";

/** The process of a server, and its descendants. */
export class Child {
  readonly pid: number | undefined;
  readonly input: Writable;
  readonly output: Readable;
  /** Resolves when the process has ended and its output is read. */
  readonly over: Promise<Exit>;
  readonly #process: StartedProcess;
  readonly #options: ChildOptions;
  readonly #tree: ProcessTree | undefined;
  readonly #tail = new StderrTail();
  readonly #exit: Promise<void>;
  #exited = false;
  #ending: Promise<void> | undefined;
  #settle!: (exit: Exit) => void;

  /** @throws {Error} the system cannot pass the arguments. Any other error of the system resolves `over`. */
  constructor(command: Command, options: ChildOptions) {
    this.#options = options;
    this.#process = start(command, options);
    this.pid = this.#process.pid;
    this.input = this.#process.stdin;
    this.output = this.#process.stdout;
    this.over = new Promise((resolve) => (this.#settle = resolve));
    this.#exit = new Promise((resolve) => this.#process.on("exit", () => resolve()));
    this.#watch();
    this.#drainStderr();
    if (this.pid === undefined) return;
    this.#tree = windows ? windowsTree(this.pid, () => this.#exited) : processGroup(this.pid);
    afterProcess(this.#tree);
  }

  /** How the process has ended; undefined while it runs. */
  exit(): Exit | undefined {
    const { exitCode, signalCode: signal } = this.#process;
    return this.#exited ? { exitCode, signal } : undefined;
  }

  /** The last 8 KiB of standard error. */
  stderrTail(): string {
    return this.#tail.text();
  }

  /**
   * Ends the input, then all processes (2025-11-25, basic/lifecycle, shutdown): waits, sends SIGTERM, waits, sends
   * SIGKILL. Resolves when all have ended. Further calls return the same promise.
   */
  end(): Promise<void> {
    return (this.#ending ??= this.#endOnce());
  }

  async #endOnce(): Promise<void> {
    const tree = this.#tree;
    if (tree !== undefined) {
      const { inputGrace = 2000, terminateGrace = 2000 } = this.#options;
      // Descendants of a process that ended by itself do not read the input.
      const abandoned = this.#exited;
      this.input.end();
      if (abandoned || !(await this.#gone(tree, inputGrace))) {
        tree.signal("SIGTERM");
        afterProcess(tree, "SIGKILL");
        if (!(await this.#gone(tree, terminateGrace))) {
          tree.signal("SIGKILL");
          await this.#gone(tree, 1000);
        }
      }
      noLongerAfterProcess(tree);
    }
    // The output can be read to its end, unless a process that left the group holds the pipes.
    await withTimeout(1000, this.over);
    for (const stream of [this.input, this.output, this.#process.stderr]) stream?.destroy();
    this.#finish();
  }

  /** Whether all processes end within `milliseconds`. */
  async #gone(tree: ProcessTree, milliseconds: number): Promise<boolean> {
    const pauses = growing({ first: 2, most: 50, within: milliseconds });
    await withTimeout(milliseconds, this.#exit);
    for await (const _ of attempts({ pauses })) if (this.#exited && !tree.alive()) return true;
    return false;
  }

  #watch(): void {
    this.#process.on("exit", () => {
      this.#exited = true;
      // Its descendants have lost their client.
      void this.end();
    });
    this.#process.on("close", () => this.#finish());
    this.#process.on("error", (error: Error) => {
      // Also emitted when a signal cannot be sent; only a process that did not start is lost.
      if (this.pid === undefined) this.#finish(error);
    });
  }

  #finish(error?: Error): void {
    const { exitCode, signalCode: signal } = this.#process;
    this.#settle(error === undefined ? { exitCode, signal } : { exitCode: null, signal: null, error });
  }

  #drainStderr(): void {
    const { stderr } = this.#process;
    if (stderr === null) return;
    const { stderr: destination } = this.#options;
    const decoder = new StringDecoder("utf8");
    stderr.on("error", () => {});
    stderr.on("data", (chunk: Buffer) => {
      this.#tail.push(chunk);
      if (destination === "inherit") process.stderr.write(chunk);
      else if (typeof destination === "function") destination(decoder.write(chunk));
    });
  }
}

type StartedProcess = ChildProcessByStdio<Writable, Readable, Readable | null>;

/** Starts a program, without a shell, with its streams as pipes. @throws {Error} as `spawn` does */
function start([program, ...args]: Command, options: StartOptions): StartedProcess {
  const { platform } = process;
  const inherit = options.inheritEnv ?? "safe";
  const environment = childEnvironment({ platform, from: process.env, inherit, add: options.env });
  const directory = options.cwd ?? process.cwd();
  const invocation = invocationOf({
    command: program,
    args,
    platform,
    environment,
    directory,
    exists: isFile,
  });
  return spawn(invocation.file, invocation.args, {
    cwd: options.cwd,
    env: environment,
    stdio: ["pipe", "pipe", options.stderr === "ignore" ? "ignore" : "pipe"],
    // Its own process group on POSIX; on Windows it would open a console.
    detached: platform !== "win32",
    windowsHide: true,
    windowsVerbatimArguments: invocation.verbatim,
  }) as StartedProcess;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** A process and its descendants. */
interface ProcessTree {
  /** Signals all processes. Does nothing if all have ended. */
  signal(name: "SIGTERM" | "SIGKILL"): void;
  /** Whether any process is left. */
  alive(): boolean;
}

/** The process group of `leader`: all its descendants except those that left the group. */
function processGroup(leader: number): ProcessTree {
  // The system may reuse the number of an empty group.
  let gone = false;
  const kill = (signal: NodeJS.Signals | 0): void => {
    if (gone) return;
    try {
      process.kill(-leader, signal);
    } catch {
      // No such group; on some systems "not permitted", if only zombies are left.
      gone = true;
    }
  };
  return {
    signal: kill,
    alive() {
      kill(0);
      gone ||= onlyZombies(leader);
      return !gone;
    },
  };
}

/**
 * In a container without an init process, orphans stay as zombies and count as members of the group. Only Linux shows
 * which members are zombies.
 */
function onlyZombies(group: number): boolean {
  if (process.platform !== "linux") return false;
  try {
    const processes = readdirSync("/proc").filter((name) => /^\d/.test(name));
    return !processes.some((id) => livesIn(group, id));
  } catch {
    return false;
  }
}

function livesIn(group: number, id: string): boolean {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, "latin1");
    // pid (name) state parent group …; the name may contain any character.
    const [state, , member] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return Number(member) === group && state !== "Z" && state !== "X";
  } catch {
    return false;
  }
}

/**
 * Windows has no process groups: taskkill ends a process and its descendants, always by force. After `leader` has ended
 * (`left`) its descendants cannot be found. Not tested on Windows.
 */
function windowsTree(leader: number, left: () => boolean): ProcessTree {
  return {
    signal() {
      if (left()) return;
      const program = join(process.env["SYSTEMROOT"] ?? "C:\\Windows", "System32", "taskkill.exe");
      const killer = spawn(program, ["/pid", String(leader), "/t", "/f"], {
        stdio: "ignore",
        windowsHide: true,
      });
      killer.on("error", () => process.kill(leader));
    },
    alive: () => !left(),
  };
}

/** Trees to end when this process exits, with the signal for each. */
const running = new Map<ProcessTree, "SIGTERM" | "SIGKILL">();

/**
 * Ends `tree` when this process exits, also by an exception: not every server exits at the end of its input. It has no
 * effect if this process is killed.
 *
 * @param signal SIGKILL for a tree that has had SIGTERM
 */
function afterProcess(tree: ProcessTree, signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): void {
  if (running.size === 0) process.on("exit", endAll);
  running.set(tree, signal);
}

/** Undoes `afterProcess`. */
function noLongerAfterProcess(tree: ProcessTree): void {
  running.delete(tree);
  if (running.size === 0) process.off("exit", endAll);
}

function endAll(): void {
  for (const [tree, signal] of running) tree.signal(signal);
}
