import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { blocksOf, documentsIn } from "./documents.js";

const documents = ["README.md", ...documentsIn("docs"), ...documentsIn("docs/tasks")];

test("what the documentation shows of the runtime compiles", () => {
  // Inside the project, so that packages are found.
  mkdirSync("node_modules/.cache", { recursive: true });
  const folder = mkdtempSync(resolve("node_modules/.cache/mcpgen-docs-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const blocks = documents.flatMap((document) =>
    blocksOf(document, "ts")
      .filter((code) => code.includes('"@mcpgen/runtime'))
      .map((code, index) => [`${document.replaceAll("/", "-")}-${index}.ts`, code] as const),
  );
  for (const [name, code] of blocks) writeFileSync(join(folder, name), code);
  expect(blocks.length).toBeGreaterThanOrEqual(25);
  const base = resolve("tsconfig.base.json");
  // The libraries are checked where they are written.
  const compilerOptions = { skipLibCheck: true };
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ extends: base, compilerOptions, include: ["*.ts"] }),
  );
  const tsc = spawnSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", folder], {
    encoding: "utf8",
  });
  expect(tsc.error).toBeUndefined();
  // Our packages are taken from source, and type-checked by themselves.
  const errors = `${tsc.stdout}${tsc.stderr}`.split("\n").filter((line) => line.includes("error TS"));
  expect(errors.filter((line) => !/^(runtime|generated)\//.test(line))).toEqual([]);
});
