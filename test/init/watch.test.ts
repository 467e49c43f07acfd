import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { builtCli } from "../support/built-program.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const cli = builtCli();

/** The output of `npm run test:watch` in a new project. */
async function watching(folder: string, role: string): Promise<() => string> {
  const init = spawn(process.execPath, [cli, "init", role, "--yes"], { cwd: folder, stdio: "ignore" });
  expect(await once(init, "exit")).toEqual([0, null]);
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"), "dir");
  const { PATH } = process.env;
  const env = { PATH: `${join(process.execPath, "..")}:${PATH}`, HOME: folder };
  // A separate process group: the compiler and the tests are processes below npm.
  const npm = spawn("npm", ["run", "test:watch"], { cwd: folder, env, detached: true });
  onTestFinished(async () => {
    process.kill(-npm.pid!, "SIGKILL");
    await once(npm, "close");
  });
  let output = "";
  for (const stream of [npm.stdout, npm.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => (output += chunk));
  return () => output;
}

test.each(["server", "client"])(
  "a new %s tests itself again after a change of its code",
  async (role) => {
    const folder = temporaryFolder();
    const output = await watching(folder, role);
    const until = (pattern: RegExp): Promise<void> =>
      vi.waitFor(() => expect(output()).toMatch(pattern), { timeout: 300_000, interval: 50 });
    // The runner prints the counts of later runs only when it ends.
    const source = join(folder, role === "server" ? "src/handlers.ts" : "src/client.ts");
    await until(/^\s*(?:ok|✔|#).*(?:returns|contract)/m);
    writeFileSync(source, `${readFileSync(source, "utf8")}throw new Error("again");\n`);
    await until(/Error: again/);
  },
  600_000,
);
