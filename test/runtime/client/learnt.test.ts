import { expect, test } from "vitest";
import { OutputChecks } from "../../../runtime/core/client/output-checks.js";
import { ToolHeaders } from "../../../runtime/core/client/mirrored-headers.js";
import { RetryPolicy } from "../../../runtime/core/client/retry-policy.js";
import { MemoryEventStore } from "../../../runtime/core/legacy/http/event-store.js";

// A server may list other tools each time, and sessions may come and go: what is kept of them is bounded.

const schema = { type: "object", properties: { a: { type: "string", "x-mcp-header": "A" } } };
const tool = (name: string) => ({
  name,
  inputSchema: schema,
  outputSchema: { type: "object", required: ["a"] },
  annotations: { readOnlyHint: true },
});

test.each([
  ["of a megabyte", (index: number) => `${index} ${"n".repeat(1_000_000)}`, 20],
  ["of which there are many", (index: number) => `tool ${index}`, 10_100],
])("of tools with names %s a client keeps the latest", async (_, nameOf, count) => {
  const [headers, policy] = [new ToolHeaders(), new RetryPolicy("hinted")];
  for (let index = 0; index < count; index++) {
    const tools = [tool(nameOf(index))] as never;
    headers.learn(tools);
    policy.learn(tools);
  }
  const known = (index: number) => [
    headers.of({ name: nameOf(index) }) !== undefined,
    policy.isRepeatable(true, { name: nameOf(index) }, undefined),
  ];
  expect(known(0)).toEqual([false, false]);
  expect(known(count - 1)).toEqual([true, true]);
});

test("output schemas count with the names of their tools", async () => {
  const checks = new OutputChecks(() => {});
  const nameOf = (index: number): string => `${index} ${"n".repeat(10_000_000)}`;
  for (let index = 0; index < 8; index++) checks.learn([tool(nameOf(index))] as never);
  const wrong = { content: [], structuredContent: {} } as never;
  expect(checks.check(nameOf(0), wrong)).toBeUndefined();
  await expect(checks.check(nameOf(7), wrong)).rejects.toThrow("structuredContent");
});

test("of sessions that are gone, no history of events stays for ever", () => {
  const store = new MemoryEventStore(10_000);
  const first = store.append("session 0", "stream", "data");
  for (let index = 1; index < 1000; index++) store.append(`session ${index}`, "stream", "data");
  expect(store.after("session 0", first)).toBeUndefined();
  // Another history begins: none of its ids is one of the first.
  const again = store.append("session 0", "stream", "data");
  expect(again).not.toBe(first);
  expect(store.after("session 0", first)).toBeUndefined();
});
