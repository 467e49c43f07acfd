import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Console } from "../../generator/command/console.js";
import { type Outcome, annotation, findingText, present } from "../../generator/command/command.js";
import { printable } from "../../generator/print/terminal-text.js";
import type { Finding } from "../../generator/diagnostics/coded-error.js";
import { cases, seed } from "../support/cases.mjs";

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

test("every character of a finding is visible, and a terminal obeys none", () => {
  const shown = findingText(finding, plain);
  expect(shown).not.toMatch(odd);
  expect(shown).not.toMatch(/^\s*(::|##\[)/m);
  expect(shown.split("\n")).toHaveLength(2 + 4);
  expect(shown).toContain("\\u001b[2J\\u0007\\u009b1m\\u200b\\u202e\\u2066\\u2029\\udb40\\udc41");
  const note = annotation(finding);
  expect(note).not.toMatch(odd);
  expect(note).not.toContain("\n");
});

/** Output that CI runners execute as commands: GitHub Actions, Azure Pipelines, TeamCity, GitLab. */
const obeyed = /^\s*::|##\[|##vso\[|##teamcity\[|section_(?:start|end):\d/im;

test.each<[string, string]>([
  ["  ::error::x", "  \\u003a:error::x"],
  ["##[error]x", "\\u0023#[error]x"],
  ["a ##[group]b", "a \\u0023#[group]b"],
  ["a ##VSO[task.setvariable variable=x]y", "a \\u0023#VSO[task.setvariable variable=x]y"],
  ["##teamcity[buildNumber '1']", "\\u0023#teamcity[buildNumber '1']"],
  ["section_start:1:a", "\\u0073ection_start:1:a"],
  ["a::b ## [c] section_start: x", "a::b ## [c] section_start: x"],
])("a command for a CI runner is escaped: %j", (line, shown) => {
  expect(printable(line)).toBe(shown);
});

test("a CI runner obeys only our own annotations, whatever a console prints", () => {
  const parts = fc.constantFrom(
    ...[
      "::",
      ":",
      "#",
      "##",
      "[",
      "vso[",
      "teamcity[",
      "section_",
      "start:1:",
      "\n",
      "\r",
      " ",
      "\t",
      "a",
      "\u001b[0K",
    ],
  );
  const text = fc.array(parts, { maxLength: 12 }).map((all) => all.join(""));
  fc.assert(
    fc.property(text, text, (one, other) => {
      let printed = "";
      const stream = { write: (shown: string) => void (printed += shown) };
      for (const format of ["text", "json", "github"] as const) {
        const console = new Console(
          { format, quiet: false, verbose: true, color: "never" },
          { stdout: stream, stderr: stream, env: {} },
        );
        const details = console.details();
        for (const piece of [one, other]) details(piece);
        console.end();
        console.note(one);
        const found: Finding = { ...finding, message: one, next: other, detail: one + other };
        present(
          "x",
          { text: one, steps: other, summary: one, mend: other, findings: [found], data: { [one]: other } },
          console,
        );
      }
      const lines = printed.split("\n").filter((line) => !line.startsWith("::error file="));
      for (const line of lines) expect(line).not.toMatch(obeyed);
    }),
    { numRuns: cases(2_000), seed },
  );
});

test("JSON keeps the meaning of escaped texts", () => {
  let stdout = "";
  const streams = {
    stdout: { write: (text: string) => void (stdout += text) },
    stderr: { write() {} },
    env: {},
  };
  const console = new Console({ format: "json", quiet: false, verbose: false, color: "never" }, streams);
  const data = { "##vso[a]": ["::set-output name=x::y", "##[error]", "section_start:1:a\r\u001b[0K"] };
  console.document(data);
  expect(stdout).not.toMatch(obeyed);
  expect(JSON.parse(stdout)).toEqual(data);
});

test("output of another program comes line by line, wherever it is cut", () => {
  const { write, lines } = recorder();
  const console = new Console(
    { format: "text", quiet: false, verbose: true, color: "never" },
    { stdout: { write }, stderr: { write }, env: {} },
  );
  const details = console.details();
  for (const piece of ["one\nt", "wo :", ":warning::x\r\n", ":", ":error::y\nlast"]) details(piece);
  expect(lines).toEqual(["one\n", "two ::warning::x\n", "\\u003a:error::y\n"]);
  console.end();
  expect(lines.at(-1)).toBe("last\n");
});

function recorder() {
  const lines: string[] = [];
  return { lines, write: (text: string) => void lines.push(text) };
}

test.each(["always", "never"] as const)("results have only our colours (--color %s)", (color) => {
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
