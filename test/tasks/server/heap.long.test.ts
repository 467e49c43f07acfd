import { VirtualClock } from "@mcpgen/testing";
import { memoryTaskStore } from "@mcpgen/tasks";
import { expect, test } from "vitest";
import { heap } from "../../support/heap.js";
import { call, clientOf, serverOf } from "./served.js";

const megabyte = 1_000_000;
/** Characters of one result. */
const large = megabyte / 2;

/** Characters of results that all clients may keep, and bytes that the heap may grow by: each result once, and what serves them. */
const [most, bar] = [20 * megabyte, 40 * megabyte];

test("the heap holds no more than all clients may keep, whatever 12 of them want", async () => {
  const clock = new VirtualClock(1_000_000);
  const store = memoryTaskStore();
  // All clients together may keep two and a half times as much as one.
  const limits = { memory: most / 2.5 };
  const served = serverOf({ store, limits, keys: ["a secret of sixteen characters"] }, {}, clock);
  let made = 0;
  served.server.tool("large", { task: { support: "required", inlineMs: 0 } }, async (_, { task }) => {
    task!.detach();
    await Promise.resolve();
    // Each text is another one: equal ones could be shared.
    return `${made++}`.repeat(large).slice(0, large);
  });
  const principals = Array.from({ length: 12 }, (_, index) => `principal ${index}`);
  const clients = await Promise.all(principals.map((principal) => clientOf(served, { principal })));
  const before = await heap();
  for (let round = 0; round < 10; round++)
    for (const client of clients) {
      await call(client, "large").catch(() => undefined);
      await clock.advance(0);
    }
  await clock.advance(1000);
  const kept = principals.map((owner) => store.usage(owner).bytes);
  expect(kept.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(most);
  // Those that came first left room for the others.
  expect(kept.filter((each) => each >= large).length).toBeGreaterThan(3);
  expect((await heap()) - before).toBeLessThan(bar);
});
