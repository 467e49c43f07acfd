import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mcpgen } from "../support/in-process.js";
import { temporaryFolder } from "../support/temporary-folder.js";

test.each([
  ["weather", ["node {}/dist/main.js", "--name", "weather"]],
  ["my weather", ["node --", "--args={}/dist/main.js", "--name", "my-weather"]],
  ["o'brien `x` $HOME", ["node --", "--args={}/dist/main.js", "--name", "o-brien-x-home"]],
])("the README of a server in the folder %j has the command that adds it to hosts", async (name, words) => {
  const folder = temporaryFolder();
  expect((await mcpgen(folder, ["init", "server", name])).code).toBe(0);
  const readme = readFileSync(join(folder, name, "README.md"), "utf8");
  const [, line] = /^npx add-mcp (.*)$/m.exec(readme)!;
  const printed = execFileSync("sh", ["-c", `printf '%s\\0' ${line}`], { encoding: "utf8" });
  const expected = words.map((word) => word.replace("{}", join(folder, name)));
  expect(printed.split("\0").slice(0, -1)).toEqual(expected);
});
