import { execFile } from "node:child_process";
import { existsSync, readFileSync, readdirSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { trustOf } from "../support/trust.js";
import { mcpgen } from "../support/in-process.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { initialized, newServer, scripted, serve } from "../support/live-server.js";

const run = promisify(execFile);
const read = (folder: string, file: string): string => readFileSync(join(folder, file), "utf8");

test("projects of either role start from a live server, and pass check", async () => {
  const server = newServer();
  server.tool("current_weather", {}, () => "mild");
  server.prompt("pack", { arguments: [{ name: "city", required: true }] }, () => "Pack.");
  const source = await serve(server);
  const folder = temporaryFolder();
  for (const role of ["server", "client"]) {
    const ran = await mcpgen(folder, ["init", role, role, "--server", source, "--header", "X-Key: 1"]);
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    const project = join(folder, role);
    expect((await mcpgen(project, ["check"])).code).toBe(0);
    expect((await mcpgen(project, ["check", "--server", source])).code).toBe(0);
    expect((await mcpgen(project, ["capture", source])).stdout).toContain(": unchanged; weather 1.0.0");
  }
  expect(read(join(folder, "server"), "src/handlers.ts")).toContain("async current_weather(");
  expect(read(join(folder, "client"), "src/client.ts")).toContain("weatherClient");
});

test("npm start of a client lists the tools, and calls the one that only reads", async () => {
  const server = newServer();
  server.tool("forget", {}, () => "gone");
  const inputSchema = {
    type: "object",
    properties: { city: { type: "string", examples: ["Bergen"] } },
    required: ["city"],
  };
  const definition = { annotations: { readOnlyHint: true }, inputSchema };
  server.tool(
    "weather",
    definition as never,
    (({ city }: { city: string }) => `mild in ${city}\u009b`) as never,
  );
  const source = await serve(server);
  const folder = temporaryFolder();
  expect((await mcpgen(folder, ["init", "client", "--server", source])).code).toBe(0);
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  await run(process.execPath, [resolve("node_modules/typescript/bin/tsc")], { cwd: folder });
  const { stdout } = await run(process.execPath, ["dist/main.js", source], { cwd: folder });
  expect(stdout).toBe('forget\nweather\n[{"type":"text","text":"mild in Bergen?"}]\n');
});

test("entries that the protocol does not allow are reported, and the project is made from the rest", async () => {
  const tool = { name: "good", inputSchema: { type: "object" } };
  const source = scripted({
    initialize: initialized({ tools: {} }),
    "tools/list": { tools: [tool, { name: "bad" }] },
  });
  const folder = temporaryFolder();
  const { code, stdout } = await mcpgen(folder, ["init", "client", "--server", source]);
  expect(code).toBe(1);
  expect(stdout).toContain('error MG6301: tools: entry 2 "bad" is left out');
  expect(read(folder, "src/generated/client.ts")).toContain('"good"');
});

test("with one revision the server is asked in that one; if it does not support it, no file is written", async () => {
  const source = scripted({ initialize: initialized({ tools: {} }), "tools/list": { tools: [] } });
  const folder = temporaryFolder();
  const init = (dir: string, ...revisions: string[]): ReturnType<typeof mcpgen> =>
    mcpgen(folder, ["init", "client", dir, "--server", source, ...revisions.map((id) => `--revision=${id}`)]);
  const refused = await init("new", "2026-07-28");
  expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining("error MG4104") });
  expect(existsSync(join(folder, "new"))).toBe(false);
  expect((await init("both", "2026-07-28", "2024-11-05", "2024-11-05")).code).toBe(0);
  expect(read(folder, "both/src/client.ts")).toContain(
    'clientRevisions.filter(({ id }) => ["2024-11-05","2026-07-28"].includes(id))',
  );
  expect(readdirSync(folder)).toEqual(["both"]);
});

test("a name that ends at the package.json of the new project is not written", async () => {
  const source = await serve(newServer("old"));
  const hosts = { ".mcp.json": JSON.stringify({ mcpServers: { old: { url: source } } }) };
  const init = async (folder: string): Promise<unknown> => {
    const ran = await mcpgen(folder, ["init", "client", "named", "--server", "old"]);
    const { contracts } = JSON.parse(read(join(folder, "named"), "mcpgen.config.json")) as {
      contracts: object[];
    };
    return [ran.code, /MG6402/.test(ran.stdout), contracts.map((each) => "server" in each)];
  };
  expect(await init(temporaryFolder(hosts))).toEqual([0, true, [false]]);
  expect(await init(temporaryFolder({ ...hosts, ".git/HEAD": "" }))).toEqual([0, false, [true]]);
});

test("a client's configuration names the server so that check finds it from its folder", async () => {
  const source = scripted({ initialize: initialized({ tools: {} }), "tools/list": { tools: [] } });
  const script = /"(.*)"/.exec(source)![1]!;
  const folder = temporaryFolder({
    ".git/HEAD": "",
    "old server/server.mjs": readFileSync(script, "utf8"),
    ".mcp.json": JSON.stringify({
      mcpServers: { old: { command: "node", args: ["old server/server.mjs"] } },
    }),
  });
  for (const [dir, server, expected] of [
    [".", 'stdio:node "old server/server.mjs"', 'stdio:node "old server/server.mjs"'],
    ["below/client", 'stdio:node "old server/server.mjs"', "stdio:node '../../old server/server.mjs'"],
    ["named", "old", "old"],
  ] as const) {
    const env = await trustOf(folder);
    const ran = await mcpgen(folder, ["init", "client", dir, "--server", server], { env });
    expect([dir, ran.code, ran.stderr]).toEqual([dir, 0, expect.not.stringContaining("MG6402")]);
    const project = join(folder, dir);
    const { contracts } = JSON.parse(read(project, "mcpgen.config.json")) as { contracts: object[] };
    expect(contracts).toMatchObject([{ role: "client", server: expected }]);
    expect(read(project, "README.md")).toContain("`npx mcpgen check` compares the server");
    const hashes = [await trustOf(folder), await trustOf(project)].map(({ MCPGEN_TRUST }) => MCPGEN_TRUST);
    const checked = await mcpgen(project, ["check"], { env: { MCPGEN_TRUST: hashes.join() } });
    expect([dir, checked.code, checked.stdout]).toEqual([
      dir,
      0,
      expect.stringContaining("is as mcp.contract.yaml says"),
    ]);
    // The files of the first run are complete: a second run has nothing to add.
    const again = await mcpgen(folder, ["init", "client", dir]);
    expect([again.code, again.stdout]).toEqual([0, expect.not.stringContaining("MG6401")]);
  }
});

test.each([["--header", "X-Key: s3cret"], ["?key=s3cret"]])(
  "a configuration does not name a server whose address needs a secret: %s",
  async (...secret) => {
    const server = newServer();
    server.tool(
      "forecast",
      { inputSchema: { type: "object", properties: { days: {} }, required: ["days"] } },
      () => "x",
    );
    const source = await serve(server);
    const folder = temporaryFolder();
    const words = secret.length > 1 ? [source, ...secret] : [source + secret[0]];
    const ran = await mcpgen(folder, ["init", "client", "c", "--server", ...words]);
    expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining("warning MG6402")]);
    const project = join(folder, "c");
    expect(read(project, "mcpgen.config.json")).not.toMatch(/server"|s3cret/);
    const readme = read(project, "README.md");
    expect(readme).toContain("npx mcpgen call SOURCE forecast days=…`");
    expect(readme).toContain("`npx mcpgen check --server SOURCE`");
  },
);
