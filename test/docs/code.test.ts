import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const documents = ["README.md", "docs/runtime.md", "docs/http.md"];

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
