import { appendFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type CommandContext, type Outcome, Arguments } from "../../generator/command/command.js";
import { checkConfigured } from "../../generator/command/check/contracts.js";
import { Console } from "../../generator/command/console.js";
import { contractTargets, openProject } from "../../generator/command/project.js";
import { Trust } from "../../generator/command/trust/trust.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { mcpgen } from "../support/in-process.js";

const contract = `name: n
version: "1"
tools:
  - { name: greet, inputSchema: { type: object } }
`;
const handlers = `import type { Handlers } from "./gen/server.js";
export const handlers: Handlers = {
  tools: { async greet() { return { content: [] }; } },
};
`;
const config = (role: string): string =>
  JSON.stringify({ contracts: [{ file: "c.yaml", out: "src/gen", role }] });

async function generated(files: Record<string, string>, role = "server"): Promise<string> {
  const folder = temporaryFolder({ "c.yaml": contract, "mcpgen.config.json": config(role), ...files });
  expect((await mcpgen(folder, ["generate"])).code).toBe(0);
  return folder;
}

test("check checks the handlers of servers like sync --check", async () => {
  const folder = await generated({ "src/handlers.ts": handlers });
  expect(await mcpgen(folder, ["check"])).toMatchObject({
    code: 0,
    stdout: "c.yaml: output is up to date, handlers in 1 file fit it\n",
  });
  writeFileSync(join(folder, "src/handlers.ts"), handlers.replace("greet(", "greeet("));
  const checked = await mcpgen(folder, ["check", "--json"]);
  const synced = await mcpgen(folder, ["sync", "--check", "--json"]);
  const of = ({ stdout }: { stdout: string }) =>
    JSON.parse(stdout) as { findings: { code: string }[]; mend: string };
  expect([checked.code, synced.code]).toEqual([1, 1]);
  expect(of(checked).findings.map(({ code }) => code)).toEqual(["MG6502", "MG6501"]);
  expect(of(checked).findings).toEqual(of(synced).findings);
  expect([of(checked).mend, of(synced).mend]).toEqual(["mcpgen sync", "mcpgen sync"]);
  const text = await mcpgen(folder, ["check"]);
  expect(text.stdout).toMatch(
    /src\/handlers\.ts:3:18: error MG6502.*\n[^]*\n2 findings\nRun: mcpgen sync\n$/,
  );
});

test("outdated output is reported first; generate --check only checks output", async () => {
  const folder = await generated({ "src/handlers.ts": handlers });
  appendFileSync(join(folder, "c.yaml"), "  - { name: leave, inputSchema: { type: object } }\n");
  const { code, stdout } = await mcpgen(folder, ["check"]);
  expect([code, stdout.trimEnd().split("\n").at(-1)]).toEqual([1, "Run: mcpgen generate"]);
  expect(stdout).toContain('error MG6501: tools has no handler "leave"');
  await mcpgen(folder, ["generate"]);
  expect((await mcpgen(folder, ["generate", "--check"])).code).toBe(0);
  expect((await mcpgen(folder, ["check"])).code).toBe(1);
  await mcpgen(folder, ["sync"]);
  expect((await mcpgen(folder, ["check"])).code).toBe(0);
});

test.each<[string, string, Record<string, string>]>([
  ["no code", "server", {}],
  ["code that has nothing to do with it", "both", { "src/a.ts": "export const tools = {};", "b.py": "" }],
  ["a client", "client", { "src/handlers.ts": handlers }],
  [
    "handlers in a file that cannot be known",
    "server",
    {
      "src/main.ts":
        'import { createNServer } from "./gen/server.js";\nimport h from "elsewhere";\ncreateNServer(h);\n',
    },
  ],
])("check does not fail for missing handlers: %s", async (_, role, files) => {
  const folder = await generated(files, role);
  const { code, stdout } = await mcpgen(folder, ["check"]);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/c\.yaml: output is up to date\n$/)]);
});

test("check judges handlers that run again, and those of a server that cannot wait, as lint --code does", async () => {
  const asking = handlers.replace(
    "greet() {",
    'greet(_: any, { ask }: any) { await save(); await ask.roots("r");',
  );
  const folder = await generated({
    "c.yaml": contract.replace("greet,", "greet, replay: true,"),
    "src/handlers.ts": `declare const save: () => Promise<void>;\n${asking}`,
  });
  const { code, stdout } = await mcpgen(folder, ["check"]);
  expect(code).toBe(0);
  expect(stdout).toContain('src/handlers.ts:4:54: warning MG6607: tool "greet": save() happens again');
  expect(stdout).toMatch(/c\.yaml: output is up to date, handlers in 1 file fit it\n$/);
  const codes = async (): Promise<string[]> => {
    const { stdout: json } = await mcpgen(folder, ["check", "--json"]);
    return (JSON.parse(json) as { findings: { code: string }[] }).findings.map((each) => each.code);
  };

  writeFileSync(join(folder, "c.yaml"), contract);
  await mcpgen(folder, ["generate"]);
  expect(await codes()).toEqual([]);
  const main = `import { createNServer } from "./gen/server.js";
import { createHttpHandler } from "@mcpgen/runtime/http";
import { handlers } from "./handlers.js";
export const { fetch } = createHttpHandler(createNServer(handlers, {} as any));
`;
  writeFileSync(join(folder, "src/main.ts"), main);
  expect(await codes()).toEqual([]);
  writeFileSync(join(folder, "wrangler.toml"), "");
  expect(await codes()).toEqual(["MG6610"]);
});

/** Runs the check with a cache, as the built program does. Returns the outcome, and whether it came from the cache. */
async function cachedCheck(folder: string, words: readonly string[] = []): Promise<[Outcome, boolean]> {
  const said: string[] = [];
  const write = (text: string): void => void said.push(text);
  const console = new Console(
    { format: "text", quiet: false, verbose: true, color: "never" },
    { stdout: { write }, stderr: { write }, env: {} },
  );
  const args = new Arguments({ full: words.includes("--full") });
  const context: CommandContext = {
    console,
    words,
    directory: folder,
    env: {},
    stdin: (async function* () {})(),
    trust: new Trust({ console, directory: folder, env: {} }, args),
  };
  const project = await openProject(args, context);
  const outcome = await checkConfigured(
    contractTargets(args, project, context),
    { args, project, context },
    "g",
  );
  return [outcome, said.some((line) => line.startsWith("nothing changed"))];
}

test("a check without findings is cached until a file that it depends on changes", async () => {
  const folder = await generated({
    "node_modules/x/index.js": "",
    "package.json": '{"imports":{"#gen/*":"./src/gen/*"}}',
    "tsconfig.json": '{"extends":"./.base/base.json"}',
    ".base/base.json": "{}",
    "src/barrel.ts": 'export * from "./gen/server.js";',
    "src/handlers.ts": handlers.replace("./gen/server.js", "./barrel.js"),
    "src/more.ts": handlers.replace("./gen/server.js", "#gen/server.js"),
  });
  const [fresh, fromCache] = await cachedCheck(folder);
  expect([fresh.findings, fromCache]).toEqual([[], false]);
  expect(await cachedCheck(folder)).toEqual([fresh, true]);
  expect((await cachedCheck(folder, ["--full"]))[1]).toBe(false);
  const changes: [string, (text: string) => string][] = [
    ["src/handlers.ts", (text) => text.replace("greet(", "gone(")],
    ["src/barrel.ts", () => "export {};"],
    ["src/new.ts", () => handlers.replace("greet(", "gone(")],
    ["src/gen/server.ts", (text) => `${text}// mine\n`],
    ["package.json", () => "{}"],
    [".base/base.json", () => '{"compilerOptions":{}}'],
    ["c.yaml", (text) => text.replace("greet", "hello")],
    ["wrangler.toml", () => ""],
    ["mcpgen.config.json", () => config("both")],
  ];
  for (const [file, change] of changes) {
    const path = join(folder, file);
    const before = readdirSync(join(path, "..")).includes(file.split("/").at(-1)!)
      ? readFileSync(path, "utf8")
      : undefined;
    writeFileSync(path, change(before ?? ""));
    expect([file, (await cachedCheck(folder))[1]]).toEqual([file, false]);
    if (before === undefined) rmSync(path);
    else writeFileSync(path, before);
    await cachedCheck(folder);
    expect([file, (await cachedCheck(folder))[1]]).toEqual([file, true]);
  }
  mkdirSync(join(folder, "empty"));
  expect((await cachedCheck(folder))[1]).toBe(true);
});

test("a check with findings is not cached", async () => {
  const folder = await generated({
    "node_modules/x/index.js": "",
    "src/handlers.ts": handlers.replace("greet(", "gone("),
  });
  for (const _ of [1, 2])
    expect(await cachedCheck(folder)).toMatchObject([
      { findings: [{ code: "MG6502" }, { code: "MG6501" }] },
      false,
    ]);
});
