import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const rows = [
  ...readFileSync("docs/decisions.md", "utf8").matchAll(/^\|`(runtime\/[^`]+\.ts)`\|(\d+)\|.+\|$/gm),
].map(([, file, lines]) => ({ file: file!, lines: Number(lines) }));

test("docs/decisions.md lists the files that steps cannot bring", () => {
  expect(rows.length).toBeGreaterThan(5);
});

// Only the rough size is checked: exact numbers would become wrong with each edit of a file.
test.each(rows)("$file has about $lines lines", ({ file, lines }) => {
  const present = readFileSync(file, "utf8").trimEnd().split("\n").length;
  expect([file, Math.abs(present - lines) <= present / 10 ? lines : present]).toEqual([file, lines]);
});
