import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { catalogue } from "../../generator/diagnostics/catalogue.js";
import { mcpgen } from "../support/in-process.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const contract = { name: "s", version: "1", tools: [{ name: "a", inputSchema: { type: "object" } }] };
const json = (value: object): string => JSON.stringify(value);
const config = (value: object): object => ({ "mcpgen.config.json": json(value), "c.json": json(contract) });
const diffs = ["diff", "c.json", "c.json"];
const approvals = (value: object): object => ({
  "mcp-approvals.json": json(value),
  "c.json": json(contract),
});

test.each<[string, object, string[], string]>([
  ["a key of the configuration", config({ contract: [] }), ["check"], '"contracts"'],
  [
    "a value of the configuration",
    config({ contracts: [{ file: "c.json", out: "x", role: "sever" }] }),
    ["check"],
    '"server"',
  ],
  ["a choice of the configuration", config({ diff: { failOn: "braking" } }), diffs, '"breaking"'],
  ["a rule", config({ diff: { rules: { "tool-remved": "off" } } }), diffs, "tool-removed"],
  ["a severity", config({ diff: { rules: { "tool-removed": "braking" } } }), diffs, "breaking"],
  ["a key of approvals", approvals({ format: 1, aprovals: [] }), diffs, "approvals"],
  ["a key of an approval", approvals({ format: 1, approvals: [{ fingerprnt: "x" }] }), diffs, "fingerprint"],
  [
    "a key of a contract",
    { "c.json": json({ ...contract, tool: [] }) },
    ["lint", "c.json"],
    '"tools"|resources',
  ],
  [
    "a value of a contract",
    { "c.json": json({ ...contract, tools: [{ ...contract.tools[0], task: { support: "optonal" } }] }) },
    ["lint", "c.json"],
    '"optional"',
  ],
])("the error for %s suggests the intended one", async (_, files, words, meant) => {
  const ran = await mcpgen(temporaryFolder(files as Record<string, string>), words);
  expect(ran.code).toBeGreaterThan(0);
  if (meant.includes("|")) expect(ran.stderr).toMatch(/The keys are .*resources|Did you mean/);
  else expect(ran.stderr).toContain(`Did you mean ${meant}?`);
});

// The JSON of the help names pages of the package.
test("texts for users do not refer to files of this repository's docs", () => {
  for (const [code, { explanation }] of Object.entries(catalogue))
    expect(explanation, code).not.toMatch(/docs\/[\w-]+\.md/);
  const sources = readdirSync("generator", { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts"),
  );
  expect(sources.length).toBeGreaterThan(300);
  for (const file of sources)
    for (const line of readFileSync(join("generator", file), "utf8").split("\n"))
      if (!/^\s*(?:\/?\*|\/\/|pages: )/.test(line))
        expect(line, file).not.toMatch(/docs\/(?!index)[\w-]+\.md/);
});

test("the page about notes lists every kind with its fields", async () => {
  const { stdout } = await mcpgen(temporaryFolder(), ["explain", "MG1201"]);
  expect(stdout).toMatch(/^errata +\[becomes\] \[type\]/m);
  expect(stdout).toMatch(/^header +header from/m);
});
