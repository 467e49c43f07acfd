import { getTask, updateTask } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/client";
import { VirtualClock } from "@mcpgen/testing";
import { type TaskStore, type ToolTask, memoryTaskStore } from "@mcpgen/tasks";
import { expect, test } from "vitest";
import { failureOf } from "../../support/failure-of.js";
import { call, clientOf, deferred, serverOf, settled, text } from "./served.js";

const options = { keys: ["a secret of sixteen characters"], leaseMs: 10_000 };

/** The client can ask its user; the answers come by tasks/update. */
const elicit = () => ({ action: "cancel" }) as const;

/** A process: its server, its effects, and the gate of its handler. */
function processOn(store: TaskStore, start: number, onRestart: ToolTask["onRestart"]) {
  const served = serverOf({ ...options, store }, {}, new VirtualClock(start));
  const effects: string[] = [];
  const gate = deferred<string>();
  const effect = (name: string) => () => {
    effects.push(name);
    return name;
  };
  const task = { support: "optional", ...(onRestart && { onRestart }) } as const;
  served.server.tool("report", { task }, async (_, context) => {
    const first = await context.once("first", effect("first"));
    context.task?.detach();
    const second = await context.once("second", effect("second"));
    const third = await gate.promise;
    return [first, second, third].join(" ");
  });
  return { ...served, effects, gate };
}

test("after a process was killed, another one runs the handler again; completed effects are not repeated", async () => {
  const store = memoryTaskStore();
  const dead = processOn(store, 1_000_000, "replay");
  const task = await call(await clientOf(dead), "report");
  await dead.clock.advance(0);
  expect(dead.effects).toEqual(["first", "second"]);
  // Its clock stands still from now on: it prolongs no lease.
  const other = processOn(store, 1_000_000, "replay");
  await other.clock.advance(9_000);
  const client = await clientOf(other);
  expect(await getTask(client, task)).toMatchObject({ status: "working" });
  await other.clock.advance(2_000);
  other.gate.resolve("by the other");
  await other.clock.advance(0);
  expect(await getTask(client, task)).toMatchObject({
    status: "completed",
    result: { content: text("first second by the other") },
  });
  expect(other.effects).toEqual([]);
  // A late result of the first process has no effect.
  dead.gate.resolve("too late");
  await dead.clock.advance(0);
  expect(await getTask(client, task)).toMatchObject({
    result: { content: text("first second by the other") },
  });
});

test("an effect during the storing of the task is in its record before the handler continues", async () => {
  const memory = memoryTaskStore();
  const stored = deferred();
  const create: TaskStore["create"] = async (task) => {
    await stored.promise;
    await memory.create(task);
  };
  const store = { ...memory, create };
  const served = serverOf({ ...options, store });
  let onward = false;
  served.server.tool("report", { task: { support: "optional" } }, async (_, { once, task }) => {
    task?.detach();
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    await once("effect", () => "done");
    onward = true;
    return new Promise(() => {});
  });
  const calling = call(await clientOf(served), "report");
  await served.clock.advance(0);
  expect(onward).toBe(false);
  stored.resolve();
  const { taskId } = await calling;
  await served.clock.advance(0);
  expect(onward).toBe(true);
  expect((await memory.read(taskId))?.journal?.once).toEqual([{ key: "effect", value: "done" }]);
});

test("a task that is not declared replayable fails with that reason", async () => {
  const store = memoryTaskStore();
  const dead = processOn(store, 1_000_000, undefined);
  const task = await call(await clientOf(dead), "report");
  const other = processOn(store, 1_000_000, undefined);
  await other.clock.advance(12_000);
  expect(await getTask(await clientOf(other), task)).toMatchObject({
    status: "failed",
    statusMessage: "the server that ran the task has stopped",
    error: { code: -32603 },
  });
});

test("a handler that ends its process each time is not repeated endlessly", async () => {
  const store = memoryTaskStore();
  const first = processOn(store, 1_000_000, "replay");
  const task = await call(await clientOf(first), "report");
  // Each process dies with the task: its clock stands still.
  let start = 1_000_000;
  let last = first;
  for (let death = 0; death < 6; death++) {
    last = processOn(store, (start += 11_000), "replay");
    await last.clock.advance(1000);
  }
  expect(await getTask(await clientOf(last), task)).toMatchObject({
    status: "failed",
    statusMessage: "the server stopped 6 times while it ran the task",
  });
});

test("a process that runs a task prolongs its lease, and others leave the task alone", async () => {
  const store = memoryTaskStore();
  const clock = new VirtualClock(1_000_000);
  const busy = processOn(store, 0, "replay");
  const other = serverOf({ ...options, store }, {}, clock);
  other.server.tool("report", { task: { support: "optional" } }, () => "by the other");
  const task = await call(await clientOf(busy), "report");
  for (let second = 0; second < 60; second++) {
    await busy.clock.advance(1000);
    await clock.advance(0);
  }
  busy.gate.resolve("by the first");
  await busy.clock.advance(0);
  expect(await getTask(await clientOf(busy), task)).toMatchObject({
    status: "completed",
    result: { content: text("first second by the first") },
  });
});

test("a closing process hands its tasks over at once", async () => {
  const store = memoryTaskStore();
  const closing = processOn(store, 1_000_000, "replay");
  const task = await call(await clientOf(closing), "report");
  await closing.clock.advance(0);
  await closing.engine.close();
  const other = processOn(store, 1_000_000, "replay");
  other.gate.resolve("by the other");
  await other.clock.advance(1000);
  expect(await getTask(await clientOf(other), task)).toMatchObject({ status: "completed" });
});

test("a task that is not declared replayable fails when its process closes", async () => {
  const store = memoryTaskStore();
  const closing = processOn(store, 1_000_000, "fail");
  const client = await clientOf(closing);
  const task = await call(client, "report");
  await closing.engine.close();
  expect(await getTask(client, task)).toMatchObject({
    status: "failed",
    statusMessage: "the server that ran the task has stopped",
  });
});

test("processes that close one after another hand a task over, however often", async () => {
  const store = memoryTaskStore();
  let last = processOn(store, 1_000_000, "replay");
  const task = await call(await clientOf(last), "report");
  for (let deployment = 0; deployment < 10; deployment++) {
    await last.engine.close();
    last = processOn(store, 1_000_000, "replay");
    await last.clock.advance(1000);
  }
  last.gate.resolve("at last");
  expect(await settled(await clientOf(last), task)).toMatchObject({ status: "completed" });
});

test("input for a task of one process is taken by another, which runs the handler on", async () => {
  const store = memoryTaskStore();
  const first = serverOf({ ...options, store });
  const second = serverOf({ ...options, store });
  const asked: unknown[] = [];
  for (const [name, { server }] of [
    ["first", first],
    ["second", second],
  ] as const)
    server.tool("ask", { task: { support: "optional" } }, async (_, { ask, auth, task }) => {
      task?.detach();
      const answer = await ask.elicit("name", {
        message: "Your name?",
        requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
      });
      asked.push(auth);
      return answer.action === "accept" ? `${answer.content.name}, on the ${name}` : "no name";
    });
  const task = await call(await clientOf(first, { elicit }), "ask");
  await first.clock.advance(0);
  const client = await clientOf(second);
  expect(await getTask(client, task)).toMatchObject({
    status: "input_required",
    inputRequests: { name: {} },
  });
  const inputResponses = { name: { action: "accept", content: { name: "Ada" } } } as const;
  await updateTask(client, { taskId: task.taskId, inputResponses });
  expect(await settled(await clientOf(first), task)).toMatchObject({
    status: "completed",
    result: { content: text("Ada, on the second") },
  });
});

test("input that never comes fails the task; a task that has ended is kept for keepMs, and no longer", async () => {
  const served = serverOf({ waitMs: 5000, keepMs: 3000 });
  const asking = { message: "?", requestedSchema: { type: "object", properties: {} } } as const;
  served.server.tool("ask", { task: { support: "optional" } }, async (_, { ask, task }) => {
    task?.detach();
    return (await ask.elicit("a", asking)).action;
  });
  const client = await clientOf(served, { elicit });
  const task = await call(client, "ask");
  await served.clock.advance(4000);
  expect(await getTask(client, task)).toMatchObject({ status: "input_required", ttlMs: 7000 });
  await served.clock.advance(2000);
  const failed = await getTask(client, task);
  expect(failed).toMatchObject({ status: "failed", statusMessage: "the client gave no input in time" });
  await served.clock.advance(1000);
  expect(await getTask(client, task)).toEqual(failed);
  await served.clock.advance(2000);
  expect(await failureOf(getTask(client, task))).toMatchObject({ rpcCode: -32602 });
});

test("a handler that takes longer than maxRunMs is aborted, and its task fails", async () => {
  const served = serverOf();
  const aborted = deferred<unknown>();
  served.server.tool("long", { task: { support: "optional", maxRunMs: 3000 } }, (_, { signal, task }) => {
    task?.detach();
    return new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => {
        aborted.resolve(undefined);
        reject(signal.reason as Error);
      });
    });
  });
  const client = await clientOf(served);
  const task = await call(client, "long");
  await served.clock.advance(2000);
  expect(await getTask(client, task)).toMatchObject({ status: "working" });
  await served.clock.advance(2000);
  await aborted.promise;
  expect(await getTask(client, task)).toMatchObject({
    status: "failed",
    statusMessage: "the task took too long",
  });
});

test("if the store fails, the call gets an error instead of a task, and its handler is aborted", async () => {
  const store = { ...memoryTaskStore(), create: () => Promise.reject(new Error("the disk is full")) };
  const served = serverOf({ ...options, store });
  const aborted = deferred<unknown>();
  served.server.tool("slow", { task: { support: "optional" } }, (_, { signal, task }) => {
    signal.addEventListener("abort", () => aborted.resolve(undefined));
    task?.detach();
    return new Promise(() => {});
  });
  expect(await failureOf(call(await clientOf(served), "slow"))).toMatchObject({ rpcCode: -32603 });
  await aborted.promise;
});
