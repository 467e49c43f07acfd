import fc from "fast-check";
import { type TaskEvent, type TaskRecord, type TaskStore, advance, memoryTaskStore } from "@mcpgen/tasks";
import { sampleTask } from "../../support/store-rules/task-store-rules.mjs";
import { expect, test } from "vitest";
import { cases } from "../../support/cases.mjs";

// Two nodes with one store change a task at the same time: each reads, advances and replaces, and begins again if the other
// one was faster. The scheduler draws the order of all steps.

const allowed: Readonly<Record<string, readonly string[]>> = {
  working: ["working", "input_required", "completed", "failed", "cancelled"],
  input_required: ["input_required", "working", "completed", "failed", "cancelled"],
};

const wanted = { name: { method: "elicitation/create", params: {} } };

/** The actions of each node, in order. */
const plans: readonly (readonly TaskEvent[])[] = [
  [
    { type: "asked", run: "first", wanted },
    { type: "completed", run: "first", result: { content: [] } },
  ],
  [
    { type: "answered", answers: { name: { action: "accept" } } },
    { type: "leased", lease: { run: "second", until: 9000 } },
    { type: "completed", run: "second", result: { content: [] } },
  ],
  [{ type: "cancelled" }],
  [
    { type: "noted", run: "first", message: "half" },
    { type: "failed", run: "first", error: { code: -32603, message: "" } },
  ],
];

/** The store, with each call delayed as the scheduler decides; and all records that it held. */
function scheduled(scheduler: fc.Scheduler): { readonly store: TaskStore; readonly held: TaskRecord[] } {
  const memory = memoryTaskStore();
  const held: TaskRecord[] = [];
  const read = scheduler.scheduleFunction((id: string) => memory.read(id));
  const replace = scheduler.scheduleFunction(async (task: TaskRecord, version: number) => {
    const isReplaced = await memory.replace(task, version);
    if (isReplaced) held.push(task);
    return isReplaced;
  });
  return { store: { ...memory, read, replace }, held };
}

async function apply(store: TaskStore, event: TaskEvent): Promise<void> {
  for (;;) {
    const record = (await store.read("t"))!;
    const next = advance(record, event, 1500);
    if (next === record || (await store.replace(next, record.version))) return;
  }
}

test("B14: updates, cancels and ends at the same time never leave the state machine", async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), async (scheduler) => {
      const { store, held } = scheduled(scheduler);
      const first = sampleTask("t", { lease: { run: "first", until: 5000 } });
      await store.create(first);
      const nodes = plans.map(async (plan) => {
        for (const event of plan) await apply(store, event);
      });
      await scheduler.waitFor(Promise.all(nodes));
      let before = first;
      for (const after of held) {
        expect(allowed[before.status]).toContain(after.status);
        expect(after.version).toBe(before.version + 1);
        before = after;
      }
      expect(["completed", "failed", "cancelled"]).toContain(before.status);
    }),
    { numRuns: cases(10_000) },
  );
});
