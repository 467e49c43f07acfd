import { expect, test } from "vitest";
import { ListedTools } from "../../../runtime/core/client/listed-tools.js";
import { MemoryEventStore } from "../../../runtime/core/legacy/http/event-store.js";

// A server may list other tools each time, and sessions may come and go: the data that is kept about them is limited.

const schema = { type: "object", properties: { a: { type: "string", "x-mcp-header": "A" } } };
const tool = (name: string) => ({
  name,
  inputSchema: schema,
  outputSchema: { type: "object", required: ["a"] },
  annotations: { readOnlyHint: true },
});

test.each([
  ["of a megabyte", (index: number) => `${index} ${"n".repeat(1_000_000)}`, 70],
  ["of which there are many", (index: number) => `tool ${index}`, 10_100],
])("a client keeps only the latest tools with names %s", async (_, nameOf, count) => {
  const tools = new ListedTools(() => {});
  for (let index = 0; index < count; index++) tools.learn([tool(nameOf(index))] as never, true);
  const known = (index: number) => [
    tools.headersOf({ name: nameOf(index) }) !== undefined,
    tools.isRepeatable(nameOf(index)),
  ];
  expect(known(0)).toEqual([false, false]);
  expect(known(count - 1)).toEqual([true, true]);
});

test("a client keeps only the latest names of tools that lists leave out", () => {
  const tools = new ListedTools(() => {});
  const nameOf = (index: number): string => `${index} ${"n".repeat(1_000_000)}`;
  for (let index = 0; index < 20; index++) tools.setLeftOut(nameOf(index));
  expect([tools.isLeftOut(nameOf(0)), tools.isLeftOut(nameOf(19))]).toEqual([false, true]);
});

test("the limit for output schemas includes the names of their tools", async () => {
  const tools = new ListedTools(() => {});
  const nameOf = (index: number): string => `${index} ${"n".repeat(10_000_000)}`;
  for (let index = 0; index < 8; index++) tools.learn([tool(nameOf(index))] as never, false);
  const wrong = { content: [], structuredContent: {} } as never;
  expect(tools.check(nameOf(0), wrong)).toBeUndefined();
  await expect(tools.check(nameOf(7), wrong)).rejects.toThrow("structuredContent");
});

test("the histories of ended sessions do not stay forever", () => {
  const store = new MemoryEventStore(10_000);
  const first = store.append("session 0", "stream", "data");
  for (let index = 1; index < 1000; index++) store.append(`session ${index}`, "stream", "data");
  expect(store.after("session 0", first)).toBeUndefined();
  // A new history begins, with ids that the first did not use.
  const again = store.append("session 0", "stream", "data");
  expect(again).not.toBe(first);
  expect(store.after("session 0", first)).toBeUndefined();
});
