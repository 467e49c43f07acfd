import { chmodSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mcpgen } from "../../command/in-process.js";
import { temporaryFolder } from "../../temporary-folder.js";

const contract = `name: weather
version: "1.0"
tools:
  - { name: get_weather, inputSchema: { type: object } }
  - { name: list_cities, inputSchema: { type: object } }
prompts:
  - name: forecast
`;
const config = JSON.stringify({
  contracts: [{ file: "weather.yaml", out: "src/generated", role: "server" }],
});
const handlers = `import type { Handlers } from "./generated/server.js";
export const handlers: Handlers = {
  tools: { get_weather() { return "fine"; } },
  prompts: { forecast: () => "sun" },
};
`;
const project = (files: Record<string, string | Uint8Array> = { "src/handlers.ts": handlers }): string =>
  temporaryFolder({ "mcpgen.config.json": config, "weather.yaml": contract, ...files });
const read = (folder: string, file = "src/handlers.ts"): string => readFileSync(join(folder, file), "utf8");

test("sync inserts, says what, and has nothing to do the second time", async () => {
  const folder = project();
  chmodSync(join(folder, "src/handlers.ts"), 0o600);
  const { mtimeMs } = statSync(join(folder, "weather.yaml"));
  expect(await mcpgen(folder, ["sync"])).toEqual({
    code: 0,
    stdout: "src/handlers.ts: list_cities\n1 function inserted in 1 file\n",
    stderr: "",
  });
  expect(read(folder)).toContain("async list_cities(args, context)");
  expect(statSync(join(folder, "src/handlers.ts")).mode & 0o777).toBe(0o600);
  const again = await mcpgen(folder, ["sync", "--check"]);
  expect([again.code, again.stdout]).toEqual([0, "nothing to insert in 1 file of handlers\n"]);
  expect(statSync(join(folder, "weather.yaml")).mtimeMs).toBe(mtimeMs);
});

test("--check and --dry-run write nothing; --check ends with 1 and the command that mends it", async () => {
  const folder = project();
  const check = await mcpgen(folder, ["sync", "--check"]);
  expect(check.code).toBe(1);
  expect(check.stdout).toBe(
    'src/handlers.ts:3:10: error MG6501: tools has no "list_cities", which weather.yaml offers\n' +
      "1 function missing in 1 file\nRun: mcpgen sync\n",
  );
  const dry = await mcpgen(folder, ["sync", "--dry-run", "--json"]);
  expect(dry.code).toBe(0);
  const { written, files } = JSON.parse(dry.stdout) as { written: boolean; files: unknown[] };
  expect([written, files]).toEqual([
    false,
    [
      {
        file: "src/handlers.ts",
        missing: [{ contract: "weather.yaml", section: "tools", name: "list_cities" }],
        insertions: [
          { at: expect.any(Number), text: "," },
          { at: expect.any(Number), text: expect.stringContaining("list_cities") },
        ],
      },
    ],
  ]);
  expect(read(folder)).toBe(handlers);
  expect((await mcpgen(folder, ["sync", "--check", "--dry-run"])).stderr).toContain("MG2005");
});

test("without handlers the text to paste is printed", async () => {
  const folder = project({
    "src/generated/server.ts": "export {};",
    "dist/h.ts": handlers,
    "src/x.d.ts": handlers,
  });
  const { code, stdout } = await mcpgen(folder, ["sync"]);
  expect(code).toBe(1);
  expect(stdout).toContain("weather.yaml: error MG6506: there are no handlers for it");
  expect(stdout).toContain('import type { Handlers } from "./generated/server.js";');
  expect(stdout).toContain("async forecast(args, context)");
});

test("sections may stand in files of their own", async () => {
  const folder = project({
    "src/handlers.ts": handlers
      .replace(/tools: .*/, "tools,")
      .replace("\n", '\nimport { tools } from "./tools.js";\n'),
    "src/tools.ts":
      'import type { Handlers } from "./generated/server.js";\nexport const tools: Handlers["tools"] = {};\n',
  });
  const { code, stdout } = await mcpgen(folder, ["sync"]);
  expect([code, stdout]).toEqual([
    0,
    "src/tools.ts: get_weather, list_cities\n2 functions inserted in 1 file\n",
  ]);
  writeFileSync(join(folder, "src/tools.ts"), "export const tools = makeTools();\n");
  const unknown = await mcpgen(folder, ["sync"]);
  expect([unknown.code, unknown.stdout]).toEqual([0, expect.stringContaining("warning MG6503")]);
});

test("--handlers names the files; a link stays a link", async () => {
  const folder = project({ "elsewhere/h.ts": handlers.replace("./generated", "../src/generated") });
  symlinkSync(join(folder, "elsewhere/h.ts"), join(folder, "elsewhere/link.ts"));
  const { code } = await mcpgen(folder, ["sync", "--handlers", "elsewhere/link.ts"]);
  expect([code, read(folder, "elsewhere/h.ts").includes("list_cities")]).toEqual([0, true]);
  const none = await mcpgen(folder, ["sync", "--handlers", "none.ts"]);
  expect([none.code, none.stderr]).toEqual([3, expect.stringContaining("none.ts: error MG1001")]);
});

test("what is no UTF-8 or no TypeScript is named and left alone", async () => {
  const latin = Buffer.from(handlers.replace("fine", "sch\u00f6n"), "latin1");
  const folder = project({ "src/handlers.ts": latin, "src/broken.ts": `${handlers}}` });
  const { code, stdout } = await mcpgen(folder, ["sync"]);
  expect(code).toBe(1);
  expect(stdout).toContain("src/handlers.ts: error MG6504: is not text in UTF-8");
  expect(stdout).toMatch(/src\/broken\.ts:6:1: error MG6504: does not parse/);
  expect(readFileSync(join(folder, "src/handlers.ts"))).toEqual(latin);
});

test("without a server's contract sync says what to configure", async () => {
  const { code, stderr } = await mcpgen(temporaryFolder(), ["sync"]);
  expect([code, stderr]).toEqual([2, expect.stringMatching(/error MG6507: .*\n.*"role": "server"/)]);
});
