import {
  chmodSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { mcpgen } from "../support/in-process.js";
import { temporaryFolder } from "../support/temporary-folder.js";

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

test("sync inserts code, lists it, and changes nothing the second time", async () => {
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
    'src/handlers.ts:3:10: error MG6501: tools has no handler "list_cities", which weather.yaml requires\n' +
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
  expect(stdout).toContain("weather.yaml: error MG6506: there are no handlers for this contract");
  expect(stdout).toContain('import type { Handlers } from "./generated/server.js";');
  expect(stdout).toContain("async forecast(args, context)");
});

test("sections may stand in separate files", async () => {
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

test("files that are not UTF-8 or not TypeScript are reported and not changed", async () => {
  const latin = Buffer.from(handlers.replace("fine", "sch\u00f6n"), "latin1");
  const folder = project({ "src/handlers.ts": latin, "src/broken.ts": `${handlers}}` });
  const { code, stdout } = await mcpgen(folder, ["sync"]);
  expect(code).toBe(1);
  expect(stdout).toContain("src/handlers.ts: error MG6504: is not text in UTF-8");
  expect(stdout).toMatch(/src\/broken\.ts:6:1: error MG6504: does not parse/);
  expect(readFileSync(join(folder, "src/handlers.ts"))).toEqual(latin);
});

test("an unreadable file counts as handlers only if it is named", async () => {
  const folder = project({ "src/handlers.ts": handlers, "public/bundle.js": "" });
  truncateSync(join(folder, "public/bundle.js"), 33 * 1024 * 1024);
  expect((await mcpgen(folder, ["sync", "--dry-run"])).code).toBe(0);
  expect((await mcpgen(folder, ["sync", "--handlers", "public/bundle.js"])).stderr).toContain("MG1003");
});

test("without a server's contract, sync names the missing configuration", async () => {
  const { code, stderr } = await mcpgen(temporaryFolder(), ["sync"]);
  expect([code, stderr]).toEqual([2, expect.stringMatching(/error MG6507: .*\n.*"role": "server"/)]);
});

describe("handlers are followed through modules", () => {
  const typed = (from: string, type = "Handlers"): string =>
    `import type { ${type} } from "${from}";\nexport const handlers: ${type} = { prompts: { forecast: () => "sun" } };\n`;
  const tools = (type: string): string => `${type} = { get_weather: f, list_cities: f };\n`;
  test.each<[string, Record<string, string>]>([
    ["a barrel", { "src/gen.ts": 'export * from "./generated/server.js";', "src/h.ts": typed("./gen.js") }],
    [
      "barrels of barrels, with other names",
      {
        "src/a/index.ts": 'export { type Handlers as Weather } from "../generated/server.js";',
        "src/b.ts": 'export * from "./a/index.js";\nexport * from "./c.js";',
        "src/c.ts": 'export * from "./b.js";',
        "src/h.ts": typed("./c.js", "Weather"),
      },
    ],
    [
      "types of another file",
      {
        "src/one.ts": 'import type { Handlers } from "./generated/server.js";\nexport type One = Handlers;',
        "src/two.ts": 'import type { One } from "./one";\nexport interface Two extends One {}',
        "src/h.ts": typed("./two", "Two"),
      },
    ],
    [
      "a default export and a namespace",
      {
        "src/gen.ts": 'import type { Handlers } from "./generated/server.js";\nexport default Handlers;',
        "src/all.ts": 'export * as weather from "./generated/server.js";',
        "src/h.ts": `import type Mine from "./gen.js";\nimport type { weather } from "./all.js";\nconst h: Mine["prompts"] = { forecast };\n${tools('const t: weather.Handlers["tools"]').replace(/get.*cities: f/, "")}`,
      },
    ],
    [
      "imports of package.json",
      { "package.json": '{"imports":{"#gen/*":"./src/generated/*"}}', "src/h.ts": typed("#gen/server.js") },
    ],
    [
      "paths of tsconfig.json",
      {
        "tsconfig.json": '{"files":[],"references":[{"path":"./tsconfig.app.json"}]}',
        "tsconfig.app.json": '{"extends":"./tsconfig.base.json"}',
        "tsconfig.base.json": '{"compilerOptions":{"paths":{"weather":["./src/generated/server.ts"]}}}',
        "src/h.ts": typed("weather"),
      },
    ],
    [
      "JavaScript",
      {
        "src/h.mjs": typed("./generated/server.js")
          .replace(/^.*\n/, '/** @type {import("./generated/server.js").Handlers} */\n')
          .replace(": Handlers", ""),
      },
    ],
  ])("%s", async (_, files) => {
    const folder = project({ "src/generated/server.ts": "export interface Handlers {}", ...files });
    const file = Object.keys(files).at(-1)!;
    const { code, stdout } = await mcpgen(folder, ["sync"]);
    expect([code, stdout]).toEqual([
      0,
      `${file}: get_weather, list_cities\n2 functions inserted in 1 file\n`,
    ]);
    expect((await mcpgen(folder, ["sync", "--check"])).code).toBe(0);
  });

  test("links are followed in the project, and a file that is linked twice is written once", async () => {
    const folder = project({ "real/handlers.ts": handlers.replace("./gen", "../src/gen") });
    mkdirSync(join(folder, "src"), { recursive: true });
    symlinkSync("../real/handlers.ts", join(folder, "src/handlers.ts"));
    symlinkSync("..", join(folder, "src/around"));
    symlinkSync("itself.ts", join(folder, "src/itself.ts"));
    symlinkSync("nowhere.ts", join(folder, "src/gone.ts"));
    const { code, stdout } = await mcpgen(folder, ["sync"]);
    expect([code, stdout]).toEqual([0, "real/handlers.ts: list_cities\n1 function inserted in 1 file\n"]);
    const elsewhere = temporaryFolder({ "h.ts": handlers });
    const linked = project({});
    mkdirSync(join(linked, "src"));
    symlinkSync(join(elsewhere, "h.ts"), join(linked, "src/h.ts"));
    expect((await mcpgen(linked, ["sync"])).stderr).toContain("MG3009");
    expect((await mcpgen(linked, ["sync", "--handlers", "src/h.ts"])).stderr).toContain("MG3009");
    expect(readFileSync(join(elsewhere, "h.ts"), "utf8")).toBe(handlers);
  });

  test("packages of a workspace are followed if they are source", async () => {
    const app = typed("@me/weather");
    const folder = project({
      "packages/weather/package.json": '{"name":"@me/weather","exports":"./index.ts"}',
      "packages/weather/index.ts": 'export * from "../../src/generated/server.js";',
      "src/generated/server.ts": "export interface Handlers {}",
      "app/h.ts": app,
      "node_modules/.keep": "",
    });
    mkdirSync(join(folder, "node_modules/@me"));
    symlinkSync("../../packages/weather", join(folder, "node_modules/@me/weather"));
    expect((await mcpgen(folder, ["sync", "--dry-run"])).stdout).toContain(
      "app/h.ts: get_weather, list_cities\n",
    );
    const declared = { name: "@me/weather", exports: "./index.d.ts" };
    writeFileSync(join(folder, "packages/weather/package.json"), JSON.stringify(declared));
    writeFileSync(join(folder, "packages/weather/index.d.ts"), "export interface Handlers {}");
    expect((await mcpgen(folder, ["sync", "--dry-run"])).stdout).toMatch(/^app\/h\.ts:1:15: warning MG6503/);
  });

  test("a third-party package never counts as handlers, with any exports", async () => {
    const folder = project({
      "node_modules/router/package.json": '{"name":"router","types":"./index.d.ts"}',
      "node_modules/router/index.d.ts": "export interface Handlers {}",
      "src/h.ts": typed("router"),
    });
    expect((await mcpgen(folder, ["sync"])).stdout).toMatch(/^weather\.yaml: error MG6506/);
  });

  test("compiled handlers are not edited", async () => {
    const script = handlers
      .replace(/^.*\n/, 'import { createWeatherServer } from "#gen/server.js";\n')
      .replace("const handlers: Handlers = ", "const server = createWeatherServer(")
      .replace("};", "});");
    const folder = project({
      "package.json": '{"imports":{"#gen/*":"./build/generated/*"}}',
      "tsconfig.json": '{"compilerOptions":{"module":"NodeNext","rootDir":"src","outDir":"build"}}',
      "src/generated/server.ts": "export {};",
      "src/handlers.ts": handlers,
      "build/handlers.js": script,
      "src/beside.ts": handlers,
      "src/beside.js": script,
    });
    expect((await mcpgen(folder, ["sync"])).stdout).toContain("2 functions inserted in 2 files\n");
    expect([read(folder, "build/handlers.js"), read(folder, "src/beside.js")]).toEqual([script, script]);
  });
});

test.each([
  [
    "a module that cannot be found",
    "src/h.ts",
    'import type { Handlers } from "@app/gen";\nconst h: Handlers = {};\n',
    1,
  ],
  [
    "handlers that another file has without a type",
    "src/h.ts",
    'import { createWeatherServer } from "./generated/server.js";\nimport { handlers } from "./mine.js";\n\ncreateWeatherServer(handlers);\n',
    4,
  ],
  [
    "part of them",
    "src/h.ts",
    'import { Handlers } from "./generated/server.js";\nconst h: Partial<Handlers> = {};\n',
    2,
  ],
])("sync cannot know: %s", async (_, file, text, line) => {
  const folder = project({ [file]: text });
  const { code, stdout } = await mcpgen(folder, ["sync"]);
  expect([code, read(folder, file)]).toEqual([0, text]);
  expect(stdout).toMatch(new RegExp(`^src/h\\.ts:${line}:\\d+: warning MG6503: cannot determine whether`));
  expect(stdout).not.toContain("MG6506");
});
