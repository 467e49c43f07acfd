import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { Console } from "../../generator/command/console.js";
import { Colours, printableLines, terminalText } from "../../generator/print/terminal-text.js";
import { initialized, scripted } from "../support/live-server.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { mcpgen } from "../support/in-process.js";

/** Characters that a terminal executes or does not show. */
const odd = /(?![\n\t])[\p{Cc}\p{Cf}\u2028\u2029]/u;
const hostile = "a\u001b[31mred\u001b]0;title\u0007\r\u0008\u009b2J\u202e\u2066\u200b\u{e0041}b";

test("line ends and tabs stay; other characters that a terminal obeys or hides are escaped", () => {
  expect(terminalText(`a\tb\r\nc${hostile}`)).toBe(
    "a\tb\nca\\u001b[31mred\\u001b]0;title\\u0007\\u000d\\u0008\\u009b2J\\u202e\\u2066\\u200b\\udb40\\udc41b",
  );
  expect(printableLines("a\n\t::error::x\n##[error]y")).toBe("a\n\t\\u003a:error::x\n\\u0023#[error]y");
});

test("JSON stays the same JSON", () => {
  const value = { [hostile]: [hostile, "\\\u202e"] };
  const shown = terminalText(JSON.stringify(value, null, 2));
  expect(shown).not.toMatch(odd);
  expect(JSON.parse(shown)).toEqual(value);
});

test("only the program sets colours, even nested ones", () => {
  const { paint, show } = new Colours(true);
  const text = show.call(new Colours(true), paint("red", hostile));
  expect(text).not.toContain("\u001b");
  const colours = new Colours(true);
  const shown = colours.show(colours.paint("bold", `x${colours.paint("red", hostile)}`));
  expect(shown.startsWith("\u001b[1mx\u001b[31ma\\u001b[31mred")).toBe(true);
  expect(stripVTControlCharacters(shown)).not.toMatch(odd);
  expect(new Colours(false).paint("red", "x")).toBe("x");
});

test.each(["always", "never"] as const)("all output of a command is escaped (--color %s)", (color) => {
  let written = "";
  const stream = { isTTY: true, write: (text: string) => void (written += text) };
  const settings = { format: "text", quiet: false, verbose: true, color } as const;
  const console = new Console(settings, { stdout: stream, stderr: stream, env: {} });
  console.result(hostile);
  console.error(hostile);
  console.note(hostile);
  console.detail(hostile);
  console.progress(hostile);
  expect(stripVTControlCharacters(written.replaceAll("\r\u001b[K", ""))).not.toMatch(odd);
  expect(written.match(/\u001b\[\d+m/g) ?? []).toHaveLength(color === "always" ? 4 : 0);
});

/** A server with hostile text everywhere: in its offer, in errors and warnings, and on standard error. */
function hostileServer(): string {
  const capabilities = { tools: {}, prompts: {}, resources: {} };
  const tool = { name: "t", description: hostile, inputSchema: { type: "object" } };
  return scripted(
    {
      initialize: initialized(capabilities, {
        instructions: hostile,
        serverInfo: { name: hostile, version: hostile },
      }),
      "tools/list": { tools: [tool, { name: hostile }] },
      "tools/call": { content: [{ type: "text", text: hostile }], isError: true },
      "prompts/list": { error: { code: -32603, message: hostile } },
      "resources/list": { resources: [] },
    },
    `console.error(${JSON.stringify(hostile)});`,
  );
}

test.each([
  ["capture", "--out", "-"],
  ["capture", "--out", "-", "--json"],
  ["lint"],
  ["lint", "--format", "github"],
  ["call", "t"],
  ["call", "x"],
  ["diff", "a.yaml"],
])("a server's texts do not reach the terminal unescaped: %s %s %s", async (command, ...words) => {
  const folder = temporaryFolder({ "a.yaml": "name: a\nversion: '1'\n" });
  const source = hostileServer();
  const positionals = command === "diff" ? [words[0]!, source] : [source, ...words];
  const ran = await mcpgen(folder, [command, ...positionals, "--verbose"]);
  expect(ran.stdout + ran.stderr).not.toMatch(odd);
  // The output contains escaped hostile text.
  expect(ran.stdout + ran.stderr).toContain("\\u001b");
});
