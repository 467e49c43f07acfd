import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { format } from "prettier";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.js";
import { mcpgen } from "../support/in-process.js";
import { smallProject } from "../support/small-protocol.js";

const contract = (tool: string): string =>
  JSON.stringify({ name: "w", version: "1", tools: [{ name: tool, inputSchema: { type: "object" } }] });

test("output that the project's formatter has formatted is up to date, follows its contract, and does not count as edited", async () => {
  const folder = temporaryFolder({
    "c.json": contract("one"),
    "mcpgen.config.json": JSON.stringify({ contracts: [{ file: "c.json", out: "src", role: "server" }] }),
  });
  const run = async (...words: string[]): Promise<number> => (await mcpgen(folder, words)).code;
  expect(await run("generate")).toBe(0);
  const file = join(folder, "src/server.ts");
  const formatted = await format(readFileSync(file, "utf8"), {
    ...{ filepath: file, singleQuote: true, semi: false, printWidth: 120 },
  });
  writeFileSync(file, formatted);
  expect(await run("check")).toBe(0);
  expect(await run("generate")).toBe(0);
  expect(readFileSync(file, "utf8")).toBe(formatted);

  writeFileSync(join(folder, "c.json"), contract("two"));
  expect(await run("check")).toBe(1);
  expect(await run("generate")).toBe(0);
  expect(readFileSync(file, "utf8")).toContain("readonly two:");

  writeFileSync(file, formatted.replace("one", "mine"));
  expect(await run("check")).toBe(1);
  const refused = await mcpgen(folder, ["generate"]);
  expect([refused.code, refused.stderr + refused.stdout]).toEqual([
    1,
    expect.stringContaining("src/server.ts"),
  ]);
});

/** A user's own style, unlike that of mcpgen in all that a formatter decides. */
const style = {
  singleQuote: true,
  semi: false,
  printWidth: 120,
  useTabs: true,
  trailingComma: "none",
} as const;

async function reformat(folder: string, path: string): Promise<string> {
  const file = join(folder, path);
  const formatted = await format(readFileSync(file, "utf8"), { ...style, filepath: file });
  writeFileSync(file, formatted);
  return formatted;
}

function project(files: Readonly<Record<string, string>>, name: string): string {
  const contracts = [{ file: name, out: "src", role: "both" }];
  return temporaryFolder({ ...files, "mcpgen.config.json": JSON.stringify({ contracts }) });
}

test("for formatted output, check shows the changes of the contract, and no changes of layout", async () => {
  const folder = project({ "c.json": contract("one") }, "c.json");
  expect((await mcpgen(folder, ["generate"])).code).toBe(0);
  const files = ["client.ts", "contract.ts", "server.ts", "types.ts", "manifest.json"].map(
    (name) => `src/${name}`,
  );
  for (const file of files) await reformat(folder, file);
  expect((await mcpgen(folder, ["check"])).stdout).toBe("c.json: output is up to date\n");

  writeFileSync(join(folder, "c.json"), contract("two"));
  const { code, stdout } = await mcpgen(folder, ["check", "--json"]);
  expect(code).toBe(1);
  const { findings } = JSON.parse(stdout) as { findings: { place: { file: string }; detail: string }[] };
  const shown = findings.filter(({ place }) => /client|server|types/.test(place.file));
  expect(shown).toHaveLength(3);
  for (const { detail, place } of shown) {
    const changed = detail.split("\n").filter((line) => /^[-+]/.test(line));
    expect(changed.length, place.file).toBeGreaterThan(1);
    for (const line of changed) expect(line, place.file).toMatch(/one|two/i);
  }
});

test.each([
  ["c.json", contract("one")],
  [
    "c.yaml",
    `# The tools.\nname: "w"\nversion: '1'\ntools:\n    - { name: one, inputSchema: { "type": object } }\n`,
  ],
])("a contract that was only formatted (%s) does not count as drift", async (name, text) => {
  const folder = project({ [name]: text }, name);
  expect((await mcpgen(folder, ["generate"])).code).toBe(0);
  expect(await reformat(folder, name)).not.toBe(text);
  const { code, stdout } = await mcpgen(folder, ["check"]);
  expect([code, stdout]).toEqual([0, `${name}: output is up to date\n`]);
  writeFileSync(join(folder, name), text.replace("one", "two"));
  expect((await mcpgen(folder, ["check"])).stdout).toContain("src/manifest.json: error MG3101");
});

test("documentation that was only formatted does not count as drift", async () => {
  const docs = '{ "format": 1, "definitions": { "EchoParams": "What is sent back." } }';
  const folder = await smallProject({ "schema/docs.json": docs });
  expect((await mcpgen(folder, ["generate"])).code).toBe(0);
  writeFileSync(join(folder, "schema/docs.json"), JSON.stringify(JSON.parse(docs), null, "\t"));
  const { code, stdout } = await mcpgen(folder, ["check", "--full"]);
  expect([code, stdout]).toEqual([0, expect.stringContaining("output is up to date")]);
  writeFileSync(join(folder, "schema/docs.json"), docs.replace("back", "home"));
  expect((await mcpgen(folder, ["check", "--full"])).stdout).toContain("manifest.json: error MG3101");
});
