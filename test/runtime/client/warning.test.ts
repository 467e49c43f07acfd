import { expect, onTestFinished, test, vi } from "vitest";
import { printWarning } from "../../../runtime/base/jsonrpc/errors.js";
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
    "a\\u001b[31mred\\u001b]0;title\\u0007\\u000d\\u000a\\u009b2J\\u202e\\u2066\\u200b\\udb40\\udc41b",
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
  expect(lines[0]).toMatch(/^tools\/list: a\\u001b/);
  expect(lines[0]).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
});
