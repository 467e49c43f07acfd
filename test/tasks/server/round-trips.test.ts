import {
  cancelTask,
  getTask,
  updateTask,
} from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/client";
import { type TaskStore, type TasksOptions, memoryTaskStore } from "@mcpgen/tasks";
import { expect, test } from "vitest";
import { call, clientOf, deferred, serverOf } from "./served.js";

// Limits: create 2, get 1, each transition 2. One of the two calls of a create counts the client's tasks, for its
// quotas.

const asking = { message: "?", requestedSchema: { type: "object", properties: {} } } as const;

/** A server whose store counts what is called, with its client. */
async function countingServer(options: TasksOptions = {}) {
  let trips: string[] = [];
  const counting = new Proxy(options.store ?? memoryTaskStore(), {
    get: (store, name: keyof TaskStore) => {
      const member = store[name] as unknown;
      if (typeof member !== "function") return member;
      return (...args: never[]) => {
        trips.push(name);
        return (member as (...given: never[]) => unknown).apply(store, args);
      };
    },
  });
  const served = serverOf({ ...options, store: counting, keys: ["a secret of sixteen characters"] });
  const gates = [deferred(), deferred()] as const;
  served.server.tool("steps", { task: { support: "optional", inlineMs: 0 } }, async (_, context) => {
    context.task?.detach();
    await gates[0].promise;
    await context.once("a", () => 1);
    await gates[1].promise;
    return (await context.ask.elicit("b", asking)).action;
  });
  served.server.tool("endless", { task: { support: "optional", inlineMs: 0 } }, (_, { task }) => {
    task?.detach();
    return new Promise<never>(() => {});
  });
  const client = await clientOf(served, { elicit: () => ({ action: "cancel" }) });
  /** The round trips of a step. */
  const tripsOf = async (step: () => unknown): Promise<readonly string[]> => {
    trips = [];
    await step();
    await served.clock.advance(0);
    return trips;
  };
  return { ...served, client, gates, tripsOf };
}

const inputResponses = { b: { action: "accept", content: {} } } as const;

test("B11: a task of this process", async () => {
  const { client, gates, tripsOf } = await countingServer();
  let task!: Awaited<ReturnType<typeof call>>;
  expect(await tripsOf(async () => (task = await call(client, "steps")))).toEqual(["usage", "create"]);
  const { taskId } = task;
  expect(await tripsOf(() => getTask(client, { taskId }))).toEqual(["read"]);
  // Done, asked.
  expect(await tripsOf(() => gates[0].resolve())).toEqual(["replace"]);
  expect(await tripsOf(() => gates[1].resolve())).toEqual(["replace"]);
  // Answered; then the next run takes the task, and ends it.
  const trips = await tripsOf(async () => {
    await updateTask(client, { taskId, inputResponses });
    while ((await getTask(client, { taskId })).status === "working");
  });
  expect(trips.slice(0, 2)).toEqual(["read", "replace"]);
  // The other reads are polls.
  expect(trips.filter((name) => name === "replace")).toHaveLength(3);
  expect(new Set(trips)).toEqual(new Set(["read", "replace"]));
  expect(await tripsOf(() => getTask(client, { taskId }))).toEqual(["read"]);
  // Cancelled, once it has ended, and before.
  expect(await tripsOf(() => cancelTask(client, { taskId }))).toEqual(["read"]);
  const other = await call(client, "endless");
  expect(await tripsOf(() => cancelTask(client, other))).toEqual(["read", "replace"]);
});

test("B11: a task of a queue", async () => {
  const store = memoryTaskStore();
  const server = await countingServer({ store, executor: { enqueue: () => {} } });
  const worker = await countingServer({ store });
  let taskId = "";
  expect(await server.tripsOf(async () => ({ taskId } = await call(server.client, "steps")))).toEqual([
    "usage",
    "create",
  ]);
  for (const gate of worker.gates) gate.resolve();
  // Leased, done, asked.
  expect(await worker.tripsOf(() => worker.engine.run(taskId))).toEqual([
    "read",
    "replace",
    "replace",
    "replace",
  ]);
  // Answered, handed over.
  expect(await server.tripsOf(() => updateTask(server.client, { taskId, inputResponses }))).toEqual([
    "read",
    "replace",
    "replace",
  ]);
  // Leased, completed.
  expect(await worker.tripsOf(() => worker.engine.run(taskId))).toEqual(["read", "replace", "replace"]);
});
