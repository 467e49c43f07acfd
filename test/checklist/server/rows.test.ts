import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { rows, untested } from "./rows.js";

const tests = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith(".test.ts"))
  .map((name) => readFileSync(join(import.meta.dirname, name), "utf8"))
  .join("\n");

test.each(Object.keys(rows))("%s has a test of its name, or a reason to have none", (id) => {
  const tested = new RegExp(`\\brow\\(\\s*"${id}",`).test(tests);
  expect(tested).toBe(!(id in untested));
});
