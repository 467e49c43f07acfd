import { serverRevisions } from "@mcpgen/protocol";
import { cancelTask, getTask } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/client";
import { tasks as serverTasks } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/server";
import { McpError } from "@mcpgen/runtime";
import { VirtualClock } from "@mcpgen/testing";
import { type TaskRecord, type TaskStore, memoryTaskStore, tasks } from "@mcpgen/tasks";
import { expect, test } from "vitest";
import { failureOf } from "../../support/failure-of.js";
import { RawClient } from "./raw.js";
import { call, clientOf, deferred, serverOf, text } from "./served.js";

// Stores fail, servers close in the middle, clocks are set back: no work is lost, and nothing is kept forever.

const keys = ["a secret of sixteen characters"];
const detached = { support: "optional", inlineMs: 0 } as const;

/** A memory store whose functions a test may replace while it runs. */
function storeOf() {
  const memory = memoryTaskStore();
  const store = { ...memory };
  const all = (): Promise<readonly TaskRecord[]> => memory.list!("ann", undefined, 1000);
  return { memory, store, all };
}

/** A tool whose handler ends when the test says so, on a store that may fail. */
async function running(options: Parameters<typeof serverOf>[0] = {}, tool: object = {}) {
  const kept = storeOf();
  const served = serverOf({ keys, leaseMs: 10_000, ...options, store: kept.store });
  const gate = deferred<string>();
  served.server.tool("slow", { task: { ...detached, ...tool } }, () => gate.promise);
  const client = await clientOf(served);
  const calling = call(client, "slow");
  await served.clock.advance(0);
  return { ...served, ...kept, gate, client, calling };
}

const broken = (): Promise<never> => Promise.reject(new Error("the store is down"));

test("the end of a handler is stored by a later sweep, if the store fails meanwhile", async () => {
  const { store, memory, gate, client, calling, clock, errors } = await running();
  const task = await calling;
  store.replace = broken;
  gate.resolve("done");
  await clock.advance(2000);
  expect(await getTask(client, task)).toMatchObject({ status: "working" });
  expect(errors.length).toBeGreaterThan(0);
  store.replace = memory.replace;
  await clock.advance(1000);
  expect(await getTask(client, task)).toMatchObject({
    status: "completed",
    result: { content: text("done") },
  });
});

test("an end that cannot be stored is dropped with the lease", async () => {
  const { store, memory, gate, client, calling, clock, engine } = await running();
  const task = await calling;
  store.replace = (record, version) => (record.result ? broken() : memory.replace(record, version));
  gate.resolve("done");
  await clock.advance(15_000);
  expect(engine.engine.runs.size).toBe(0);
  expect(await getTask(client, task)).toMatchObject({ status: "failed" });
});

test("close waits until the end of a handler is stored", async () => {
  const { store, memory, gate, calling, clock, engine, all } = await running();
  await calling;
  const stored = deferred();
  store.replace = async (...args) => {
    await stored.promise;
    return memory.replace(...args);
  };
  gate.resolve("done");
  await clock.advance(0);
  let isClosed = false;
  const closed = engine.close().then(() => (isClosed = true));
  await clock.advance(0);
  expect(isClosed).toBe(false);
  stored.resolve();
  await closed;
  expect(await all()).toMatchObject([{ status: "completed" }]);
});

test("closing a server while a task is being stored does not leave a task without a run", async () => {
  const kept = storeOf();
  const stored = deferred();
  kept.store.create = async (record) => {
    await stored.promise;
    await kept.memory.create(record);
  };
  const served = serverOf({ keys, store: kept.store });
  served.server.tool("slow", { task: detached }, () => new Promise<never>(() => {}));
  const calling = failureOf(call(await clientOf(served), "slow"));
  await served.clock.advance(0);
  await served.engine.close();
  stored.resolve();
  expect(await calling).toMatchObject({ code: "remote-error" });
  expect(await kept.all()).toEqual([]);
});

test("a call that runs when the server closes is answered inline", async () => {
  const served = serverOf();
  const gate = deferred<string>();
  served.server.tool("slow", { task: { support: "optional" } }, () => gate.promise);
  const calling = call(await clientOf(served), "slow");
  await served.clock.advance(0);
  await served.engine.close();
  await served.clock.advance(2000);
  gate.resolve("done");
  expect(await calling).toMatchObject({ content: text("done") });
});

test("a run that would begin while the server closes returns its lease", async () => {
  const kept = storeOf();
  const served = serverOf({ keys, store: kept.store });
  served.server.tool("slow", { task: detached }, () => "done");
  const waiting: TaskRecord = {
    ...{ id: "one", owner: "ann", version: 1, status: "working", tool: "slow", onRestart: "fail" },
    ...{ createdAt: 0, updatedAt: 0, dueAt: 0, limits: { keepMs: 1, waitMs: 1, pollMs: 1 } },
  };
  await kept.memory.create(waiting);
  const leased = deferred();
  kept.store.replace = async (...args) => {
    kept.store.replace = kept.memory.replace;
    await leased.promise;
    return kept.memory.replace(...args);
  };
  const swept = served.engine.engine.sweep();
  await served.clock.advance(0);
  await served.engine.close();
  leased.resolve();
  await swept;
  const record = await kept.memory.read("one");
  expect(record).toMatchObject({ status: "working", version: 3 });
  expect(record).not.toHaveProperty("lease");
});

test("maxRunMs ends a task also if the store fails at that moment", async () => {
  const { store, memory, client, calling, clock } = await running({}, { maxRunMs: 1500 });
  const task = await calling;
  store.replace = broken;
  await clock.advance(2500);
  store.replace = memory.replace;
  await clock.advance(1500);
  expect(await getTask(client, task)).toMatchObject({ statusMessage: "the task took too long" });
});

test("a call that its client has cancelled does not become a task", async () => {
  const { all, store } = storeOf();
  const { server, clock } = serverOf({ keys, store });
  server.tool("slow", { task: { support: "optional" } }, () => new Promise<never>(() => {}));
  const client = await clientOf({ server, clock });
  const controller = new AbortController();
  const calling = failureOf(client.callTool("slow", {}, { signal: controller.signal }));
  await clock.advance(0);
  controller.abort();
  await calling;
  await clock.advance(2000);
  expect(await all()).toEqual([]);
});

/** A task that was to be removed long ago. */
const expired = (id: string): TaskRecord => ({
  ...{ id, owner: "ann", version: 1, status: "completed", tool: "slow", onRestart: "fail" },
  ...{ createdAt: 0, updatedAt: 0, dueAt: 1, limits: { keepMs: 1, waitMs: 1, pollMs: 1 } },
});

test("a task that cannot be removed does not block the removal of others", async () => {
  const { store, memory, all } = storeOf();
  const { engine, errors } = serverOf({ keys, store });
  for (const id of ["stuck", "after it"]) await memory.create(expired(id));
  store.remove = (id, version) => (id === "stuck" ? broken() : memory.remove(id, version));
  await engine.engine.sweep();
  expect((await all()).map(({ id }) => id)).toEqual(["stuck"]);
  expect(errors).toHaveLength(1);
});

test("no lease lapses while a sweep removes many tasks from a slow store", async () => {
  let lost = 0;
  class Wall extends VirtualClock {
    override wallTime(): number {
      return super.wallTime() + lost;
    }
  }
  const kept = storeOf();
  const clock = new Wall(1_000_000);
  const served = serverOf({ keys, leaseMs: 10_000, store: kept.store }, {}, clock);
  served.server.tool("slow", { task: detached }, () => new Promise<never>(() => {}));
  const client = await clientOf(served);
  const calling = call(client, "slow");
  await clock.advance(0);
  const { taskId } = await calling;
  for (let id = 0; id < 300; id++) await kept.memory.create(expired(`old ${id}`));
  kept.store.remove = async (...args) => {
    lost += 50;
    return kept.memory.remove(...args);
  };
  await served.engine.engine.sweep();
  const { lease } = (await kept.memory.read(taskId))!;
  expect(lost).toBe(15_000);
  expect(lease!.until).toBeGreaterThan(clock.wallTime());
});

test("polls are counted by a clock that is not set back", async () => {
  let back = 0;
  class Wall extends VirtualClock {
    override wallTime(): number {
      return super.wallTime() - back;
    }
  }
  const clock = new Wall(10_000_000);
  const served = serverOf({ limits: { work: 100 } }, {}, clock);
  served.server.tool("slow", { task: detached }, () => new Promise<never>(() => {}));
  const client = await clientOf(served);
  const calling = call(client, "slow");
  await clock.advance(0);
  const task = await calling;
  await getTask(client, task);
  back = 3_600_000;
  await clock.advance(1000);
  expect(await getTask(client, task)).toMatchObject({ status: "working" });
});

test("a limit that is undefined is the default", async () => {
  const served = serverOf({ limits: { work: undefined as never } });
  served.server.tool(
    "slow",
    { task: { support: "required", inlineMs: 0 } },
    () => new Promise<never>(() => {}),
  );
  const client = await clientOf(served);
  const calls = Array.from({ length: 100 }, () => call(client, "slow"));
  await served.clock.advance(0);
  await Promise.all(calls);
  expect(await failureOf(call(client, "slow"))).toMatchObject({
    data: { limit: "limits.work" },
  });
});

test("the limit of memory counts the arguments of tasks that have not ended", async () => {
  const served = serverOf({ limits: { memory: 2000 } });
  served.server.tool(
    "slow",
    { task: { support: "required", inlineMs: 0 } },
    () => new Promise<never>(() => {}),
  );
  const client = await clientOf(served);
  const calling = call(client, "slow", { text: "x".repeat(1000) });
  await served.clock.advance(0);
  const task = await calling;
  const refused = failureOf(call(client, "slow", { text: "x".repeat(1000) }));
  await served.clock.advance(0);
  expect(await refused).toMatchObject({ data: { limit: "limits.memory" } });
  await cancelTask(client, task);
  const next = call(client, "slow");
  await served.clock.advance(0);
  expect(await next).toMatchObject({ resultType: "task" });
});

test("a server that was refused for an option leaves no timer", async () => {
  const store: TaskStore = memoryTaskStore();
  expect(() =>
    serverOf({ keys, store }, { revisions: { known: serverRevisions, speaks: ["1999-01-01"] } }),
  ).toThrow(McpError);
  await new Promise((resolve) => setImmediate(resolve));
});

test("a process releases the client of a task that another process has ended", async () => {
  const store = memoryTaskStore();
  const clock = new VirtualClock(1_000_000);
  const one = serverOf({ keys, store }, {}, clock);
  const other = serverOf({ keys, store }, {}, clock);
  for (const { server } of [one, other])
    server.tool("slow", { task: detached }, async (_, { ask }) => {
      await ask.elicit("name", {
        message: "Your name?",
        requestedSchema: { type: "object", properties: {} },
      });
      return "done";
    });
  const client = new RawClient(one.server, "ann");
  await client.open({ elicitation: {} });
  const called = client.request("tools/call", { name: "slow", arguments: {}, task: {} });
  await clock.advance(0);
  const { taskId } = (await called).result.task;
  const { voices } = one.engine.engine;
  await clock.advance(1500);
  expect(voices.size).toBe(1);
  const elsewhere = new RawClient(other.server, "ann");
  await elsewhere.open();
  await elsewhere.request("tasks/cancel", { taskId });
  await clock.advance(1500);
  expect(voices.size).toBe(0);
  expect(client.heard.at(-1)).toMatchObject({
    method: "notifications/tasks/status",
    params: { taskId, status: "cancelled" },
  });
});

test("wrong arguments of a call that is to be a task are refused, and nothing is stored", async () => {
  const kept = storeOf();
  const { server } = serverOf({ keys, store: kept.store });
  server.tool(
    "adds",
    {
      inputSchema: { type: "object", properties: { a: { type: "number" } }, required: ["a"] },
      task: detached,
    },
    () => "done",
  );
  const client = new RawClient(server, "ann");
  await client.open();
  const wrong = { name: "adds", arguments: { a: "one" }, task: {} };
  const { error } = await client.request("tools/call", wrong);
  expect(error).toMatchObject({ code: -32602, message: expect.stringContaining("the arguments are wrong") });
  expect(await kept.all()).toEqual([]);
});

test("a bus that cannot be subscribed to is reported, and calls become tasks", async () => {
  const down = new Error("the bus is down");
  const changes = {
    publish: () => {},
    subscribe: (): never => {
      throw down;
    },
  };
  const served = serverOf({}, { changes });
  served.server.tool("slow", { task: detached }, () => new Promise<never>(() => {}));
  const calling = call(await clientOf(served), "slow");
  await served.clock.advance(0);
  expect(await calling).toMatchObject({ resultType: "task" });
  expect(served.errors).toContain(down);
});

test("a pending store call stops neither sweeps nor other tasks", async () => {
  const { store, memory, clock, errors, gate, calling, client, all } = await running();
  const task = await calling;
  await memory.create(expired("stuck"));
  await memory.create(expired("after it"));
  store.remove = (id, version) =>
    id === "stuck" ? new Promise<never>(() => {}) : memory.remove(id, version);
  await clock.advance(60_000);
  expect((await all()).map(({ id }) => id).toSorted()).toEqual(["stuck", task.taskId].toSorted());
  expect(errors).toContainEqual(expect.objectContaining({ code: "store-failed" }));
  gate.resolve("done");
  await clock.advance(2000);
  expect(await getTask(client, task)).toMatchObject({ status: "completed" });
});

test("a process whose clock is ahead takes no task of other processes, if the store has a clock", async () => {
  const kept = storeOf();
  const clock = new VirtualClock(1_000_000);
  const store = { ...kept.store, now: async () => clock.wallTime() };
  class Ahead extends VirtualClock {
    override wallTime(): number {
      return super.wallTime() + 3_600_000;
    }
  }
  const ahead = new Ahead(1_000_000);
  const gate = deferred<string>();
  const [one, other] = [serverOf({ keys, store }, {}, clock), serverOf({ keys, store }, {}, ahead)];
  for (const { server } of [one, other]) server.tool("slow", { task: detached }, () => gate.promise);
  const client = await clientOf(one);
  const calling = call(client, "slow");
  await clock.advance(0);
  const task = await calling;
  for (let second = 0; second < 5; second++) {
    await ahead.advance(1000);
    await clock.advance(1000);
  }
  gate.resolve("done");
  await clock.advance(0);
  expect(await getTask(client, task)).toMatchObject({ status: "completed" });
});

test.each([100, 1000])("sweeps prolong a lease of %i ms before it lapses", async (leaseMs) => {
  const clock = new VirtualClock(1_000_000);
  const { store } = storeOf();
  const [worker, other] = [
    serverOf({ keys, leaseMs, store }, {}, clock),
    serverOf({ keys, store }, {}, clock),
  ];
  let runs = 0;
  for (const { server } of [worker, other])
    server.tool("long", { task: { support: "optional", inlineMs: 0, onRestart: "replay" } }, () => {
      runs++;
      return new Promise<string>(() => {});
    });
  void call(await clientOf(worker), "long");
  for (let at = 0; at < 20; at++) await clock.advance(leaseMs);
  expect(runs).toBe(1);
});

test("run of tasks without a server is refused", async () => {
  expect(await failureOf(tasks(serverTasks).run("one"))).toMatchObject({
    code: "invalid-definition",
    message: expect.stringContaining("createServer"),
  });
});

test("an exception during the announcement of a change is reported, and the change stays", async () => {
  const { client, calling, engine, errors } = await running();
  const task = await calling;
  const thrown = new Error("no stream");
  engine.engine.voices.set(task.taskId, {
    changed: () => {
      throw thrown;
    },
  });
  await cancelTask(client, task);
  expect(await getTask(client, task)).toMatchObject({ status: "cancelled" });
  expect(errors).toContain(thrown);
});

test("of processes that sweep at once, the one that removed a task reports that it expired", async () => {
  const { store, memory } = storeOf();
  const events: string[] = [];
  const options = { keys, store, onEvent: ({ type }: { type: string }) => void events.push(type) };
  const both = [serverOf(options), serverOf(options)];
  await memory.create(expired("old"));
  await Promise.all(both.map(({ engine }) => engine.engine.sweep()));
  expect(events).toEqual(["expired"]);
});

test("timers of progress do not keep a process alive", async () => {
  let kept = 0;
  class Counting extends VirtualClock {
    override schedule(callback: () => void, delay: number): unknown {
      const timer = super.schedule(callback, delay);
      kept++;
      return Object.assign(Object(timer) as object, { unref: () => kept--, timer });
    }
    override clear(timer: unknown): void {
      super.clear((timer as { readonly timer: unknown } | undefined)?.timer);
    }
  }
  const clock = new Counting(1_000_000);
  const served = serverOf({}, {}, clock);
  served.server.tool("slow", { task: detached }, (_, { progress }) => {
    reported = progress;
    return new Promise<never>(() => {});
  });
  let reported!: (progress: number, total?: number, message?: string) => void;
  const calling = call(await clientOf(served), "slow");
  await clock.advance(0);
  await calling;
  reported(1, 9, "one");
  const before = kept;
  reported(2, 9, "two");
  expect(kept).toBe(before);
});
