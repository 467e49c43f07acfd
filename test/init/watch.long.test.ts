import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { builtCli } from "../support/built-program.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { until } from "../support/until.mjs";

const cli = builtCli();

/** The arguments of `init` for each role. */
const words = { server: ["--yes"], client: ["--contract", "mcp.contract.yaml"] };
type Role = keyof typeof words;

const contract = `name: weather
version: "0.1.0"
tools:
  - name: current_weather
    inputSchema: { type: object, properties: { city: { type: string } } }
`;

/** `npm run test:watch` in a new project, and its output so far. */
async function watching(folder: string, role: Role): Promise<{ npm: ChildProcess; output: () => string }> {
  const init = spawn(process.execPath, [cli, "init", role, ...words[role]], { cwd: folder, stdio: "ignore" });
  expect(await once(init, "exit")).toEqual([0, null]);
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"), "dir");
  const { PATH } = process.env;
  const env = { PATH: `${join(process.execPath, "..")}:${PATH}`, HOME: folder };
  // A separate process group: the compiler and the tests are processes below npm.
  const npm = spawn("npm", ["run", "test:watch"], { cwd: folder, env, detached: true });
  onTestFinished(() => {
    if (isThere(npm)) process.kill(-npm.pid!, "SIGKILL");
  });
  let output = "";
  for (const stream of [npm.stdout, npm.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => (output += chunk));
  return { npm, output: () => output };
}

/** Whether a process of the group is left. */
function isThere({ pid }: ChildProcess): boolean {
  try {
    return process.kill(-pid!, 0);
  } catch {
    return false;
  }
}

test.each(["server", "client"] as const)(
  "a new %s tests itself again after a change of its code or its tests; Ctrl-C leaves no process",
  async (role) => {
    const folder = temporaryFolder(role === "client" ? { "mcp.contract.yaml": contract } : {});
    const { npm, output } = await watching(folder, role);
    let seen = 0;
    /** Waits for the output of a run that prints this. A run that began before the change may come first. */
    const ran = (printed: RegExp): Promise<string> =>
      until(String(printed), () => {
        const runs = output().slice(seen).split("Waiting for a change").slice(0, -1);
        const run = runs.find((each) => printed.test(each));
        if (run !== undefined) seen = output().indexOf(run, seen) + run.length;
        return run;
      }) as Promise<string>;
    /** Replaces a file in one step, so that no run reads half a file. */
    const save = (file: string, text: string): void => {
      const next = join(folder, "next");
      writeFileSync(next, text);
      renameSync(next, file);
    };
    const passed = /^(?:#|ℹ) fail 0$/m;
    await ran(passed);

    const source = join(folder, role === "server" ? "src/handlers.ts" : "src/client.ts");
    const text = readFileSync(source, "utf8");
    save(source, `${text}throw new Error("again");\n`);
    await ran(/Error: again/);

    // Code that does not compile is not tested. This is the second replacement of the file: the watcher must see it,
    // too.
    save(source, `${text}const wrong: number = "text";\n`);
    expect(await ran(/error TS2322/)).not.toMatch(/^(?:#|ℹ) fail/m);
    save(source, text);
    await ran(passed);

    const tested = join(folder, "test", `${role}.test.mjs`);
    save(tested, `${readFileSync(tested, "utf8")}throw new Error("of the test");\n`);
    await ran(/Error: of the test/);

    // A terminal sends Ctrl-C to all processes of the group.
    process.kill(-npm.pid!, "SIGINT");
    await until("the end", () => !isThere(npm));
  },
);
