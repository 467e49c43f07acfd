import { appendFileSync, existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.js";
import { mcpgen } from "../support/in-process.js";
import { smallProject } from "../support/small-protocol.js";

const contract = `name: n
version: "1"
tools:
  - { name: greet, inputSchema: { type: object } }
`;
const files = {
  "mcp.contract.yaml": contract,
  "mcpgen.config.json": '{"contracts":[{"file":"mcp.contract.yaml","out":"generated","role":"server"}]}',
};

test("a project of contracts needs no schemas: generate, then check, and nothing changes", async () => {
  const folder = temporaryFolder(files);
  const { code, stdout } = await mcpgen(folder, ["generate"]);
  expect(stdout).toMatch(/^CREATE +generated\/checks\.ts/);
  expect(stdout).toMatch(/mcp\.contract\.yaml: \d+ created, 0 updated, 0 deleted, 0 unchanged\n$/);
  expect(code).toBe(0);
  expect(readdirSync(join(folder, "generated"))).toEqual([
    ...["checks", "checks.ts", "contract.ts", "manifest.json", "routing.ts", "server.ts", "types.ts"],
  ]);
  for (const command of ["check", "generate --check"]) {
    const checked = await mcpgen(folder, command.split(" "));
    expect(checked).toMatchObject({ code: 0, stdout: "mcp.contract.yaml: output is up to date\n" });
  }
  expect((await mcpgen(folder, ["generate"])).stdout).toMatch(
    /: 0 created, 0 updated, 0 deleted, \d+ unchanged/,
  );
});

test("a contract that changed is drift until it is generated", async () => {
  const folder = temporaryFolder(files);
  await mcpgen(folder, ["generate"]);
  appendFileSync(join(folder, "mcp.contract.yaml"), "  - { name: leave, inputSchema: { type: object } }\n");
  const { code, stdout } = await mcpgen(folder, ["check"]);
  expect(code).toBe(1);
  expect(stdout).toContain("generated/server.ts: error MG3101: the file is out of date");
  expect(stdout).toContain("readonly leave:");
  expect(stdout.trimEnd().split("\n").at(-1)).toBe("Run: mcpgen generate");
  expect((await mcpgen(folder, ["generate"])).stdout).toMatch(/UPDATE +generated\/server\.ts/);
  expect((await mcpgen(folder, ["check"])).code).toBe(0);
  expect((await mcpgen(folder, ["generate"])).stdout).toMatch(/^mcp\.contract\.yaml: 0 created/);
});

test("edited files are reported and not overwritten, files of other roles are removed", async () => {
  const folder = temporaryFolder(files);
  await mcpgen(folder, ["generate"]);
  const file = join(folder, "generated/server.ts");
  appendFileSync(file, "// mine\n");
  expect((await mcpgen(folder, ["check"])).stdout).toContain("generated/server.ts: error MG3104");
  const refused = await mcpgen(folder, ["generate"]);
  expect(refused.code).toBe(1);
  expect(refused.stdout).toContain("generated/server.ts: error MG3001");
  expect(readFileSync(file, "utf8")).toContain("// mine");
  writeFileSync(
    join(folder, "mcpgen.config.json"),
    '{"contracts":[{"file":"mcp.contract.yaml","out":"generated","role":"client"}]}',
  );
  expect((await mcpgen(folder, ["generate", "--force"])).code).toBe(0);
  expect(existsSync(file)).toBe(false);
  expect(readdirSync(join(folder, "generated"))).toEqual(["client.ts", "manifest.json", "types.ts"]);
});

test("--contract names one; --dry-run and mistakes write nothing", async () => {
  const folder = temporaryFolder({ "c.json": '{"name":"n","version":"1"}' });
  const words = ["generate", "--contract", "c.json", "--out", "out", "--role", "client"];
  const dry = await mcpgen(folder, [...words, "--dry-run"]);
  expect(dry.stdout).toContain("nothing was written (--dry-run)");
  expect(existsSync(join(folder, "out"))).toBe(false);
  expect((await mcpgen(folder, words)).code).toBe(0);
  expect((await mcpgen(folder, [...words, "--check"])).code).toBe(0);
  for (const wrong of ["--contract c.json", "--role client", "--contract c.json --out o --schema s.json"])
    expect((await mcpgen(folder, ["generate", ...wrong.split(" ")])).stderr).toContain("error MG2005");
  const live = await mcpgen(folder, [
    "generate",
    "--contract",
    "https://x.test/mcp?key=s3cret",
    "--out",
    "o",
  ]);
  expect(live.stderr).toContain('MG2004: expected --contract to be a file, got "https://x.test/mcp?key=…"');
  expect(live.stderr).toContain("mcpgen capture 'https://x.test/mcp?key=…' --out FILE");
});

test("an error of a contract is reported with its place, and nothing is written", async () => {
  const folder = temporaryFolder({ ...files, "mcp.contract.yaml": `${contract}promts: []\n` });
  const { code, stderr } = await mcpgen(folder, ["generate"]);
  expect(code).toBe(3);
  expect(stderr).toContain('mcp.contract.yaml:5:9 /promts: error MG6002: there is no key "promts"');
  expect(stderr).toContain('Did you mean "prompts"?');
  expect(existsSync(join(folder, "generated"))).toBe(false);
  expect((await mcpgen(folder, ["check"])).code).toBe(3);
});

test("schemas and contracts are generated and checked together, each into a separate folder", async () => {
  const folder = await smallProject();
  writeFileSync(join(folder, "c.yaml"), contract);
  const config = (out: string) =>
    writeFileSync(
      join(folder, "mcpgen.config.json"),
      JSON.stringify({ contracts: [{ file: "c.yaml", out, role: "both" }] }),
    );
  config("generated");
  expect((await mcpgen(folder, ["generate"])).stderr).toMatch(/mcpgen\.config\.json.*error MG2103/);
  config("generated/contract");
  expect((await mcpgen(folder, ["generate"])).stdout).toMatch(
    /^2030-01-01: \d+ created.*; c\.yaml: 7 created/m,
  );
  expect((await mcpgen(folder, ["check"])).code).toBe(0);
  rmSync(join(folder, "generated/contract/types.ts"));
  expect(await mcpgen(folder, ["check"])).toMatchObject({ code: 1 });
});
