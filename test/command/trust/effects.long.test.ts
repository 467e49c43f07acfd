import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { mcpgen } from "../../support/in-process.js";
import { cases, seed } from "../../support/cases.mjs";
import { temporaryFolder } from "../../support/temporary-folder.js";

interface Content {
  readonly hash: string;
  readonly effects: readonly { readonly verb: string; readonly what: string; readonly needed: boolean }[];
}

/** The output of `mcpgen trust --print` for a folder. */
async function contentOf(folder: string): Promise<Content> {
  const { stdout } = await mcpgen(folder, ["trust", ".", "--print", "--json"]);
  return JSON.parse(stdout) as Content;
}

const needsTrust = ({ effects }: Content): boolean => effects.some(({ needed }) => needed);

const name = fc.stringMatching(/^[a-z]{1,6}$/);
/** Texts that do not name a program, a module or a variable. */
const harmless = fc.oneof(
  name,
  fc.constantFrom("a b", "$HOME", "%PATH%", "{x}", "../up", "https://example.com/x"),
);
const address = name.map((path) => `https://example.com/${path}`);

/** Configuration with all keys, except those for programs and modules. */
const config = fc.record(
  {
    $schema: harmless,
    revisions: fc.array(name),
    schema: harmless,
    out: harmless,
    package: fc.oneof(name, fc.record({ name, scripts: fc.dictionary(name, harmless) })),
    contracts: fc.array(
      fc.record(
        {
          file: harmless,
          out: harmless,
          role: fc.constantFrom("client", "server", "both"),
          base: harmless,
          server: address,
        },
        { requiredKeys: ["file", "out", "role"] },
      ),
      { maxLength: 3 },
    ),
    importExtension: fc.constantFrom("js", "ts"),
    diff: fc.record({ rules: fc.dictionary(name, harmless) }),
  },
  { requiredKeys: [] },
);

const entry = fc.record(
  { url: address, headers: fc.dictionary(name, harmless), type: fc.constantFrom("http", "sse") },
  { requiredKeys: ["url"] },
);
const hosts = fc.record({ mcpServers: fc.dictionary(name, entry, { maxKeys: 3 }) });
const project = fc.record({ config, hosts });
type Project = typeof project extends fc.Arbitrary<infer Value> ? Value : never;

/** Puts a program, a module or a variable somewhere into a project. */
const additions: Readonly<Record<string, (project: Project, at: number, text: string) => object>> = {
  templates: ({ config }, _, text) => ({ config: { ...config, templates: text } }),
  "a command": ({ config }, at, text) => ({
    config: { ...config, contracts: served(config, at, `stdio:node ${text}`) },
  }),
  "a command, in capitals": ({ config }, at, text) => ({
    config: { ...config, contracts: served(config, at, `STDIO:${text}`) },
  }),
  // A server that the project's own file defines needs no trust in addition to its entry there.
  "the name of a server elsewhere": ({ config }, at, text) => ({
    config: { ...config, contracts: served(config, at, `${text}-elsewhere`) },
  }),
  "a program of a host's file": ({ hosts }, _, text) => ({
    hosts: { mcpServers: { ...hosts.mcpServers, [text]: { command: text } } },
  }),
  "a variable in a URL": ({ hosts }, _, text) => ({
    hosts: { mcpServers: { ...hosts.mcpServers, [text]: { url: `https://example.com/\${${text}}` } } },
  }),
  "a variable in a header": ({ hosts }, _, text) => ({
    hosts: {
      mcpServers: { ...hosts.mcpServers, [text]: { url: "https://x", headers: { a: `b \${${text}:-c}` } } },
    },
  }),
  "a variable in a default": ({ hosts }, _, text) => ({
    hosts: { mcpServers: { ...hosts.mcpServers, [text]: { url: `https://x/\${A:-{\${${text}}}` } } },
  }),
  "a command that prints headers": ({ hosts }, _, text) => ({
    hosts: { mcpServers: { ...hosts.mcpServers, [text]: { url: "https://x", headersHelper: text } } },
  }),
};

function served({ contracts = [] }: Project["config"], at: number, server: string): object[] {
  const own = { file: "c.yaml", out: "o", role: "server", server };
  return contracts.toSpliced(at % (contracts.length + 1), 0, own as never);
}

function written(folder: string, { config, hosts }: { config?: object; hosts?: object }): void {
  if (config) writeFileSync(join(folder, "mcpgen.config.json"), JSON.stringify(config));
  if (hosts) writeFileSync(join(folder, ".mcp.json"), JSON.stringify(hosts));
}

test("JSON that names no program, module or variable needs no trust; one of them anywhere needs it", async () => {
  const folder = temporaryFolder();
  await fc.assert(
    fc.asyncProperty(
      project,
      fc.constantFrom(...Object.keys(additions)),
      fc.nat(),
      name,
      async (given, kind, at, text) => {
        written(folder, given);
        const before = await contentOf(folder);
        expect(needsTrust(before)).toBe(false);
        written(folder, { ...given, ...additions[kind]!(given, at, text) });
        const after = await contentOf(folder);
        expect(needsTrust(after)).toBe(true);
        expect(after.hash).not.toBe(before.hash);
      },
    ),
    { seed, numRuns: cases(2_000, 100) },
  );
});

const files = {
  "mcpgen.config.js": [
    'import { a } from "./lib/a.js"; // don\'t stop here',
    "import '#mapped';",
    'import "plain"; import "@scope/mapped/sub";',
    'const late = await import(`./lib/late.mjs`); createRequire(import.meta.url)("./lib/old.cjs");',
    'new Worker(new URL("./lib/worker.js", import.meta.url)); import "./lib/\\x68idden.js";',
    'export default { templates: "tpl", contracts: [{ server: "stdio:node tools/server.js" }] };',
  ].join("\n"),
  "package.json": JSON.stringify({
    type: "module",
    imports: { "#mapped": { node: "./lib/mapped.js", default: "./x.js" } },
  }),
  "lib/a.js": '/* \' */ export * from "./b.js";',
  "lib/b.js": "export const b = 1;",
  "lib/late.mjs": 'export { default } from "./data.json" with { type: "json" };',
  "lib/data.json": "{}",
  "lib/old.cjs": 'require("./older");',
  "lib/older.cjs": "",
  "lib/worker.js": "",
  "lib/hidden.js": "",
  "lib/mapped.js": "",
  "node_modules/plain/package.json": '{"main":"lib"}',
  "node_modules/plain/lib/index.js": 'module.exports = require("./deep.js");',
  "node_modules/plain/lib/deep.js": "",
  "node_modules/@scope/mapped/package.json": '{"exports":{".":"./no.js","./*":{"import":"./dist/*.mjs"}}}',
  "node_modules/@scope/mapped/dist/sub.mjs": "",
  "tpl/types.ts.hbs": "{{x}}",
  "tools/server.js": 'import "./parts.js";',
  "tools/parts.js": "",
  ".mcp.json": JSON.stringify({
    mcpServers: {
      a: {
        command: "python",
        args: ["-u", "run/server.py"],
        env: { NODE_OPTIONS: "--require ./run/hook.cjs", PATH: "./run/bin" },
      },
      b: { command: "weather", env: { PATH: "./run/bin" } },
      c: { command: "npx", args: ["local"] },
      d: { url: "https://example.com/${TOKEN}" },
    },
  }),
  "run/server.py": "",
  "run/hook.cjs": 'require("./hooked.cjs")',
  "run/hooked.cjs": "",
  "run/bin/weather": "",
  "node_modules/.bin/local": "",
  ".vscode/mcp.json": JSON.stringify({
    inputs: [{ id: "k", default: "v" }],
    servers: { e: { command: "node", args: ["${workspaceFolder}/run/editor.js", "${input:k}"] } },
  }),
  "run/editor.js": "",
};

/** Files that do not affect which code runs. */
const others = {
  "README.md": "x",
  "lib/unused.js": "x",
  "lib/x.js.map": "x",
  "tpl/notes.txt": "x",
  "node_modules/@scope/mapped/no.js": "",
  "mcp.contract.yaml": "name: n",
};

test("the hash changes with each byte of a file that is run, rendered or started, but not with other files", async () => {
  const folder = temporaryFolder({ ...files, ...others });
  const { hash } = await contentOf(folder);
  expect((await contentOf(folder)).hash).toBe(hash);
  const change = async (file: string, text: (before: string) => string): Promise<string> => {
    const before = readFileSync(join(folder, file), "utf8");
    writeFileSync(join(folder, file), text(before));
    const changed = (await contentOf(folder)).hash;
    writeFileSync(join(folder, file), before);
    return changed;
  };
  // package.json is not code, but decides which code runs: it matters only if its entries lead to other files.
  const covered = Object.keys(files).filter((file) => !file.endsWith("package.json"));
  for (const file of covered.filter((each) => !each.endsWith("mcp.json")))
    expect([file, await change(file, (text) => `${text} `)]).not.toEqual([file, hash]);
  expect(await change("package.json", (text) => text.replace("lib/mapped", "lib/unused"))).not.toBe(hash);
  for (const [file, from, to] of [
    [".mcp.json", "TOKEN", "OTHER"],
    [".mcp.json", "example.com", "example.org"],
    [".mcp.json", "-u", "-v"],
    [".vscode/mcp.json", '"v"', '"w"'],
  ] as const)
    expect([file, await change(file, (text) => text.replace(from, to))]).not.toEqual([file, hash]);
  for (const file of Object.keys(others))
    expect([file, await change(file, (text) => `${text} `)]).toEqual([file, hash]);
});

test("any changed byte of a file that runs changes the hash", async () => {
  const folder = temporaryFolder(files);
  const { hash } = await contentOf(folder);
  const code = Object.entries(files).filter(
    ([file, text]) => text !== "" && !/package\.json$|mcp\.json$/.test(file),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...code),
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      async ([file, text], at, by) => {
        const bytes = Buffer.from(text);
        bytes[at % bytes.length]! ^= by;
        writeFileSync(join(folder, file), bytes);
        const changed = await contentOf(folder);
        writeFileSync(join(folder, file), text);
        expect(changed.hash).not.toBe(hash);
      },
    ),
    { seed, numRuns: cases(2_000, 50) },
  );
});

test.each([
  ["node 'tools/a b.js'", "tools/a b.js"],
  ['node "./tools"/c.js', "tools/c.js"],
  ["node --import=./tools/c.js -e 0", "tools/c.js"],
  ["npx -y local", "node_modules/.bin/local"],
  ["npm run serve", "package.json"],
  ["node .", "tools/c.js"],
  ["sh -c 'exec node tools/c.js'", "tools/c.js"],
])("stdio:%s covers %s", async (command, file) => {
  const folder = temporaryFolder({
    "mcpgen.config.json": JSON.stringify({
      contracts: [{ file: "c", out: "o", role: "client", server: `stdio:${command}` }],
    }),
    "package.json": '{"main":"tools/c"}',
    "tools/a b.js": "",
    "tools/c.js": "",
    "node_modules/.bin/local": "",
  });
  const { hash } = await contentOf(folder);
  writeFileSync(join(folder, file), `${readFileSync(join(folder, file), "utf8")} `);
  expect((await contentOf(folder)).hash).not.toBe(hash);
});

test("the hash depends on the content, not on the folder, the time or the user", async () => {
  const [one, other] = [temporaryFolder(files), temporaryFolder(files)];
  expect((await contentOf(one)).hash).toBe((await contentOf(other)).hash);
});
