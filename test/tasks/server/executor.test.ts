import { getTask, updateTask } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/client";
import { type TaskStore, type TasksOptions, memoryTaskStore } from "@mcpgen/tasks";
import { VirtualClock } from "@mcpgen/testing";
import { expect, test } from "vitest";
import { RawClient } from "./raw.js";
import { call, clientOf, deferred, serverOf, text } from "./served.js";

const keys = ["a secret of sixteen characters"];
const elicit = () => ({ action: "cancel" }) as const;
const asking = { message: "?", requestedSchema: { type: "object", properties: {} } } as const;

/**
 * A process on a store: with `queue`, a server without workers, otherwise a worker. `ran` lists the tasks that ran in
 * it.
 */
function processOn(
  store: TaskStore,
  { queue, clock, ...options }: TasksOptions & { queue?: string[]; clock?: VirtualClock } = {},
) {
  const executor = queue && { enqueue: (id: string) => void queue.push(id) };
  const served = serverOf(
    { store, keys, leaseMs: 10_000, ...(executor && { executor }), ...options },
    {},
    clock,
  );
  const ran: string[] = [];
  const gate = deferred<string>();
  const { server } = served;
  const once = (name: string) => () => {
    ran.push(name);
    return name;
  };
  for (const onRestart of ["replay", "fail"] as const)
    server.tool(onRestart, { task: { support: "optional", inlineMs: 0, onRestart } }, async (_, context) => {
      const first = await context.once("first", once("first"));
      return `${first} ${await gate.promise}`;
    });
  server.tool("ask", { task: { support: "optional", inlineMs: 0 } }, async (_, { ask, once: effect }) => {
    await effect("before", once("before"));
    const { action } = await ask.elicit("a", asking);
    await effect("after", once("after"));
    return action;
  });
  server.tool("slow", { task: { support: "optional" } }, async (_, { task }) => {
    ran.push("slow");
    task?.detach();
    return gate.promise;
  });
  return { ...served, ran, gate };
}

test("a server without workers creates a task; a worker in another process runs it", async () => {
  const store = memoryTaskStore();
  const queue: string[] = [];
  const server = processOn(store, { queue });
  const worker = processOn(store);
  const client = await clientOf(server);
  const task = await call(client, "replay");
  expect(task).toMatchObject({ resultType: "task", status: "working" });
  expect(queue).toEqual([task.taskId]);
  worker.gate.resolve("by the worker");
  expect(await worker.engine.run(task.taskId)).toBe("completed");
  expect(await getTask(client, task)).toMatchObject({ result: { content: text("first by the worker") } });
  expect([server.ran, worker.ran]).toEqual([[], ["first"]]);
  // The second entry of the same task in the queue has no effect.
  expect(await worker.engine.run(task.taskId)).toBe("completed");
  expect(worker.ran).toEqual(["first"]);
  expect(await worker.engine.run("no such task")).toBeUndefined();
});

test("a task that a client of 2025-11-25 asks for is detached from the start: it goes to the queue", async () => {
  const store = memoryTaskStore();
  const queue: string[] = [];
  const server = processOn(store, { queue });
  const worker = processOn(store);
  const client = new RawClient(server.server, "ann");
  await client.open();
  const { result } = await client.request("tools/call", { name: "slow", arguments: {}, task: {} });
  expect(queue).toEqual([result.task.taskId]);
  worker.gate.resolve("by the worker");
  const answered = client.request("tasks/result", { taskId: result.task.taskId });
  await worker.engine.run(result.task.taskId);
  await server.clock.advance(1000);
  expect((await answered).result.content).toEqual(text("by the worker"));
  expect(server.ran).toEqual([]);
});

test("a call that becomes a task runs on in its process, which prolongs the lease", async () => {
  const queue: string[] = [];
  const server = processOn(memoryTaskStore(), { queue });
  const client = await clientOf(server);
  const task = await call(client, "slow");
  await server.clock.advance(60_000);
  expect(await server.engine.run(task.taskId)).toBe("working");
  server.gate.resolve("here");
  await server.clock.advance(0);
  expect(await getTask(client, task)).toMatchObject({ result: { content: text("here") } });
  expect([server.ran, queue]).toEqual([["slow"], []]);
});

test("a task that has its input goes to the queue; completed effects are not repeated", async () => {
  const store = memoryTaskStore();
  const queue: string[] = [];
  const server = processOn(store, { queue });
  const [first, second] = [processOn(store), processOn(store)];
  const client = await clientOf(server, { elicit });
  const task = await call(client, "ask");
  expect(await first.engine.run(task.taskId)).toBe("input_required");
  const inputResponses = { a: { action: "decline" } } as const;
  await updateTask(client, { taskId: task.taskId, inputResponses });
  await server.clock.advance(0);
  expect(queue).toEqual([task.taskId, task.taskId]);
  expect(await second.engine.run(task.taskId)).toBe("completed");
  expect(await getTask(client, task)).toMatchObject({ result: { content: text("decline") } });
  expect([server.ran, first.ran, second.ran]).toEqual([[], ["before"], ["after"]]);
});

test("a task whose worker died goes to the queue when its lease lapses, once for all processes", async () => {
  const store = memoryTaskStore();
  const [queue, clock] = [[] as string[], new VirtualClock(1_000_000)];
  const server = processOn(store, { queue, clock });
  processOn(store, { queue, clock });
  const [dead, worker] = [processOn(store), processOn(store, { clock })];
  const task = await call(await clientOf(server), "replay");
  void dead.engine.run(task.taskId);
  await dead.clock.advance(0);
  expect(dead.ran).toEqual(["first"]);
  await clock.advance(9000);
  expect(queue).toHaveLength(1);
  await clock.advance(2000);
  expect(queue).toEqual([task.taskId, task.taskId]);
  worker.gate.resolve("by another");
  expect(await worker.engine.run(task.taskId)).toBe("completed");
  expect(worker.ran).toEqual([]);
});

test("a task that is not declared replayable fails when its worker died, also if its queue offers it again", async () => {
  const store = memoryTaskStore();
  const clock = new VirtualClock(1_000_000);
  const server = processOn(store, { queue: [], clock });
  const [dead, worker] = [processOn(store), processOn(store, { leaseMs: 2e9, clock })];
  const [one, other] = [await clientOf(server), await clientOf(server)];
  const tasks = [await call(one, "fail"), await call(other, "fail")] as const;
  for (const { taskId } of tasks) void dead.engine.run(taskId);
  await dead.clock.advance(0);
  expect(dead.ran).toEqual(["first", "first"]);
  expect(await worker.engine.run(tasks[0].taskId)).toBe("working");
  await server.engine.close();
  await clock.advance(11_000);
  expect(await worker.engine.run(tasks[0].taskId)).toBe("failed");
  const last = processOn(store, { queue: [], clock });
  await clock.advance(1000);
  for (const task of tasks)
    expect(await getTask(await clientOf(last), task)).toMatchObject({
      status: "failed",
      statusMessage: "the server that ran the task has stopped",
    });
  expect(worker.ran).toEqual([]);
});

test("a task that no worker takes is handed over again after leaseMs, and after twice the wait each time", async () => {
  const [queue, clock] = [[] as string[], new VirtualClock(1_000_000)];
  const server = processOn(memoryTaskStore(), { queue, clock });
  const { taskId } = await call(await clientOf(server), "replay");
  const times: number[] = [];
  for (let second = 10; second <= 160; second += 10) {
    await clock.advance(10_000);
    if (queue.length > times.length + 1) times.push(second);
  }
  expect(queue.every((id) => id === taskId)).toBe(true);
  expect(times).toEqual([10, 30, 70, 150]);
});

test("a failing queue is reported, and gets the task later", async () => {
  const clock = new VirtualClock(1_000_000);
  let isDown = true;
  const queue: string[] = [];
  const executor = {
    enqueue: async (id: string) => {
      if (isDown) throw new Error("the queue is down");
      queue.push(id);
    },
  };
  const server = processOn(memoryTaskStore(), { executor, clock });
  const task = await call(await clientOf(server), "replay");
  await clock.advance(0);
  expect(server.errors).toMatchObject([{ message: "the queue is down" }]);
  isDown = false;
  await clock.advance(11_000);
  expect(queue).toEqual([task.taskId]);
});

test("a worker that closes ends its run, and its task goes to the queue at once", async () => {
  const store = memoryTaskStore();
  const [queue, clock] = [[] as string[], new VirtualClock(1_000_000)];
  const server = processOn(store, { queue, clock });
  const worker = processOn(store, { clock });
  const task = await call(await clientOf(server), "replay");
  const running = worker.engine.run(task.taskId);
  await clock.advance(0);
  expect(worker.ran).toEqual(["first"]);
  await worker.engine.close();
  expect(await running).toBe("working");
  expect(await worker.engine.run(task.taskId)).toBe("working");
  await clock.advance(2000);
  expect(queue).toEqual([task.taskId, task.taskId]);
});
