import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { format } from "prettier";
import { expect, test } from "vitest";
import { temporaryFolder } from "../temporary-folder.js";
import { mcpgen } from "./in-process.js";

const contract = (tool: string): string =>
  JSON.stringify({ name: "w", version: "1", tools: [{ name: tool, inputSchema: { type: "object" } }] });

test("output that the project's formatter has laid out is up to date, follows its contract, and is no edit", async () => {
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
