import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { expect, onTestFinished, test, vi } from "vitest";
import { Interruption } from "../../generator/capture/interruption.js";
import { builtCli, builtProgram } from "../support/built-program.js";
import { members } from "../support/processes.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { until } from "../support/until.mjs";

const cli = builtCli();
const running = builtProgram("test/capture/running.ts");

/** Ignores the end of its input, and answers nothing. */
const silent = `console.error("up " + process.ppid); process.stdin.resume(); setInterval(() => {}, 1000);`;
/** Starts it as npx does: in a process below its own. */
const wrapper = `
import { spawn } from "node:child_process";
spawn(process.execPath, [new URL("silent.mjs", import.meta.url).pathname], { stdio: "inherit" });`;
const stubborn = `
process.on("SIGTERM", () => console.error("SIGTERM received"));
console.error("up " + process.pid); process.stdin.resume(); setInterval(() => {}, 1000);`;

interface Running {
  readonly program: ChildProcess;
  /** The process group of the server. */
  readonly group: number;
  /** Resolves when the server has printed this, or mcpgen has ended. */
  readonly printed: (text: string) => Promise<unknown>;
}

/** A run of mcpgen that waits for a server, which runs. */
async function waiting(server: string, words: readonly string[] = ["capture"]): Promise<Running> {
  const folder = temporaryFolder({ "silent.mjs": silent, "wrapper.mjs": wrapper, "stubborn.mjs": stubborn });
  const [command, ...more] = words;
  const args = [cli, command!, `stdio:node ${server}`, ...more, "--verbose"];
  const program = spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  let stderr = "";
  program.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
  /** A server that is too slow to print may be killed before. */
  const printed = (text: string): Promise<unknown> =>
    until(text, () => stderr.includes(text) || program.exitCode !== null);
  onTestFinished(() => void program.kill("SIGKILL"));
  await printed("up ");
  const group = Number(/up (\d+)/.exec(stderr)![1]);
  onTestFinished(() => {
    if (members(group).length > 0) process.kill(-group, "SIGKILL");
  });
  return { program, group, printed };
}

test.each([
  ["SIGINT", 130, ["capture"]],
  ["SIGTERM", 143, ["call", "tool"]],
  ["SIGHUP", 129, ["capture", "--out", "-"]],
] as const)("%s ends the server with all that it has started, then mcpgen with %i", async (...row) => {
  const [signal, code, words] = row;
  const { program, group } = await waiting("wrapper.mjs", words);
  expect(members(group)).toHaveLength(2);
  program.kill(signal);
  expect(await once(program, "exit")).toEqual([code, null]);
  await until("the server is gone", () => members(group).length === 0);
});

test.each([
  ["at once", "up "],
  ["after SIGTERM", "SIGTERM received"],
] as const)("a second signal ends a server that ignores everything: %s", async (_, text) => {
  const { program, group, printed } = await waiting("stubborn.mjs");
  const ended = once(program, "exit") as Promise<[number]>;
  program.kill("SIGINT");
  await printed(text);
  program.kill("SIGTERM");
  const [code] = await ended;
  // 130 if the process ended before it received the second signal.
  expect([130, 143]).toContain(code);
  await until("the server is gone", () => members(group).length === 0);
});

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "%s ends a program that runs in a group",
  async (signal) => {
    const program = spawn(process.execPath, [running], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void program.kill("SIGKILL"));
    let printed = "";
    program.stdout.setEncoding("utf8").on("data", (chunk: string) => (printed += chunk));
    await until("the program runs", () => printed.endsWith("\n") || program.exitCode !== null);
    const group = Number(printed);
    onTestFinished(() => {
      if (members(group).length > 0) process.kill(-group, "SIGKILL");
    });
    expect(members(group)).toHaveLength(1);
    const ended = once(program, "close");
    program.kill(signal);
    expect(await ended).toEqual([128 + constants.signals[signal], null]);
    await until("the program is gone", () => members(group).length === 0);
    expect(printed).toBe(`${group}\n`);
  },
);

test("the first signal waits for the server, its echo has no effect, and a second one ends at once", async () => {
  vi.useFakeTimers({ toFake: ["performance", "setTimeout"] });
  const others = process.listeners("SIGINT");
  const [exit, ended] = [vi.fn(), vi.fn(() => new Promise(() => {}))];
  const interruption = new Interruption(exit);
  const released = interruption.endsFirst(ended);
  const interrupted = process.listeners("SIGINT").find((each) => !others.includes(each))!;
  onTestFinished(() =>
    ["SIGINT", "SIGTERM", "SIGHUP"].forEach((name) => process.removeListener(name, interrupted)),
  );
  await interruption.endsFirst(async () => {})();
  expect(process.listeners("SIGINT")).toContain(interrupted);
  interrupted("SIGINT");
  interrupted("SIGINT");
  expect([ended.mock.calls.length, exit.mock.calls]).toEqual([1, []]);
  vi.advanceTimersByTime(250);
  interrupted("SIGINT");
  expect([ended.mock.calls.length, exit.mock.calls]).toEqual([1, [[130]]]);
  // After a signal, the command does not continue.
  let goesOn = false;
  void released().then(() => (goesOn = true));
  await Promise.resolve();
  expect(goesOn).toBe(false);
});
