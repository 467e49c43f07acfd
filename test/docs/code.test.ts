import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const documents = ["README.md", "docs/runtime.md"];

test("what the documentation shows of the runtime compiles", () => {
  // Inside the project, so that packages are found.
  mkdirSync("node_modules/.cache", { recursive: true });
  const folder = mkdtempSync(resolve("node_modules/.cache/mcpgen-docs-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  let blocks = 0;
  for (const document of documents)
    for (const [, code] of readFileSync(document, "utf8").matchAll(/^```ts\n(.*?)^```$/gms))
      if (code!.includes('"@mcpgen/runtime')) writeFileSync(join(folder, `block-${++blocks}.ts`), code!);
  expect(blocks).toBeGreaterThanOrEqual(5);
  const base = resolve("tsconfig.base.json");
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ extends: base, include: ["*.ts"] }));
  const tsc = spawnSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", folder], {
    encoding: "utf8",
  });
  expect(tsc.stdout + tsc.stderr).toBe("");
});
