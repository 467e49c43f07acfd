import { memoryTaskStore } from "@mcpgen/tasks";
import { storeRules } from "../../support/store-rules/task-store-rules.mjs";
import { expect, test } from "vitest";

test.each(storeRules.map((rule) => [rule.name, rule] as const))("memory: %s", async (_, { check }) => {
  await check(memoryTaskStore(), memoryTaskStore());
});

test("a store that stores nothing, and a store that never compares, violate the rules", async () => {
  const forgetful = { ...memoryTaskStore(), create: async () => {} };
  const memory = memoryTaskStore();
  const blind = {
    ...memory,
    replace: async (...[task]: Parameters<typeof memory.replace>) => {
      await memory.remove(task.id, (await memory.read(task.id))?.version ?? 0);
      await memory.create(task);
      return true;
    },
  };
  for (const store of [forgetful, blind]) {
    const verdicts = await Promise.allSettled(storeRules.map(({ check }) => check(store, memoryTaskStore())));
    expect(verdicts.some(({ status }) => status === "rejected")).toBe(true);
  }
});
