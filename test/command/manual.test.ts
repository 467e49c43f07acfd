import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { exitCodes } from "../../generator/command/command.js";

test("the manual's table of exit codes is that of --help", () => {
  const manual = readFileSync("docs/command-line.md", "utf8");
  const rows = [...manual.matchAll(/^\| +(\d+) \| (.*?) +\|$/gm)].map(([, code, meaning]) => [
    Number(code),
    meaning,
  ]);
  expect(rows).toEqual([...exitCodes]);
});
