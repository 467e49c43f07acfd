import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const rows = [
  ...readFileSync("docs/decisions.md", "utf8").matchAll(/^\| `(runtime\/[^`]+\.ts)` \| (\d+) \| .+ \|$/gm),
].map(([, file, lines]) => ({ file: file!, lines: Number(lines) }));

test("docs/decisions.md lists the files that steps cannot bring", () => {
  expect(rows.length).toBeGreaterThan(5);
});

// The size is what counts: a table that each edit of a file makes wrong is soon wrong everywhere.
test.each(rows)("$file has about $lines lines", ({ file, lines }) => {
  const present = readFileSync(file, "utf8").trimEnd().split("\n").length;
  expect([file, Math.abs(present - lines) <= present / 10 ? lines : present]).toEqual([file, lines]);
});
