import { execFile, execFileSync, spawnSync } from "node:child_process";
import { promisify } from "node:util";
import { test } from "vitest";
import { lackOf } from "./programs.mjs";
import { hang } from "./until.mjs";

/** Runs a program in a separate terminal. When a given text appears there, types its answer. */
const script = `
import json, os, pty, sys
command, folder, answers = json.loads(sys.argv[1])
pid, terminal = pty.fork()
if pid == 0:
    os.chdir(folder)
    os.execvp(command[0], command)
shown = b""
while True:
    try:
        chunk = os.read(terminal, 4096)
    except OSError:
        break
    if not chunk:
        break
    shown += chunk
    while answers and answers[0][0].encode() in shown:
        os.write(terminal, answers.pop(0)[1].encode())
status = os.waitpid(pid, 0)[1]
code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status)
print(json.dumps({ "code": code, "shown": shown.decode(), "unasked": len(answers) }))
`;

/** The reason why terminal tests are skipped, or `undefined`. Node.js itself cannot make pseudo-terminals. */
const noPseudoTerminals = lackOf(
  process.platform !== "win32" && spawnSync("python3", ["--version"]).status === 0,
  "python3, which makes pseudo-terminals, is not installed",
);

export interface Watched {
  readonly code: number;
  readonly shown: string;
  /** Number of answers whose question did not appear. */
  readonly unasked: number;
}

/** Runs a command in `folder` at a terminal, and answers its questions in turn. */
export function inPseudoTerminal(
  command: readonly string[],
  folder: string,
  answers: readonly (readonly [question: string, keys: string])[],
): Watched {
  const input = JSON.stringify([command, folder, answers]);
  const env = environment();
  const output = execFileSync("python3", ["-c", script, input], { encoding: "utf8", env, timeout: hang });
  return JSON.parse(output) as Watched;
}

/** As `inPseudoTerminal`, but asynchronous, for commands that this process must answer. */
export async function besidePseudoTerminal(
  command: readonly string[],
  folder: string,
  answers: readonly (readonly [question: string, keys: string])[],
  variables: Readonly<Record<string, string>> = {},
): Promise<Watched> {
  const input = JSON.stringify([command, folder, answers]);
  const options = { env: { ...environment(), ...variables }, timeout: hang };
  const { stdout } = await promisify(execFile)("python3", ["-c", script, input], options);
  return JSON.parse(stdout) as Watched;
}

/** Removes `CI`, because commands ask no questions if it is set. */
function environment(): NodeJS.ProcessEnv {
  const { CI: _, ...env } = process.env;
  return env;
}

/** A test that needs a pseudo-terminal; without one, the test is skipped, and its name says why. */
export function terminalTest(name: string, run: () => void | Promise<void>, timeout?: number): void {
  if (noPseudoTerminals === undefined) test(name, run, timeout);
  else test.skip(`${name} (skipped: ${noPseudoTerminals})`, run);
}
