import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { isThorough } from "../support/cases.mjs";
import { mcpgen } from "../support/in-process.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const tsc = resolve("node_modules/typescript/bin/tsc");
const read = (folder: string, file: string): string => readFileSync(join(folder, file), "utf8");

/** Type-checks, builds and tests a project with the packages of this repository, as its `npm test` does. */
function npmTest(folder: string): string {
  if (!existsSync(join(folder, "node_modules")))
    symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  const run = (...args: string[]): string =>
    execFileSync(process.execPath, args, { cwd: folder, encoding: "utf8", stdio: "pipe", env: {} });
  return run(tsc) + run("--test", "--test-reporter=tap", "test/");
}

/** Replaces a name everywhere in a file. */
function rename(folder: string, file: string, name: string, other: string): void {
  writeFileSync(join(folder, file), read(folder, file).replaceAll(name, other));
}

test("a project of the sample type-checks, passes its tests, and equals the output of generate and sync", async () => {
  const folder = temporaryFolder();
  const { code, stdout } = await mcpgen(folder, ["init", "server", "weather station"]);
  expect([code, stdout]).toEqual([0, expect.stringContaining("CREATE  weather station/src/handlers.ts\n")]);
  expect(stdout).toMatch(/^CREATE {2}weather station\/src\/generated\/ \((\d+) of \1 files\)$/m);
  expect(stdout).toMatch(/^\d+ files created, 0 left as they were; package\.json names the checkout/m);
  expect(stdout).toContain("Run: cd 'weather station' && npm install && npm test\n");
  const project = join(folder, "weather station");
  expect(JSON.parse(read(project, "package.json"))).toMatchObject({
    name: "weather-station",
    dependencies: {
      "@mcpgen/base": `file:${resolve("runtime/base")}`,
      "@mcpgen/cluster": `file:${resolve("runtime/cluster")}`,
      "@mcpgen/engine": `file:${resolve("engine")}`,
      "@mcpgen/protocol": `file:${resolve("generated")}`,
      "@mcpgen/runtime": `file:${resolve("runtime/core")}`,
    },
    devDependencies: {
      "@mcpgen/testing": `file:${resolve("runtime/testing")}`,
      mcpgen: `file:${resolve(".")}`,
      typescript: expect.any(String),
    },
  });
  expect(read(project, "src/main.ts").split("\n")[1]).toBe('import "@mcpgen/runtime/stdio-guard";');
  const own = readdirSync(project, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.parentPath.includes("/src/generated"),
  );
  expect(own.length).toBeLessThan(14);
  expect((await mcpgen(project, ["sync", "--check"])).stdout).toBe(
    "nothing to insert in 1 file of handlers\n",
  );
  expect((await mcpgen(project, ["check"])).code).toBe(0);
  expect(npmTest(project)).toMatch(/^# pass 3\n# fail 0$/m);
  if (!isThorough) return;
  // The contract belongs to its author, who may rename tools: the files that `init` wrote once still pass.
  for (const file of ["mcp.contract.yaml", "src/handlers.ts"]) rename(project, file, "greet", "hail");
  expect((await mcpgen(project, ["generate"])).code).toBe(0);
  expect(npmTest(project)).toMatch(/^# pass 2\n# fail 0\n# cancelled 0\n# skipped 1$/m);
});

const contract = `name: "4 \\"servers\\" */"
version: "1"
tools: [{ name: get-x, inputSchema: { type: object }, outputSchema: { type: object, properties: { x: { type: number } }, required: [x] } }]
resources: [{ name: r, uri: "a:b" }]
resourceTemplates: [{ name: t, uriTemplate: "c:{d}" }]
prompts: [{ name: p, arguments: [{ name: q, required: true }] }]
`;

test("a project of a contract has a function for everything, and passes its tests before they are written", async () => {
  const folder = temporaryFolder({ "c.yaml": contract });
  const { code } = await mcpgen(folder, ["init", "server", "out", "--contract", "c.yaml"]);
  expect(code).toBe(0);
  const project = join(folder, "out");
  expect(read(project, "mcp.contract.yaml")).toBe(contract);
  expect(read(project, "src/handlers.ts")).toContain('async "get-x"(args, context)');
  expect((await mcpgen(project, ["check"])).code).toBe(0);
  // test/sync checks sooner that stubs compile.
  if (isThorough) expect(npmTest(project)).toMatch(/^# pass 2\n# fail 0$/m);
});

test("a client of a contract passes its tests, and cannot be made without a contract", async () => {
  const folder = temporaryFolder({ "c.yaml": contract });
  const { code } = await mcpgen(folder, ["init", "client", "out", "--contract", "c.yaml"]);
  expect(code).toBe(0);
  const project = join(folder, "out");
  expect((await mcpgen(project, ["check"])).code).toBe(0);
  expect(npmTest(project)).toMatch(/^# pass 2\n# fail 0$/m);
  // The server has changed: the files that `init` wrote once call the tools that it has now.
  rename(project, "mcp.contract.yaml", "get-x", "get-y");
  expect((await mcpgen(project, ["generate"])).code).toBe(0);
  expect(npmTest(project)).toMatch(/^# pass 2\n# fail 0$/m);
  const nothing = await mcpgen(folder, ["init", "client", "empty"]);
  expect([nothing.code, nothing.stderr]).toEqual([
    2,
    expect.stringContaining("error MG2003: expected the contract"),
  ]);
  expect(existsSync(join(folder, "empty"))).toBe(false);
});

/** A contract of one tool that only reads, with these arguments. */
const reading = (inputSchema: object, annotations: object = { readOnlyHint: true }): string =>
  JSON.stringify({ name: "w", version: "1", tools: [{ name: "get-x", annotations, inputSchema }] });
const string = { type: "string" };

test.each([
  ["without arguments", reading({ type: "object" }), "tools.getX({})"],
  [
    "with a sample",
    reading({ type: "object", properties: { a: string, b: string }, required: ["a"] }),
    'tools.getX({ a: "a" })',
  ],
  [
    "with an example of a member",
    reading({ type: "object", properties: { a: { ...string, examples: ["Bergen"] } }, required: ["a"] }),
    'tools.getX({ a: "Bergen" })',
  ],
  [
    "with an example that is not valid",
    reading({ type: "object", properties: { a: { ...string, examples: [1] } }, required: ["a"] }),
    'tools.getX({ a: "a" })',
  ],
  [
    "with an example of all",
    reading({ type: "object", properties: { a: string }, examples: [{ a: "x" }] }),
    'tools.getX({ a: "x" })',
  ],
  [
    "that may change something",
    reading({ type: "object", properties: { a: string }, required: ["a"] }, {}),
    "// npx mcpgen call SOURCE get-x a=…",
  ],
  [
    "that takes nothing",
    reading({ type: "object", properties: { a: false }, required: ["a"] }),
    "// npx mcpgen call SOURCE get-x a=…",
  ],
])("a new client calls a tool that only reads: %s", async (_, contract, line) => {
  const folder = temporaryFolder({ "c.json": contract });
  expect((await mcpgen(folder, ["init", "client", "out", "--contract", "c.json"])).code).toBe(0);
  expect(read(folder, "out/src/main.ts")).toContain(line);
});

test("existing files are never overwritten; --dry-run writes nothing", async () => {
  const folder = temporaryFolder({ "package.json": "mine", "mcp.contract.yaml": contract });
  const dry = await mcpgen(folder, ["init", "server", "--dry-run", "--json"]);
  const { written, files } = JSON.parse(dry.stdout) as {
    written: boolean;
    files: { path: string; action: string }[];
  };
  expect(written).toBe(false);
  expect(files.filter(({ action }) => action === "SKIP").map(({ path }) => path)).toEqual([
    "mcp.contract.yaml",
    "package.json",
  ]);
  expect(existsSync(join(folder, "src"))).toBe(false);
  const { stdout } = await mcpgen(folder, ["init", "server"]);
  expect(stdout).toContain("SKIP    package.json\n");
  expect([read(folder, "package.json"), read(folder, "mcp.contract.yaml")]).toEqual(["mine", contract]);
  expect((await mcpgen(folder, ["init", "server"])).stdout).toMatch(
    /^0 files created, \d+ left as they were$/m,
  );
});

test.each([
  ["a name for a contract that has one", ["--contract", "c.yaml", "--name", "x"], 2, /MG2005: --name/],
  [
    "two contracts",
    ["there", "--contract", "c.yaml"],
    2,
    /MG2005: the folder already has a contract: there\/mcp/,
  ],
  ["a contract that is none", ["--contract", "none.yaml"], 3, /none\.yaml: error MG1001/],
])("%s is refused before anything is written", async (_, args, exit, message) => {
  const folder = temporaryFolder({ "c.yaml": contract, "there/mcp.contract.yaml": contract });
  const { code, stderr } = await mcpgen(folder, ["init", "server", ...args]);
  expect([code, stderr]).toEqual([exit, expect.stringMatching(message)]);
  expect(existsSync(join(folder, "package.json"))).toBe(false);
});
