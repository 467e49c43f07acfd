// Another program writes to the place where a store keeps tasks: its records are left out or refused, and no process
// ends.
import { type TaskRecord, type TaskStore, memoryTaskStore } from "@mcpgen/tasks";
import { expect, test } from "vitest";
import { isTaskRecord } from "../../../runtime/tasks/store/checked-store.js";
import { failureOf } from "../../support/failure-of.js";
import { mutationsOf, strangeTexts } from "../../support/mutations.mjs";
import { call, clientOf, serverOf } from "./served.js";

/** A store whose answers a test changes. */
function changed(change: (record: TaskRecord) => unknown) {
  const store = memoryTaskStore();
  const given: { change: (record: TaskRecord) => unknown } = { change };
  const through = (record: TaskRecord | undefined): never => (record && given.change(record)) as never;
  const own: TaskStore = {
    ...store,
    read: async (id) => through(await store.read(id)),
    due: async (...args) => (await store.due(...args)).map(through),
    list: async (...args) => (await store.list!(...args)).map(through),
    usage: store.usage.bind(store),
  };
  return { store: own, inner: store, given };
}

async function recordOf(): Promise<TaskRecord> {
  const { store, inner } = changed((record) => record);
  const made = serverOf({ store, keys: ["k".repeat(32)] });
  made.server.tool(
    "ask",
    { scopes: ["a"], task: { support: "required", onRestart: "replay" } },
    async (_, { ask, task }) => {
      task?.detach();
      const form = { message: "Name?", requestedSchema: { type: "object", properties: {} } } as const;
      return String((await ask.elicit("name", form)).action);
    },
  );
  const client = await clientOf(made, { elicit: () => ({ action: "cancel" }) });
  const { taskId } = await call(client, "ask");
  return (await inner.read(taskId))!;
}

test("a mutated record with a malformed member is never accepted as a task", async () => {
  const record = await recordOf();
  expect(isTaskRecord(record)).toBe(true);
  let refused = 0;
  for (const [what, value] of mutationsOf(record)) {
    const isTask = isTaskRecord(value);
    if (!isTask) refused++;
    // All remaining records have the members that the engine reads.
    else
      expect(
        [typeof value.id, typeof value.owner, typeof value.version, typeof value.limits.keepMs],
        what,
      ).toEqual(["string", "string", "number", "number"]);
  }
  expect(refused).toBeGreaterThan(200);
  for (const text of strangeTexts) expect(isTaskRecord(text)).toBe(false);
});

test("a request about a malformed record gets a coded error; a sweep continues with the others", async () => {
  const record = await recordOf();
  const { store, inner, given } = changed((each) => each);
  const made = serverOf({ store, keys: ["k".repeat(32)], list: true, keepMs: 1000 });
  made.server.tool("done", { task: { support: "required" } }, async (_, { task }) => {
    task?.detach();
    return "done";
  });
  const client = await clientOf(made);
  const { taskId } = await call(client, "done");
  for (const [what, value] of [...mutationsOf(record)].filter(([, each]) => !isTaskRecord(each))) {
    given.change = () => value;
    const error = await failureOf(client.request("tasks/get" as string, { taskId }));
    expect([(error as { rpcCode?: number }).rpcCode, what]).toEqual([value === null ? -32602 : -32603, what]);
  }
  // 300 records of another program are due before one that is whole.
  for (let index = 0; index < 300; index++)
    await inner.create({ ...record, id: `junk ${index}`, dueAt: 1 + index, tool: "junk" });
  given.change = (each) => (each.tool === "junk" ? "junk" : each);
  await made.clock.advance(5000);
  await made.engine.engine.sweep();
  expect(await inner.read(taskId)).toBeUndefined();
  expect(made.errors.join()).toContain("records are malformed");
});
