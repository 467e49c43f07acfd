import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const packages = [
  "generated/dist",
  "runtime/core/dist",
  "runtime/cluster/dist",
  "runtime/observe/dist",
  "engine/dist",
];

test("the tests of the runtime, and the processes they start, run with code generation from strings disabled", () => {
  // oxlint-disable-next-line no-new-func -- it is to be refused
  expect(() => new Function("return 1")).toThrow(/disallowed/);
  const child = spawnSync(process.execPath, ["-e", "eval('1')"], { encoding: "utf8" });
  expect(child.stderr).toContain("disallowed");
});

/** Expressions that evaluate text as code, in all their forms. */
const makers = /\beval\s*\(|\bFunction\s*\(|(?<![\w$])(?:import|require)\s*\(\s*["'](?:node:)?vm["']/g;

test.each(packages)("no module in %s generates code from strings", (folder) => {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".js"),
  );
  expect(files.length).toBeGreaterThan(0);
  const found = files.flatMap((file) =>
    [...readFileSync(join(folder, file), "utf8").matchAll(makers)].map(([text]) => `${file}: ${text}`),
  );
  expect(found).toEqual([]);
});
