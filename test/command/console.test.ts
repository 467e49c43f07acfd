import { expect, test } from "vitest";
import { type ColorChoice, Console, usesColor } from "../../generator/command/console.js";

test.each<[ColorChoice, boolean, Record<string, string>, boolean]>([
  ["auto", true, {}, true],
  ["auto", false, {}, false],
  ["auto", true, { NO_COLOR: "1" }, false],
  ["auto", true, { NO_COLOR: "" }, true],
  ["auto", true, { TERM: "dumb" }, false],
  ["auto", false, { FORCE_COLOR: "1" }, true],
  ["auto", true, { FORCE_COLOR: "0" }, false],
  ["auto", false, { FORCE_COLOR: "1", NO_COLOR: "1" }, true],
  ["always", false, { NO_COLOR: "1" }, true],
  ["never", true, { FORCE_COLOR: "1" }, false],
])("--color %s, terminal %s, %j: %s", (choice, isTerminal, env, expected) => {
  expect(usesColor(choice, isTerminal, env)).toBe(expected);
});

function consoleWith(settings: object, env = {}, isTTY = false) {
  const out: string[] = [];
  const err: string[] = [];
  const all = { format: "text", quiet: false, verbose: false, color: "never", ...settings } as const;
  const stream = (lines: string[]) => ({ isTTY, write: (text: string) => lines.push(text) });
  return { console: new Console(all, { stdout: stream(out), stderr: stream(err), env }), out, err };
}

test("results go to standard output, everything else to standard error", () => {
  const { console, out, err } = consoleWith({ verbose: true });
  console.result("result");
  console.note("note");
  console.detail("detail");
  console.error("error");
  expect([out, err]).toEqual([["result\n"], ["note\n", "detail\n", "error\n"]]);
});

test("--quiet keeps only results and errors", () => {
  const { console, out, err } = consoleWith({ quiet: true }, {}, true);
  console.result("result");
  console.note("note");
  console.progress("working");
  console.error("error");
  expect([out, err]).toEqual([["result\n"], ["error\n"]]);
});

test("progress is printed to terminals only, and is erased before a lasting line", () => {
  const watched = consoleWith({}, {}, true);
  watched.console.progress("working");
  watched.console.note("note");
  expect(watched.err.join("")).toBe("\r\x1b[Kworking\r\x1b[Knote\n");
  for (const { console, err } of [consoleWith({}, {}, false), consoleWith({}, { CI: "1" }, true)]) {
    console.progress("working");
    expect(err).toEqual([]);
  }
});
