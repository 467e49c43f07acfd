import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type LiveServer, newServer, serve } from "../support/live-server.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { mcpgen } from "../support/in-process.js";
import { trustOf } from "../support/trust.js";

function withTool(name: string): LiveServer {
  const server = newServer(name);
  server.tool("echo", { inputSchema: { type: "object" } }, async () => "x");
  return server;
}

/** A project of two contracts whose servers run, one of them by a name. */
async function project() {
  const servers = [withTool("one"), withTool("two")];
  const sources = [await serve(servers[0]!), await serve(servers[1]!)];
  const contracts = ["one", "two"].map((name, index) => ({
    file: `${name}.yaml`,
    out: `src/${name}`,
    role: "client",
    server: index === 0 ? sources[0] : "second",
  }));
  const folder = temporaryFolder({
    "mcpgen.config.json": JSON.stringify({ contracts }),
    ".mcp.json": JSON.stringify({ mcpServers: { second: { url: sources[1] } } }),
    "deep/.gitkeep": "",
  });
  for (const index of [0, 1]) {
    const out = `${["one", "two"][index]}.yaml`;
    expect((await mcpgen(folder, ["capture", sources[index]!, "--out", out])).code).toBe(0);
  }
  expect((await mcpgen(folder, ["generate"])).code).toBe(0);
  return { folder, servers, sources };
}

test("one check covers output and the servers that the configuration names", async () => {
  const { folder, servers, sources } = await project();
  const clean = await mcpgen(join(folder, "deep"), ["check"]);
  expect([clean.code, clean.stderr]).toEqual([0, ""]);
  expect(clean.stdout).toContain(`${sources[0]} is as`);
  expect(clean.stdout).toContain("second is as");
  // The second run uses the cache, but never for servers.
  servers[1]!.tool("more", { inputSchema: { type: "object" } }, async () => "x");
  const drifted = await mcpgen(folder, ["check", "--json"]);
  const document = JSON.parse(drifted.stdout) as { findings: object[]; servers: object[]; mend: string };
  expect(document).toMatchObject({
    exit: 1,
    findings: [{ code: "MG6308", message: expect.stringContaining("tool-added") }],
    servers: [
      { server: sources[0], contract: "one.yaml" },
      { server: "second", contract: "two.yaml" },
    ],
    mend: "mcpgen capture --out two.yaml --replace second",
  });
  expect((await mcpgen(folder, ["check", "--fail-on", "breaking"])).code).toBe(0);
  expect((await mcpgen(folder, ["check", "--offline"])).code).toBe(0);
});

test("a server that does not answer does not stop the other comparisons, and the command ends with 4", async () => {
  const { folder, servers } = await project();
  servers[0]!.tool("more", { inputSchema: { type: "object" } }, async () => "x");
  writeFileSync(
    join(folder, ".mcp.json"),
    JSON.stringify({ mcpServers: { second: { command: join(folder, "not-there") } } }),
  );
  const env = await trustOf(folder);
  const ran = await mcpgen(folder, ["check"], { env });
  expect(ran.code).toBe(4);
  expect(ran.stdout).toContain("tool-added");
  expect(ran.stdout).toContain("second: error MG4101");
  const json = JSON.parse((await mcpgen(folder, ["check", "--json"], { env })).stdout) as object;
  expect(json).toMatchObject({ exit: 4, servers: [{}, { server: "second", error: { code: "MG4101" } }] });
});

test.each([
  [["--header", "A: b"], /--header needs --server/],
  [["--contract", "one.yaml"], /--contract needs --server/],
])("%j is for a single server", async (words, message) => {
  const contracts = [{ file: "a.yaml", out: "a", role: "client", server: "http://127.0.0.1:9/mcp" }];
  const folder = temporaryFolder({ "mcpgen.config.json": JSON.stringify({ contracts }) });
  const ran = await mcpgen(folder, ["check", ...words]);
  expect([ran.code, ran.stderr]).toEqual([2, expect.stringMatching(message)]);
});

test("an entry that is not a server is reported as such, with any files in the configuration's folder", async () => {
  const contracts = [{ file: "a.yaml", out: "src", role: "client", server: "nowhere" }];
  const folder = temporaryFolder({
    "mcpgen.config.json": JSON.stringify({ contracts }),
    "a.yaml": "name: a\nversion: '1'\n",
  });
  expect((await mcpgen(folder, ["generate"])).code).toBe(0);
  for (const files of [{}, { nowhere: "name: a\nversion: '1'\n" }]) {
    for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
    const ran = await mcpgen(folder, ["check"]);
    expect(ran.code).toBe(2);
    expect(ran.stdout).toMatch(/MG2014: expected a server: .*got "nowhere"\n.*stdio:nowhere/);
  }
});
