import { expect, onTestFinished, test, vi } from "vitest";
import { printWarning } from "../../../runtime/core/jsonrpc/errors.js";
import { clientRevisions } from "@mcpgen/protocol/client";
import { connect } from "@mcpgen/runtime";
import { initialized, scripted } from "../../support/live-server.js";

const hostile = "a\u001b[31mred\u001b]0;title\u0007\r\n\u009b2J\u202e\u2066\u200b\u{e0041}b";

function standardError(): string[] {
  const lines: string[] = [];
  const spy = vi.spyOn(console, "error").mockImplementation((line: string) => void lines.push(line));
  onTestFinished(() => spy.mockRestore());
  return lines;
}

test("a warning is one line without control characters", () => {
  const lines = standardError();
  printWarning(hostile);
  expect(lines).toEqual([
    "a\\u{1b}[31mred\\u{1b}]0;title\\u{7}\\u{d}\\u{a}\\u{9b}2J\\u{202e}\\u{2066}\\u{200b}\\u{e0041}b",
  ]);
});

test("default warnings quote the server without control characters", async () => {
  const lines = standardError();
  const source = scripted({
    initialize: initialized({ tools: {} }),
    "tools/list": { tools: [{ name: hostile }] },
  });
  const client = await connect(source, { revisions: clientRevisions });
  onTestFinished(() => client.close());
  await client.listTools();
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^tools\/list: a\\u\{1b\}/);
  expect(lines[0]).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
});
