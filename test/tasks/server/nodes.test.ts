import { cancelTask } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/client";
import type { Change, NotificationBus } from "@mcpgen/runtime";
import { VirtualClock } from "@mcpgen/testing";
import { type TaskStore, memoryTaskStore } from "@mcpgen/tasks";
import { expect, test } from "vitest";
import { RawClient } from "./raw.js";
import { call, clientOf, deferred, serverOf, settled, text } from "./served.js";

// Two nodes with one store. Clocks that stand still show that nothing waits for a poll, or for a sweep.

/** Carries changes between the nodes, after the code that publishes them. */
function busOf() {
  const listeners = new Set<(change: Change) => void>();
  const bus: NotificationBus = {
    publish: (change) => {
      const sent = JSON.stringify(change);
      queueMicrotask(() => listeners.forEach((listener) => listener(JSON.parse(sent) as Change)));
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  return { bus, listeners };
}

function nodesOn(store: TaskStore, changes: NotificationBus) {
  return ["first", "second"].map((name) => {
    const served = serverOf(
      { store, keys: ["a secret of sixteen characters"], leaseMs: 10_000 },
      { changes },
      new VirtualClock(1_000_000),
    );
    const gate = deferred<string>();
    const aborted = deferred<unknown>();
    const effects: string[] = [];
    const task = { support: "optional", onRestart: "replay" } as const;
    served.server.tool("slow", { task }, async (_, { task, signal, once }) => {
      signal.addEventListener("abort", () => aborted.resolve(signal.reason));
      task?.detach();
      const result = await gate.promise;
      await once("effect", () => void effects.push(name));
      return result;
    });
    return { ...served, gate, aborted, effects };
  }) as [Node, Node];
}
type Node = ReturnType<typeof serverOf> & {
  readonly gate: ReturnType<typeof deferred<string>>;
  readonly aborted: ReturnType<typeof deferred<unknown>>;
  readonly effects: string[];
};

test("B14: a subscription on another node gets the end of a task", async () => {
  const [first, second] = nodesOn(memoryTaskStore(), busOf().bus);
  const task = await call(await clientOf(first), "slow");
  const taskIds = [task.taskId];
  const subscription = await (await clientOf(second)).subscribe<{ taskIds: string[] }>({ taskIds });
  first.gate.resolve("done");
  for await (const { params } of subscription) {
    expect(params).toMatchObject({
      taskId: task.taskId,
      status: "completed",
      result: { content: text("done") },
    });
    break;
  }
});

test("tasks/result on another node answers when the task ends", async () => {
  const [first, second] = nodesOn(memoryTaskStore(), busOf().bus);
  const [one, other] = [new RawClient(first.server, "ann"), new RawClient(second.server, "ann")];
  await one.open();
  await other.open();
  const { result } = await one.request("tools/call", { name: "slow", arguments: {}, task: {} });
  const answer = other.request("tasks/result", { taskId: result.task.taskId });
  await second.clock.advance(0);
  first.gate.resolve("done");
  expect((await answer).result.content).toEqual(text("done"));
});

test("a task that is cancelled on another node stops here at once, and begins no effect", async () => {
  const [first, second] = nodesOn(memoryTaskStore(), busOf().bus);
  const task = await call(await clientOf(first), "slow");
  const client = await clientOf(second);
  await cancelTask(client, task);
  expect(await first.aborted.promise).toMatchObject({ message: "the task has ended" });
  first.gate.resolve("too late");
  expect(await settled(client, task)).toMatchObject({ status: "cancelled" });
  await first.clock.advance(0);
  expect(first.effects).toEqual([]);
});

test("a run that has lost its lease does not begin effects", async () => {
  const store = memoryTaskStore();
  const none: NotificationBus = { publish: () => {}, subscribe: () => () => {} };
  const [slow] = nodesOn(store, none);
  // Like a suspended machine, this node does not look at leases.
  slow.engine.engine.sweep = () => Promise.resolve();
  const [, other] = nodesOn(store, none);
  const task = await call(await clientOf(slow), "slow");
  // The first node does not prolong its lease in time.
  await other.clock.advance(12_000);
  other.gate.resolve("by the other");
  await other.clock.advance(0);
  expect(other.effects).toEqual(["second"]);
  await slow.clock.advance(12_000);
  slow.gate.resolve("late");
  await slow.clock.advance(0);
  expect(slow.effects).toEqual([]);
  expect(await settled(await clientOf(slow), task)).toMatchObject({
    status: "completed",
    result: { content: text("by the other") },
  });
});

test("a bus that fails is reported; the task goes on without it", async () => {
  const failing: NotificationBus = {
    publish: ({ method }) => {
      if (method === "notifications/tasks") throw new Error("the bus is down");
    },
    subscribe: () => () => {},
  };
  const [first] = nodesOn(memoryTaskStore(), failing);
  const client = await clientOf(first);
  const task = await call(client, "slow");
  first.gate.resolve("done");
  expect(await settled(client, task)).toMatchObject({ status: "completed" });
  expect(first.errors).toMatchObject([{ message: "the bus is down" }]);
});

test("tasks leave the bus when they close", async () => {
  const { bus, listeners } = busOf();
  const [first, second] = nodesOn(memoryTaskStore(), bus);
  const client = await clientOf(first);
  await call(client, "slow");
  expect(listeners.size).toBe(1);
  await first.engine.close();
  await second.engine.close();
  expect(listeners.size).toBe(0);
});
