import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseStdioSource } from "@mcpgen/runtime/stdio";
import { operands, shellLine } from "../../generator/print/terminal-text.js";
import { cases, seed } from "../support/cases.mjs";

const word = fc
  .array(fc.constantFrom(..."ab '\"`$\\!*?~#=;&|<>(){}[]-\n\té", "$(echo x)", "${HOME}", "'\"'\"'", "\\'"), {
    maxLength: 8,
  })
  .map((parts) => parts.join(""));

test("a shell and a stdio: source read the written words", () => {
  const lines: string[][] = fc.sample(fc.array(word, { minLength: 1, maxLength: 4 }), {
    numRuns: cases(10_000),
    seed,
  });
  for (const words of lines)
    expect(parseStdioSource(`stdio:node ${shellLine(words)}`)).toEqual(["node", ...words]);
  const all = lines.flat();
  const printed = execFileSync("sh", [], {
    input: all.map((each) => `printf '%s\\0' ${shellLine([each])}\n`).join(""),
    encoding: "utf8",
  });
  expect(printed.split("\0").slice(0, -1)).toEqual(all);
});

test("words after the options are never options", () => {
  expect(shellLine(["rm", ...operands(["a", "-rf"])])).toBe("rm -- a -rf");
  expect(shellLine(["rm", ...operands(["a"])])).toBe("rm a");
});
