#!/usr/bin/env node
import { tooOld } from "./files/regular-file.js";
import { printable } from "./print/terminal-text.js";

// A reader that has seen enough (`mcpgen … | head`) is no error.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
}

// An error that escapes `main` comes from a callback of mcpgen, or from a module that the user's configuration loads.
process.on("uncaughtException", (error) => {
  process.stderr.write(`error MG7001: a bug in mcpgen: ${printable(error.message)}\n`);
  process.exit(70);
});

const complaint = tooOld(process.versions.node);
if (complaint === undefined) void run();
else {
  process.stderr.write(complaint);
  process.exitCode = 2;
}

/** Loads the rest only now: an old Node.js could not even parse it. */
async function run(): Promise<void> {
  const { main } = await import("./command/main.js");
  const { stdout, stderr, env } = process;
  process.exitCode = await main(process.argv.slice(2), {
    stdout,
    stderr,
    env,
    directory: process.cwd(),
    // Opened only by the command that reads it.
    get stdin() {
      return process.stdin;
    },
    // Questions go to standard error: standard output is for results.
    get terminal() {
      const { stdin } = process;
      if (!stdin.isTTY || !stderr.isTTY) return undefined;
      // A pseudo-terminal without a size would put each character on a line.
      if (stderr.columns === 0) [stderr.columns, stderr.rows] = [80, 24];
      return { input: stdin, output: stderr };
    },
  });
}
