import { expect, test } from "vitest";
import { unifiedDiff } from "../../generator/files/unified-diff.js";

const lines = (count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${index}\n`).join("");

test("lines on disk are minus, planned lines are plus", () => {
  expect(unifiedDiff("a\nb\nc\n", "a\nB\nc\n", 24)).toBe("@@ -1,3 +1,3 @@\n a\n-b\n+B\n c");
});

test("a long difference is cut, with a note", () => {
  const diff = unifiedDiff(lines(100), lines(100).replaceAll("line", "LINE"), 10);
  expect(diff.split("\n")).toHaveLength(11);
  expect(diff).toMatch(/… 191 more lines$/);
});

test("a new and a deleted file show how they begin", () => {
  expect(unifiedDiff("", lines(3), 2)).toBe("+line 0\n+line 1\n… 1 more lines");
  expect(unifiedDiff(lines(3), "", 2)).toBe("-line 0\n-line 1\n… 1 more lines");
});

test("comparing two large files without common lines takes bounded time", () => {
  const diff = unifiedDiff(lines(20_000), lines(20_000).replaceAll("line", "LINE"), 10);
  expect(diff).toBe("20000 lines on disk, 20000 planned; they have little in common");
});

test("long lines are shortened", () => {
  expect(unifiedDiff("x".repeat(1000), "y".repeat(1000), 10).length).toBeLessThan(500);
});
