import { setImmediate as turn } from "node:timers/promises";
import { tasks as clientExtension } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/client";
import { tasks as serverExtension } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/server";
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { createServer } from "@mcpgen/runtime";
import { VirtualClock, createTestPair } from "@mcpgen/testing";
import { tasks as serverTasks } from "@mcpgen/tasks";
import { type ClientTasksOptions, type TaskHandle, tasks } from "@mcpgen/tasks/client";
import { expect, onTestFinished, test, vi } from "vitest";
import { type Script, ScriptedServer, clientOf, extensionDeclared, taskAt } from "./scripted.js";

const text = (value: string) => [{ type: "text", text: value }];

/** A server whose tool takes as long as its argument says, in milliseconds of the clock. */
async function serving(options: ClientTasksOptions = {}) {
  const clock = new VirtualClock(1000);
  const polls: string[] = [];
  const extension = serverTasks(serverExtension, {
    leaseMs: 7_200_000,
    onEvent: ({ type, id = "" }) => type === "read" && polls.push(id),
  });
  onTestFinished(() => extension.close());
  const server = createServer(
    { name: "s", version: "1" },
    { revisions: serverRevisions, extensions: [extension], clock },
  );
  const inputSchema = { type: "object", properties: { ms: { type: "number" } }, required: ["ms"] } as const;
  server.tool("slow", { inputSchema, task: { support: "optional" } }, async ({ ms }, { task }) => {
    task?.detach();
    await new Promise<void>((resolve) => clock.schedule(resolve, ms));
    return `after ${ms}`;
  });
  server.tool("asks", { task: { support: "optional" } }, async (_, { ask, task }) => {
    task?.detach();
    await new Promise<void>((resolve) => clock.schedule(resolve, 5000));
    const answer = await ask.elicit("name", {
      message: "?",
      requestedSchema: { type: "object", properties: {} },
    });
    return answer.action;
  });
  const own = tasks(clientExtension, options);
  const pair = await createTestPair({
    server,
    clock,
    revisions: clientRevisions,
    extensions: [own],
    elicit: () => ({ action: "accept", content: {} }),
  });
  onTestFinished(() => pair.close());
  const sent = (from: "client" | "server", method: string): readonly object[] =>
    pair.wire
      .messages(from)
      .flatMap((message) => ("method" in message && message.method === method ? [message.params!] : []));
  const listens = (): string[][] =>
    sent("client", "subscriptions/listen").map(
      (params) =>
        (params as { readonly notifications: { readonly taskIds: string[] } }).notifications.taskIds,
    );
  const ends = (): number => sent("client", "notifications/cancelled").length;
  /** Resolves when a subscription has begun: without it, a little time passes. */
  const subscribed = async (count: number): Promise<void> => {
    const acknowledged = (): number => sent("server", "notifications/subscriptions/acknowledged").length;
    for (let tries = 0; acknowledged() < count && tries < 60; tries++) await through(clock, turn(), 10);
    await expect.poll(() => acknowledged()).toBe(count);
  };
  return { clock, polls, own, client: pair.client, sent, listens, ends, subscribed };
}

/** Moves the time until the promise settles. Ids are made and code is loaded outside the timers. */
async function through<Value>(clock: VirtualClock, work: Promise<Value>, step = 500): Promise<Value> {
  const state = { isOver: false };
  const end = (): void => void (state.isOver = true);
  work.then(end, end);
  while (!state.isOver) {
    for (let count = 0; count < 8; count++) await crypto.subtle.digest("SHA-256", new Uint8Array(1));
    await turn();
    await clock.advance(step);
  }
  return work;
}

test("B16: with push, a task of a minute is polled at most 3 times; without, at most 61 times", async () => {
  for (const [push, most] of [
    [true, 3],
    [false, 61],
  ] as const) {
    const { clock, client, polls, listens, subscribed } = await serving({ push });
    const call = client.callTool("slow", { ms: 60_000 });
    if (push) await subscribed(1);
    const result = await through(clock, call);
    expect(result.content).toEqual(text("after 60000"));
    expect(polls.length).toBeLessThanOrEqual(most);
    expect(polls.length).toBeGreaterThan(0);
    expect(listens()).toHaveLength(push ? 1 : 0);
  }
});

test("one subscription for a burst of tasks, renewed when tasks come, closed when none are left", async () => {
  const { clock, own, listens, ends, subscribed } = await serving();
  const start = async (ms: number): Promise<TaskHandle> => (await own.start("slow", { ms })) as TaskHandle;
  const first = await Promise.all([10_000, 11_000, 12_000, 13_000].map(start));
  const results = Promise.all(first.map((handle) => handle.result()));
  await subscribed(1);
  const ids = first.map(({ id }) => id);
  expect(listens()).toEqual([ids]);
  const later = await start(20_000);
  const last = later.result();
  await subscribed(2);
  expect(listens()).toEqual([ids, [...ids, later.id]]);
  // The old one has ended.
  await expect.poll(() => ends()).toBe(1);
  await through(clock, Promise.all([results, last]));
  for (let tries = 0; tries < 20 && ends() < 2; tries++) await through(clock, turn(), 100);
  await expect.poll(() => ends()).toBe(2);
  expect(listens()).toHaveLength(2);
});

test("an announced question is answered at once", async () => {
  const { clock, client, polls, sent, subscribed } = await serving();
  const call = client.callTool("asks");
  await subscribed(1);
  while (clock.now() < 8000) await through(clock, turn(), 100);
  // No time passes.
  await expect.poll(() => sent("client", "tasks/update")).toHaveLength(1);
  expect(polls.length).toBeLessThanOrEqual(1);
  expect((await through(clock, call)).content).toEqual(text("accept"));
});

/** A clock that calls all timers of a step, then waits once. */
class StepClock {
  #now = 0;
  readonly #timers = new Map<object, { readonly due: number; readonly call: () => void }>();
  now = (): number => this.#now;
  schedule = (call: () => void, delay: number): object => {
    const timer = {};
    this.#timers.set(timer, { due: this.#now + delay, call });
    return timer;
  };
  clear = (timer: unknown): void => void this.#timers.delete(timer as object);
  async step(ms: number): Promise<void> {
    this.#now += ms;
    for (const [timer, { due, call }] of this.#timers)
      if (due <= this.#now) {
        this.#timers.delete(timer);
        call();
      }
    await turn();
  }
}

test("1,000 tasks of different intervals each keep their own", async () => {
  vi.spyOn(Math, "random").mockReturnValue(0);
  onTestFinished(() => void vi.restoreAllMocks());
  const clock = new StepClock();
  const times = new Map<string, number[]>();
  const intervalOf = (id: string): number => 100 + Number(id);
  const server = new ScriptedServer("2026-07-28", extensionDeclared, {
    "tools/call": (_, count) => ({ ...taskAt("working", String(count), 100 + count), resultType: "task" }),
    "tasks/get": ({ taskId }) => {
      const id = taskId as string;
      times.set(id, [...(times.get(id) ?? []), clock.now()]);
      const isOver = times.get(id)!.length === 3;
      const task = taskAt(isOver ? "completed" : "working", id, intervalOf(id));
      return isOver ? { ...task, result: { resultType: "complete", content: [] } } : task;
    },
  });
  const { client } = await clientOf(server, { push: false }, { clock });
  const calls = Promise.all(Array.from({ length: 1000 }, () => client.callTool("slow")));
  const state = { isOver: false };
  void calls.then(() => (state.isOver = true));
  for (let steps = 0; !state.isOver && steps < 2000; steps++) await clock.step(5);
  expect(times.size).toBe(1000);
  for (const [id, at] of times) {
    const gaps = at.map((time, index) => time - (at[index - 1] ?? 0));
    for (const gap of gaps) {
      expect(gap).toBeGreaterThanOrEqual(intervalOf(id));
      expect(gap).toBeLessThanOrEqual(intervalOf(id) + 25);
    }
  }
});

/** A server whose task takes a minute, and that listens as `listen` says. */
function announcing(listen: Script, clock: VirtualClock): ScriptedServer {
  return new ScriptedServer("2026-07-28", extensionDeclared, {
    "tools/call": () => ({ ...taskAt("working"), resultType: "task" }),
    "tasks/get": () => {
      if (clock.now() < 60_000) return taskAt("working");
      return { ...taskAt("completed"), result: { resultType: "complete", content: text("done") } };
    },
    "subscriptions/listen": listen,
  });
}

const subscriptionId = "io.modelcontextprotocol/subscriptionId";

/** Acknowledges a subscription. */
const acknowledge = (server: ScriptedServer, id: unknown, taskIds: readonly string[]): void =>
  server.notify("notifications/subscriptions/acknowledged", {
    notifications: { taskIds },
    _meta: { [subscriptionId]: id },
  });

test.each([
  ["agrees to no task", (server: ScriptedServer, id: unknown) => void acknowledge(server, id, [])],
  ["has no subscriptions", () => ({ error: { code: -32601, message: "no" } })],
  ["refuses", () => ({ error: { code: -32603, message: "no" } })],
] as const)("a server that %s is polled", async (_, listen) => {
  const clock = new VirtualClock();
  const server: ScriptedServer = announcing((__, ___, id) => listen(server, id) as undefined, clock);
  const { client } = await clientOf(server, {}, { clock });
  expect((await through(clock, client.callTool("slow"))).content).toEqual(text("done"));
  expect(server.params("tasks/get").length).toBeGreaterThan(50);
});

test("if a subscription ends in between, polls continue without loss, and it is opened again", async () => {
  const clock = new VirtualClock();
  let end!: () => void;
  const server: ScriptedServer = announcing((_, __, id) => {
    acknowledge(server, id, ["one"]);
    return new Promise(
      (resolve) => (end = () => resolve({ resultType: "complete", _meta: { [subscriptionId]: id } })),
    );
  }, clock);
  const { client } = await clientOf(server, {}, { clock });
  const call = client.callTool("slow");
  await through(clock, turn(), 5000);
  const polls = (): number => server.params("tasks/get").length;
  const before = polls();
  expect(before).toBeLessThanOrEqual(2);
  end();
  await through(clock, turn(), 10_000);
  expect(polls()).toBeGreaterThan(before + 4);
  for (let count = 0; count < 5; count++) await through(clock, turn(), 5000);
  expect(server.params("subscriptions/listen")).toHaveLength(2);
  expect((await through(clock, call)).content).toEqual(text("done"));
});

test("an announced end needs no poll, and an older state after it has no effect", async () => {
  const clock = new VirtualClock();
  let id: unknown;
  const server: ScriptedServer = announcing((_, __, own) => {
    id = own;
    acknowledge(server, own, ["one"]);
    return undefined;
  }, clock);
  const { own } = await clientOf(server, {}, { clock });
  const handle = (await own.start("slow")) as TaskHandle;
  const seen: string[] = [];
  const reading = (async () => {
    for await (const { statusMessage = "" } of handle.updates()) seen.push(statusMessage);
  })();
  await through(clock, turn(), 2500);
  const announce = (status: string, statusMessage: string, second: number, more: object = {}): void =>
    server.notify("notifications/tasks", {
      ...taskAt(status),
      statusMessage,
      lastUpdatedAt: `2026-01-01T00:00:0${second}Z`,
      _meta: { [subscriptionId]: id },
      ...more,
    });
  announce("working", "second", 2);
  await through(clock, turn(), 10);
  announce("working", "first", 1);
  await through(clock, turn(), 10);
  const polls = server.params("tasks/get").length;
  announce("completed", "third", 3, { result: { resultType: "complete", content: text("announced") } });
  announce("working", "fourth", 4);
  expect(await through(clock, handle.result(), 10)).toMatchObject({ content: text("announced") });
  await reading;
  expect(seen).toEqual(["", "second", "third"]);
  expect(server.params("tasks/get")).toHaveLength(polls);
});

test("notifications about other tasks, and notifications without a valid task, are dropped", async () => {
  const clock = new VirtualClock();
  const server: ScriptedServer = announcing((_, __, id) => {
    acknowledge(server, id, ["one", "other"]);
    const _meta = { [subscriptionId]: id };
    server.notify("notifications/tasks", { ...taskAt("cancelled", "other"), _meta });
    server.notify("notifications/tasks", { taskId: "one", status: "melted", _meta });
    server.notify("notifications/tasks", { ...taskAt("cancelled"), _meta: { [subscriptionId]: "stray" } });
    return undefined;
  }, clock);
  const { client } = await clientOf(server, {}, { clock });
  expect((await through(clock, client.callTool("slow"))).content).toEqual(text("done"));
});
