import { tasks as clientExtension } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/client";
import { tasks as serverExtension } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/server";
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { type Client, type ConnectOptions, McpError, type Server, createServer } from "@mcpgen/runtime";
import { VirtualClock, createTestPair } from "@mcpgen/testing";
import { memoryTaskStore, tasks as serverTasks } from "@mcpgen/tasks";
import { type ClientTasksOptions, type StoredHandle, TaskHandle, tasks } from "@mcpgen/tasks/client";
import { expect, onTestFinished, test } from "vitest";
import { failureOf } from "../../support/failure-of.js";

const store = () => ({ store: memoryTaskStore(), keys: ["a secret of sixteen characters"] });
const text = (value: string) => [{ type: "text", text: value }];
const form = {
  message: "Your name?",
  requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
} as const;

/** A server whose tools take as long as their argument says, in milliseconds of the clock. */
function serving(clock: VirtualClock, pollMs = 1000): { readonly server: Server; readonly polls: string[] } {
  const polls: string[] = [];
  const options = { ...store(), pollMs, leaseMs: 7_200_000 };
  const extension = serverTasks(serverExtension, {
    ...options,
    onEvent: ({ type, id }) => type === "read" && polls.push(id),
  });
  const server = createServer(
    { name: "s", version: "1" },
    { revisions: serverRevisions, extensions: [extension], clock, onEvent: () => true },
  );
  onTestFinished(() => extension.close());
  const after = (ms: number): Promise<void> => new Promise((resolve) => clock.schedule(resolve, ms));
  const task = { support: "optional", inlineMs: 0 } as const;
  const inputSchema = { type: "object", properties: { ms: { type: "number" } }, required: ["ms"] } as const;
  server.tool("quick", { task }, () => "at once");
  server.tool("must", { task: { support: "required" } }, () => "must");
  server.tool("slow", { inputSchema, task }, async ({ ms }, { task: own }) => {
    own?.detach();
    await after(ms);
    return `after ${ms}`;
  });
  server.tool("broken", { task }, async (_, { task: own }) => {
    own?.detach();
    await after(10);
    throw new McpError("invalid-params", "no such report", { rpcCode: -32602 });
  });
  server.tool("asks", { task }, async (_, { ask, task: own }) => {
    own?.detach();
    const answer = await ask.elicit("name", form);
    return answer.action === "accept" ? `Hello, ${answer.content.name}` : answer.action;
  });
  return { server, polls };
}

async function clientOf(
  server: Server,
  clock: VirtualClock,
  options: ClientTasksOptions = {},
  more: Partial<ConnectOptions> = {},
) {
  const extension = tasks(clientExtension, options);
  const pair = await createTestPair({
    server,
    clock,
    revisions: clientRevisions,
    extensions: [extension],
    onEvent: () => true,
    ...more,
  });
  onTestFinished(() => pair.close());
  return { client: pair.client, tasks: extension, close: () => pair.close() };
}

/** Resolves after the ids that are being made: keys and codes are computed outside the event loop, in order. */
async function idsMade(): Promise<void> {
  for (let step = 0; step < 8; step++) await crypto.subtle.digest("SHA-256", new Uint8Array(1));
}

/** Moves the time until the promise settles. */
async function during<Value>(clock: VirtualClock, work: Promise<Value>, step = 500): Promise<Value> {
  const state = { isOver: false };
  const end = (): void => void (state.isOver = true);
  work.then(end, end);
  while (!state.isOver) {
    await idsMade();
    await clock.advance(step);
  }
  return work;
}

const calling = (client: Client, name: string, args: object = {}) => client.callTool(name, args);

test("callTool resolves with the result of a task, like for a plain call", async () => {
  const clock = new VirtualClock(1000);
  const { server, polls } = serving(clock);
  const { client } = await clientOf(server, clock);
  expect((await calling(client, "quick")).content).toEqual(text("at once"));
  const result = await during(clock, calling(client, "slow", { ms: 3000 }));
  expect(result.content).toEqual(text("after 3000"));
  expect(polls.length).toBeLessThanOrEqual(4);
});

test("B16: a task of a minute is polled at most 61 times; many tasks keep the interval of each", async () => {
  const clock = new VirtualClock(1000);
  const { server, polls } = serving(clock);
  const slower = serving(clock, 5000);
  const { tasks: own } = await clientOf(server, clock, { push: false });
  const other = await clientOf(slower.server, clock, { push: false });
  const started = await Promise.all([
    own.start("slow", { ms: 60_000 }),
    other.tasks.start("slow", { ms: 60_000 }),
  ]);
  await during(clock, Promise.all(started.map((handle) => (handle as TaskHandle).result())));
  expect(polls.length).toBeGreaterThan(20);
  expect(polls.length).toBeLessThanOrEqual(61);
  expect(slower.polls.length).toBeLessThanOrEqual(13);
});

test("a failed task rejects with its error", async () => {
  const clock = new VirtualClock(1000);
  const { client } = await clientOf(serving(clock).server, clock);
  const failed = await during(clock, failureOf(calling(client, "broken")));
  expect(failed).toMatchObject({ code: "remote-error", rpcCode: -32602, message: "no such report" });
});

test("input comes from the handlers of the client, once for each key", async () => {
  const clock = new VirtualClock(1000);
  let asked = 0;
  const elicit = () => {
    asked++;
    return { action: "accept", content: { name: "Ada" } } as const;
  };
  const { client } = await clientOf(serving(clock).server, clock, {}, { elicit });
  expect((await during(clock, calling(client, "asks"))).content).toEqual(text("Hello, Ada"));
  expect(asked).toBe(1);
});

test.each([
  ["cancel", "cancelled"],
  ["detach", "working"],
] as const)("the signal of a call aborts: %s", async (onAbort, status) => {
  const clock = new VirtualClock(1000);
  const { server } = serving(clock);
  const handles = new Map<string, StoredHandle>();
  const kept = {
    put: (handle: StoredHandle) => void handles.set(handle.taskId, handle),
    delete: ({ taskId }: StoredHandle) => void handles.delete(taskId),
  };
  const { client, tasks: own } = await clientOf(server, clock, { onAbort, handles: kept });
  const controller = new AbortController();
  const call = failureOf(client.callTool("slow", { ms: 60_000 }, { signal: controller.signal }));
  for (; handles.size === 0; await clock.advance(10)) await idsMade();
  const [handle] = handles.values();
  controller.abort();
  expect(await call).toMatchObject({ code: "cancelled" });
  const resumed = own.resume(handle!);
  for (let turn = 0; turn < 1000 && (await resumed.status()).status !== status; turn++)
    await clock.advance(1);
  expect(await resumed.status()).toMatchObject({ status });
});

test("start gives a handle: states, updates, result", async () => {
  const clock = new VirtualClock(1000);
  const { tasks: own } = await clientOf(serving(clock).server, clock);
  expect(await own.start("quick")).toMatchObject({ content: text("at once") });
  const handle = (await own.start("slow", { ms: 2500 })) as TaskHandle;
  expect(handle).toBeInstanceOf(TaskHandle);
  const createdAt = new Date(clock.now()).toISOString();
  expect(handle.toJSON()).toEqual({ taskId: handle.id, endpoint: "s", tool: "slow", createdAt, answers: {} });
  expect(await handle.status()).toMatchObject({ status: "working" });
  const seen: string[] = [];
  const reading = (async () => {
    for await (const { status } of handle.updates()) seen.push(status);
  })();
  expect(await during(clock, handle.result())).toMatchObject({ content: text("after 2500") });
  await reading;
  expect(seen).toEqual(["working", "completed"]);
});

test("onTask gets the handle of a call that became a task, while callTool waits", async () => {
  const clock = new VirtualClock(1000);
  const seen: string[] = [];
  const onTask = (handle: TaskHandle): void =>
    void (async () => {
      for await (const { status } of handle.updates()) seen.push(status);
    })();
  const { client } = await clientOf(serving(clock).server, clock, { onTask });
  await calling(client, "quick");
  expect(seen).toEqual([]);
  const result = await during(clock, calling(client, "slow", { ms: 2500 }));
  expect(result.content).toEqual(text("after 2500"));
  expect(seen).toEqual(["working", "completed"]);
});

test("cancel and detach of a handle", async () => {
  const clock = new VirtualClock(1000);
  const { tasks: own } = await clientOf(serving(clock).server, clock);
  const first = (await own.start("slow", { ms: 60_000 })) as TaskHandle;
  await first.cancel();
  expect(await during(clock, failureOf(first.result()))).toMatchObject({ code: "cancelled" });
  const second = (await own.start("slow", { ms: 60_000 })) as TaskHandle;
  const waiting = failureOf(second.result());
  second.detach();
  expect(await during(clock, waiting)).toMatchObject({ message: "the task was detached" });
  expect(await second.status()).toMatchObject({ status: "working" });
});

test("B17: a client that ends after its user has answered: another one goes on, and does not ask again", async () => {
  const clock = new VirtualClock(1000);
  const { server } = serving(clock);
  const disk = new Map<string, string>();
  const dead = { value: false };
  const handles = {
    put: (handle: StoredHandle) => {
      disk.set(handle.taskId, JSON.stringify(handle));
      // The process ends when the answer is stored, and before it is sent.
      if (Object.keys(handle.answers).length > 0) dead.value = true;
      return dead.value ? new Promise<void>(() => {}) : undefined;
    },
    delete: ({ taskId }: StoredHandle) => void disk.delete(taskId),
  };
  let asked = 0;
  const elicit = () => {
    asked++;
    return { action: "accept", content: { name: "Ada" } } as const;
  };
  const first = await clientOf(server, clock, { handles }, { elicit });
  void failureOf(calling(first.client, "asks"));
  for (; !dead.value; await clock.advance(500)) await idsMade();
  await first.close();
  const second = await clientOf(server, clock, {}, { elicit });
  const [stored] = disk.values();
  const handle = second.tasks.resume(JSON.parse(stored!) as StoredHandle);
  expect(await during(clock, handle.result())).toMatchObject({ content: text("Hello, Ada") });
  expect(asked).toBe(1);
});

test("a tasks() belongs to one client, and a handle needs one", async () => {
  const clock = new VirtualClock(1000);
  const { server } = serving(clock);
  const own = tasks(clientExtension);
  expect(() => own.resume({ taskId: "x", answers: {} })).toThrow(/no client has them/);
  const connecting = () => createTestPair({ server, clock, revisions: clientRevisions, extensions: [own] });
  const pair = await connecting();
  onTestFinished(() => pair.close());
  expect(await failureOf(connecting())).toMatchObject({ code: "invalid-definition" });
  expect(() => tasks(clientExtension, { minPolMs: 1 } as never)).toThrow(/no such option/);
});

test("2025-11-25: the same calls, as tasks of the core of the protocol", async () => {
  const clock = new VirtualClock(1000);
  const { server, polls } = serving(clock);
  const elicit = () => ({ action: "accept", content: { name: "Ada" } }) as const;
  const handles = new Map<string, StoredHandle>();
  const kept = {
    put: (handle: StoredHandle) => void handles.set(handle.taskId, handle),
    delete: ({ taskId }: StoredHandle) => void handles.delete(taskId),
  };
  const { client, tasks: own } = await clientOf(
    server,
    clock,
    { handles: kept },
    { elicit, revision: "2025-11-25" },
  );
  expect((await during(clock, calling(client, "must"))).content).toEqual(text("must"));
  expect((await calling(client, "quick")).content).toEqual(text("at once"));
  const started = async (name: string, args: object = {}): Promise<TaskHandle> =>
    (await own.start(name, args)) as TaskHandle;
  polls.length = 0;
  const slow = await started("slow", { ms: 60_000 });
  expect(await during(clock, slow.result())).toMatchObject({ content: text("after 60000") });
  expect(polls.length).toBeLessThanOrEqual(63);
  expect(await during(clock, (await started("asks")).result())).toMatchObject({
    content: text("Hello, Ada"),
  });
  const broken = await started("broken");
  expect(await during(clock, failureOf(broken.result()))).toMatchObject({
    code: "remote-error",
    rpcCode: -32602,
  });
  const cancelled = await started("slow", { ms: 60_000 });
  await cancelled.cancel();
  expect(await during(clock, failureOf(cancelled.result()))).toMatchObject({ code: "cancelled" });
  // A task of a client that has ended.
  const left = (await started("slow", { ms: 3000 })).toJSON();
  const other = await clientOf(server, clock, {}, { revision: "2025-11-25" });
  const resumed = other.tasks.resume(left);
  expect(await during(clock, resumed.result())).toMatchObject({ content: text("after 3000") });
  expect([...handles.keys()]).toEqual([left.taskId]);
});
