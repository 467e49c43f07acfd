import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { builtCli } from "../support/built-program.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const cli = builtCli();

/** The words that each role needs. */
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
    const until = (holds: () => void): Promise<void> => vi.waitFor(holds, { timeout: 120_000, interval: 50 });
    const runs = (count: number): Promise<void> =>
      until(() => expect(output().split("Waiting for a change")).toHaveLength(count + 1));
    await runs(1);
    expect(output()).toMatch(/^(?:#|ℹ) fail 0$/m);

    const source = join(folder, role === "server" ? "src/handlers.ts" : "src/client.ts");
    const text = readFileSync(source, "utf8");
    writeFileSync(source, `${text}throw new Error("again");\n`);
    await runs(2);
    expect(output()).toContain("Error: again");

    // What does not compile is not tested.
    writeFileSync(source, `${text}const wrong: number = "text";\n`);
    await runs(3);
    expect(output()).toContain("error TS2322");
    writeFileSync(source, text);
    await runs(4);

    const tested = join(folder, "test", `${role}.test.mjs`);
    writeFileSync(tested, `${readFileSync(tested, "utf8")}throw new Error("of the test");\n`);
    await runs(5);
    expect(output()).toContain("Error: of the test");

    // A terminal sends Ctrl-C to all processes of the group.
    process.kill(-npm.pid!, "SIGINT");
    await until(() => expect(isThere(npm)).toBe(false));
  },
  600_000,
);
