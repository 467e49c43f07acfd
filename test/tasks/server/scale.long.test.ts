import { type TaskRecord, memoryTaskStore } from "@mcpgen/tasks";
import { sampleTask } from "../../support/store-rules/task-store-rules.mjs";
import { expect, test } from "vitest";
import { heap } from "../../support/heap.js";
import { cases, isThorough } from "../../support/cases.mjs";
import { call, clientOf, serverOf } from "./served.js";
import { newest, wired } from "./wire.js";

// Many tasks in memory: 10⁵ that expire together; 10⁵ that are created and expire, 1,000 at a time.

const limits = { work: Infinity, memory: Infinity };
const keys = ["a secret of sixteen characters"];

/** A server whose tool ends at once as a task with some text. */
async function serving(keepMs: number, text: string) {
  const served = serverOf({ limits, keepMs });
  served.server.tool("quick", { task: { support: "optional" } }, async (_, { task }) => {
    task?.detach();
    return text;
  });
  // A client that keeps no messages.
  const peer = await (await wired(served.server, "stdio"))({ revision: newest });
  const batch = async (count: number): Promise<void> => {
    const tasks = await Promise.all(Array.from({ length: count }, () => peer.start("quick")));
    await peer.reached(tasks.at(-1).taskId, "completed");
  };
  return { ...served, batch };
}

test("ended tasks expire in one sweep: each is read once, and one timer serves all", async () => {
  const count = isThorough ? 100_000 : 5000;
  const memory = memoryTaskStore();
  const started = 1_000_000;
  for (let index = 0; index < count; index++)
    await memory.create(
      sampleTask(`task ${index}`, {
        status: "completed",
        dueAt: started + 1000 + ((index * 7919) % count) / count,
      }),
    );
  let looks = 0;
  const removed: TaskRecord["id"][] = [];
  const store = {
    ...memory,
    due: (now: number, limit: number) => (looks++, memory.due(now, limit)),
    remove: (id: string, version: number) => (removed.push(id), memory.remove(id, version)),
  };
  const { clock } = serverOf({ store, keys, limits });
  await Promise.resolve();
  expect(clock.waiting).toBe(1);
  await clock.advance(2000);
  expect(removed).toHaveLength(count);
  expect(new Set(removed).size).toBe(count);
  expect(memory.size).toBe(0);
  expect(memory.usage("ann")).toEqual({ tasks: 0, bytes: 0 });
  // Two sweeps of 100 tasks a look, each with a look that finds no more.
  expect(looks).toBeLessThanOrEqual(count / 100 + 4);
  expect(clock.waiting).toBe(1);
});

test("a task that runs never expires, however long it takes", async () => {
  const served = serverOf({ keepMs: 0, leaseMs: 30_000 });
  let end!: (text: string) => void;
  served.server.tool("long", { task: { support: "optional" } }, (_, { task }) => {
    task?.detach();
    return new Promise<string>((resolve) => (end = resolve));
  });
  const client = await clientOf(served);
  const { taskId } = await call(client, "long");
  for (let hour = 0; hour < 3; hour++) {
    await served.clock.advance(600_000);
    expect(await client.request("tasks/get", { taskId })).toMatchObject({ status: "working" });
  }
  end("done");
  await served.clock.advance(20_000);
  await expect(client.request("tasks/get", { taskId })).rejects.toMatchObject({ rpcCode: -32602 });
});

test("an ended task takes at most 1 KiB in addition to its result", async () => {
  const count = isThorough ? 20_000 : 3000;
  const { batch } = await serving(3_600_000, "x");
  await batch(500);
  const before = await heap();
  for (let made = 0; made < count; made += 500) await batch(500);
  expect(((await heap()) - before) / count).toBeLessThanOrEqual(1024);
});

test("the heap does not grow with tasks that are created and expire", async () => {
  const batches = cases(100, 10);
  const { batch, clock } = await serving(1000, "x".repeat(100));
  const round = async (): Promise<void> => {
    await batch(isThorough ? 1000 : 200);
    await clock.advance(3000);
  };
  for (let warm = 0; warm < 10; warm++) await round();
  const before = await heap();
  for (let at = 0; at < batches; at++) await round();
  // A minute of the clock has passed since the first, so the counts per minute are removed, too.
  await clock.advance(120_000);
  expect(((await heap()) - before) / 1024).toBeLessThanOrEqual(2048);
});
