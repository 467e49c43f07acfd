import { spawn, type ChildProcessByStdio } from "node:child_process";
import { statSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { invocationOf } from "./command.js";
import type { StartOptions } from "./child-options.js";
import { childEnvironment } from "./environment.js";
import type { Command } from "./source.js";

export type StartedProcess = ChildProcessByStdio<Writable, Readable, Readable | null>;

/** Starts a program, without a shell, with its streams as pipes. Throws what `spawn` throws. */
export function start([program, ...args]: Command, options: StartOptions): StartedProcess {
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
    // A process group of its own on POSIX; on Windows it would open a console.
    detached: platform !== "win32",
    windowsHide: true,
    windowsVerbatimArguments: invocation.verbatim,
  }) as StartedProcess;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
