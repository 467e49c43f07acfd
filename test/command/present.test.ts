import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { Console } from "../../generator/command/console.js";
import type { Outcome } from "../../generator/command/outcome.js";
import { annotation, findingText, present } from "../../generator/command/present.js";
import { printable } from "../../generator/print/terminal-text.js";
import type { Finding } from "../../generator/diagnostics/finding.js";

const hostile = "a\r\n::error::b\u001b[2J\u0007\u009b1m\u200b\u202e\u2066\u2029\u{e0041}";
const odd = /(?!\n)[\p{Cc}\p{Cf}\u2028\u2029]/u;
const plain = (_: string, text: string): string => text;

const finding: Finding = {
  code: "MG3109",
  severity: "error",
  message: hostile,
  place: { file: hostile, line: 1, pointer: `/${hostile}` },
  next: hostile,
  detail: `-${hostile}\n ::error::c\n##[error]d`,
};

test("every character of a finding shows, and none is obeyed", () => {
  const shown = findingText(finding, plain);
  expect(shown).not.toMatch(odd);
  expect(shown).not.toMatch(/^\s*(::|##\[)/m);
  expect(shown.split("\n")).toHaveLength(2 + 4);
  expect(shown).toContain("\\u001b[2J\\u0007\\u009b1m\\u200b\\u202e\\u2066\\u2029\\udb40\\udc41");
  const note = annotation(finding);
  expect(note).not.toMatch(odd);
  expect(note).not.toContain("\n");
});

test("a workflow command at the start of a line is escaped", () => {
  expect(printable("  ::error::x")).toBe("  \\u003a:error::x");
  expect(printable("##[error]x")).toBe("\\u0023#[error]x");
  expect(printable("a::b ##[c]")).toBe("a::b ##[c]");
});

test.each(["always", "never"] as const)("results keep our colours and no others (--color %s)", (color) => {
  let stdout = "";
  const streams = {
    stdout: { write: (text: string) => void (stdout += text) },
    stderr: { write() {} },
    env: {},
  };
  const console = new Console({ format: "text", quiet: false, verbose: false, color }, streams);
  const outcome: Outcome = {
    text: `${console.paint("red", "worst")} ${hostile}`,
    steps: hostile,
    summary: hostile,
    mend: hostile,
  };
  present("diff", outcome, console);
  expect(stdout.includes("\u001b[31mworst\u001b[39m")).toBe(color === "always");
  expect(stripVTControlCharacters(stdout)).not.toMatch(odd);
});

test("a long pointer is shown by its beginning and its end, and kept whole for programs", () => {
  const pointer = `/$defs/Deep${"/items".repeat(200)}/properties/last`;
  const deep: Finding = {
    code: "MG1108",
    severity: "error",
    message: "x",
    place: { file: "a.json", pointer },
  };
  for (const shown of [findingText(deep, plain), annotation(deep)]) {
    expect(shown).toMatch(/\/\$defs\/Deep\/items\/items.*….*\/properties\/last/);
    expect(shown.length).toBeLessThan(200);
  }
});
