import { lstatSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mcpgen } from "../support/in-process.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { trustOf } from "../support/trust.js";

/** The package.json that `npm init --yes` writes. */
const plain = {
  name: "mine",
  version: "1.0.0",
  main: "index.js",
  scripts: { test: 'echo "Error: no test specified" && exit 1', build: "mine" },
  type: "commonjs",
  dependencies: { "@mcpgen/runtime": "^0.1.0" },
};

interface Shown {
  readonly findings: readonly { readonly code: string; readonly message: string; readonly detail: string }[];
  readonly mend?: string;
}

async function init(folder: string, ...more: string[]): Promise<Shown> {
  const { code, stdout } = await mcpgen(folder, ["init", "server", "--name", "n", "--json", ...more]);
  expect(code).toBe(0);
  return JSON.parse(stdout) as Shown;
}

test("an existing package.json stays, and the missing lines are printed exactly", async () => {
  const folder = temporaryFolder({ "package.json": JSON.stringify(plain) });
  const { findings, mend } = await init(folder);
  expect(findings.map(({ code, message }) => [code, message])).toEqual([
    [
      "MG6401",
      "the file is unchanged, and lacks type, scripts.start, scripts.http, scripts.dev, scripts.test, scripts.test:watch, dependencies.@mcpgen/auth, " +
        "dependencies.@mcpgen/base, dependencies.@mcpgen/engine, dependencies.@mcpgen/cluster, dependencies.@mcpgen/protocol, dependencies.@mcpgen/tasks, " +
        "devDependencies.@mcpgen/bridge, devDependencies.@mcpgen/testing, devDependencies.mcpgen, devDependencies.typescript",
    ],
  ]);
  // The step to install comes after the packages to add.
  expect(mend).toBeUndefined();
  expect(readFileSync(join(folder, "package.json"), "utf8")).toBe(JSON.stringify(plain));
  const lack = JSON.parse(findings[0]!.detail) as Record<string, object>;
  const added: Record<string, unknown> = { ...plain };
  for (const [key, value] of Object.entries(lack))
    added[key] = typeof value === "string" ? value : { ...(added[key] as object), ...value };
  writeFileSync(join(folder, "package.json"), JSON.stringify(added));
  const again = await mcpgen(folder, ["init", "server", "--json"]);
  expect((JSON.parse(again.stdout) as Shown).findings).toEqual([]);
});

test.each(["mine", "[]"])("for a package.json with %j, the whole content is printed", async (text) => {
  const { findings } = await init(temporaryFolder({ "package.json": text }), "--dry-run");
  expect(findings[0]).toMatchObject({ message: "the file is unchanged, but is not a JSON object" });
  expect(Object.keys(JSON.parse(findings[0]!.detail) as object)).toEqual([
    "type",
    "scripts",
    "dependencies",
    "devDependencies",
  ]);
});

test("a configuration of any kind stays the only one, and the missing contract is printed", async () => {
  const entry = { file: "mcp.contract.yaml", out: "src/generated", role: "server" };
  for (const [file, text, isComplete] of [
    ["mcpgen.config.js", "export default { schema: 'schema' };", false],
    ["mcpgen.config.js", `export default { contracts: [${JSON.stringify(entry)}] };`, true],
    ["mcpgen.config.json", JSON.stringify({ contracts: [{ ...entry, out: "other" }, entry] }), true],
  ] as const) {
    const folder = temporaryFolder({ [file]: text });
    const { MCPGEN_TRUST: hash } = await trustOf(folder);
    const { findings } = await init(folder, "--dry-run", "--trust", hash);
    expect(findings.map(({ detail }) => JSON.parse(detail) as unknown)).toEqual(
      isComplete ? [] : [{ contracts: [entry] }],
    );
  }
});

test("a broken link counts as an existing file", async () => {
  const folder = temporaryFolder();
  symlinkSync("nowhere", join(folder, "README.md"));
  const { stdout } = await mcpgen(folder, ["init", "server", "--name", "n"]);
  expect(stdout).toContain("SKIP    README.md\n");
  expect(lstatSync(join(folder, "README.md")).isSymbolicLink()).toBe(true);
});

test("a run continues after an interrupted one, and writes the handlers of the sample again", async () => {
  const folder = temporaryFolder();
  const whole = await mcpgen(folder, ["init", "server", "--name", "n"]);
  expect(whole.code).toBe(0);
  const contract = readFileSync(join(folder, "mcp.contract.yaml"), "utf8");
  const other = temporaryFolder({ "mcp.contract.yaml": contract });
  expect((await mcpgen(other, ["init", "server"])).code).toBe(0);
  for (const file of ["src/handlers.ts", "test/server.test.mjs", "README.md"])
    // Hosts get the path of the project.
    expect(readFileSync(join(other, file), "utf8").replaceAll(other, folder)).toBe(
      readFileSync(join(folder, file), "utf8"),
    );
});
