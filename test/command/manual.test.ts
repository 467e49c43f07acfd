import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { exitCodes } from "../../generator/command/command.js";
import { commands } from "../../generator/command/commands.js";

test("the manual's table of exit codes equals the table of --help", () => {
  const manual = readFileSync("docs/command-line.md", "utf8");
  const rows = [...manual.matchAll(/^\|(\d+)\|(.*?)\|$/gm)].map(([, code, meaning]) => [
    Number(code),
    meaning,
  ]);
  expect(rows).toEqual([...exitCodes]);
});

test("the manual names each command", () => {
  const manual = readFileSync("docs/command-line.md", "utf8");
  const missing = commands.filter(({ name }) => !new RegExp(`(\`|mcpgen )${name}\\b`).test(manual));
  expect(
    missing.map(({ name }) => name),
    "not in docs/command-line.md; see CONTRIBUTING.md, A command",
  ).toEqual([]);
});
