import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@mcpgen/engine";
import { expect, test } from "vitest";
import { builtCli } from "../support/built-program.js";
import { documentOf } from "../support/revisions.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const cli = builtCli();

/** A revision repeated `copies` times, with different names of definitions and methods in each copy. */
function copies(revision: string, count: number): JsonObject {
  const { $defs, ...rest } = documentOf(revision) as { $defs: JsonObject };
  const definitions = { ...$defs };
  for (let copy = 1; copy < count; copy++) {
    const text = JSON.stringify($defs)
      .replace(/#\/\$defs\/(\w+)/g, `#/$defs/$1X${copy}`)
      .replace(/"const":"([a-z]+\/[A-Za-z/]+)"/g, `"const":"$1/x${copy}"`);
    for (const [name, node] of Object.entries(JSON.parse(text) as JsonObject))
      definitions[`${name}X${copy}`] = node;
  }
  return { ...rest, $defs: definitions };
}

test("ten thousand definitions are generated from in little memory", () => {
  const folder = temporaryFolder({});
  const schema = copies("2025-11-25", 73);
  expect(Object.keys(schema["$defs"] as JsonObject).length).toBeGreaterThan(10_500);
  writeFileSync(join(folder, "many.json"), JSON.stringify(schema));
  const run = (...words: string[]) =>
    spawnSync(process.execPath, ["--max-old-space-size=200", cli, ...words], {
      cwd: folder,
      encoding: "utf8",
      maxBuffer: 1 << 28,
    });
  const words = ["generate", "--schema", "many.json", "--name", "many", "--out", "out"];
  const { status, stderr } = run(...words);
  expect(status, stderr.slice(-500)).toBe(0);
  expect(readFileSync(join(folder, "out/many/validators.ts"), "utf8")).toContain("isCallToolRequestX72(");
  // A second run compares with the existing files, which are the same.
  const again = run(...words);
  expect(again.status, again.stderr.slice(-500)).toBe(0);
});
