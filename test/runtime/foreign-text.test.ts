import { McpError } from "@mcpgen/runtime";
import { logRequests } from "@mcpgen/observe";
import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { printError, printWarning } from "../../runtime/base/jsonrpc/errors.js";
import { longestMessage, shortened } from "../../runtime/base/jsonrpc/foreign-text.js";
import { cases, seed } from "../support/cases.mjs";
import { failureOf } from "../support/failure-of.js";
import { clientOf, routes, serverWith } from "../support/served.js";

afterEach(() => vi.restoreAllMocks());

const long = "n".repeat(1_000_000);

/** Characters of the longest line, whatever it quotes. */
const longestLine = 4000;

test("a text keeps its beginning, in whole characters", () => {
  const units = fc.string({ unit: fc.constantFrom("a", "\u{1f600}", "\n"), maxLength: 40 });
  fc.assert(
    fc.property(units, fc.integer({ min: 1, max: 30 }), (text, most) => {
      const shown = shortened(text, most);
      if (text.length <= most) return void expect(shown).toBe(text);
      expect(shown.length).toBeLessThanOrEqual(most + 1);
      expect(encodeURIComponent(shown)).toContain("%E2%80%A6");
      expect(shown.endsWith("…") && text.startsWith(shown.slice(0, -1))).toBe(true);
    }),
    { seed, numRuns: cases(5000) },
  );
});

describe.each(routes)("names of a megabyte over %s at %s", (wire, revision) => {
  test.each(["info", "debug"] as const)("are shortened in the lines of both sides (%s)", async (level) => {
    const server = serverWith();
    server.tool(long, {}, () => {
      throw new Error(long);
    });
    server.resource("file:///{+path}", {}, (uri) => {
      throw new McpError("internal-error", String(uri));
    });
    server.prompt("p", { arguments: [] } as never, () => "x");
    const lines: string[] = [];
    const printed = vi.spyOn(console, "error").mockImplementation((line: string) => void lines.push(line));
    const write = (line: string): void => void lines.push(line);
    logRequests(server, { write, level, params: true });
    const client = await clientOf(server, wire, revision);
    logRequests(client, { write, level, params: true });
    const failures = [
      await failureOf(
        client.callTool(long).then(() => Promise.reject(new McpError("internal-error", "none"))),
      ),
      await failureOf(client.callTool(`${long}?`)),
      await failureOf(client.readResource(`file:///${long}`)),
      await failureOf(client.getPrompt(long)),
      await failureOf(client.request(long, {})),
    ];
    for (const { message } of failures as McpError[])
      expect(message.length).toBeLessThanOrEqual(longestMessage + 1);
    expect(lines.length).toBeGreaterThan(5);
    const [logged, onTerminal] = [lines, printed.mock.calls.map(([line]) => String(line))];
    for (const line of logged.filter((each) => !onTerminal.includes(each)))
      expect(line.length).toBeLessThan(longestLine);
    // An error without a handler is printed with its stack.
    for (const line of onTerminal) expect(line.length).toBeLessThan(4 * longestMessage);
  });
});

test("warnings and errors on standard error are bounded, whatever they are", () => {
  const lines: string[] = [];
  vi.spyOn(console, "error").mockImplementation((line: string) => void lines.push(line));
  printWarning(long);
  printError(long, new Error(long, { cause: new Error(long, { cause: long }) }));
  printError("tools/call", long);
  expect(lines).toHaveLength(3);
  for (const line of lines) expect(line.length).toBeLessThan(6 * longestMessage);
});
