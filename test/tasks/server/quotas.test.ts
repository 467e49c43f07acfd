import { cancelTask, getTask } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/client";
import { McpError } from "@mcpgen/runtime";
import { type TasksOptions, memoryTaskStore } from "@mcpgen/tasks";
import { expect, test } from "vitest";
import { failureOf } from "../../support/failure-of.js";
import { sampleTask } from "../../support/store-rules/task-store-rules.mjs";
import { call, clientOf, deferred, serverOf, settled } from "./served.js";
import { wired } from "./wire.js";

test("limits: a client with too many tasks is served inline, or refused where the tool requires tasks", async () => {
  const served = serverOf({ limits: { work: 1 } });
  for (const support of ["optional", "required"] as const)
    served.server.tool(support, { task: { support } }, async ({ seconds }, { task, signal }) => {
      task?.detach();
      if (!task || task.id !== undefined || seconds === undefined) return "inline";
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("over"))));
    });
  const client = await clientOf(served);
  const first = await call(client, "optional", { seconds: 1 });
  expect(first.resultType).toBe("task");
  expect(await call(client, "optional")).toMatchObject({ content: [{ text: "inline" }] });
  expect(await failureOf(call(client, "required"))).toMatchObject({
    rpcCode: -32600,
    data: { limit: "limits.work" },
  });
  const other = await clientOf(served, { principal: "bob" });
  expect((await call(other, "required", { seconds: 1 })).resultType).toBe("task");
  await cancelTask(client, first);
  await served.clock.advance(0);
  expect((await call(client, "required", { seconds: 1 })).resultType).toBe("task");
});

test("limits: tasks in a minute, and the size of a result", async () => {
  const served = serverOf({ limits: { work: 1, memory: 2000 } });
  served.server.tool("long", { task: { support: "required" } }, ({ size }, { task }) => {
    task?.detach();
    return "x".repeat(Number(size ?? 1));
  });
  const client = await clientOf(served);
  const large = await call(client, "long", { size: 300 });
  const error = { message: "the result has more than 200 characters", data: { limit: "limits.memory" } };
  expect(await settled(client, large)).toMatchObject({ status: "failed", error });
  for (let more = 0; more < 5; more++) await settled(client, await call(client, "long"));
  expect(await failureOf(call(client, "long"))).toMatchObject({ data: { limit: "limits.work" } });
  await served.clock.advance(60_000);
  expect((await call(client, "long")).resultType).toBe("task");
});

const keys = ["a secret of sixteen characters"];

/** A server whose tools answer with as many characters as their argument says. */
async function sized(options: TasksOptions) {
  const served = serverOf(options);
  for (const support of ["optional", "required"] as const)
    served.server.tool(support, { task: { support } }, ({ size = 1 }, { task }) => {
      task?.detach();
      return task?.id === undefined && size === 0 ? "inline" : "x".repeat(Number(size));
    });
  return { ...served, client: await clientOf(served) };
}

test.each([
  ["in memory", {}],
  ["of other processes", { store: memoryTaskStore(), keys }],
] as const)("limits: tasks that a store %s has, those that have ended included", async (_, where) => {
  const { client, clock, server, engine } = await sized({ ...where, limits: { work: 1 }, keepMs: 5000 });
  const ended = { owner: "ann", status: "completed", dueAt: clock.wallTime() + 5000 } as const;
  for (let count = 0; count < 98; count++)
    await engine.engine.store.create(sampleTask(`task ${count}`, ended));
  const first = await call(client, "required");
  await settled(client, first);
  await settled(client, await call(client, "required"));
  const refused = { rpcCode: -32600, data: { limit: "limits.work" } };
  expect(await failureOf(call(client, "required"))).toMatchObject(refused);
  expect((await call(await clientOf({ server, clock }, { principal: "bob" }), "required")).resultType).toBe(
    "task",
  );
  await clock.advance(7000);
  expect(await failureOf(getTask(client, first))).toMatchObject({ rpcCode: -32602 });
  expect((await call(client, "required")).resultType).toBe("task");
});

test.each([
  ["in memory", {}],
  ["of other processes", { store: memoryTaskStore(), keys }],
] as const)("limits: a result for which a store %s has no room fails its task", async (_, where) => {
  const { client, clock } = await sized({ ...where, limits: { memory: 12_000 }, keepMs: 5000 });
  for (let count = 0; count < 11; count++) {
    const task = await call(client, "required", { size: 1000 });
    expect(await settled(client, task)).toMatchObject({ status: "completed" });
  }
  const last = await call(client, "required", { size: 1000 });
  const limit = "limits.memory";
  expect(await settled(client, last)).toMatchObject({
    status: "failed",
    error: { code: -32603, message: `the result is too large (${limit})`, data: { limit } },
  });
  await clock.advance(7000);
  const next = await call(client, "required", { size: 1000 });
  expect(await settled(client, next)).toMatchObject({ status: "completed" });
});

test("limits: calls that come together count one another", async () => {
  const served = serverOf({ limits: { work: 3 }, store: memoryTaskStore(), keys });
  served.server.tool("long", { task: { support: "required" } }, (_, { task }) => {
    task?.detach();
    return never();
  });
  const client = await clientOf(served);
  const all = await Promise.allSettled(Array.from({ length: 8 }, () => call(client, "long")));
  expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
});

test("limits: a call that the store refuses does not run: its signal aborts", async () => {
  const served = serverOf({ limits: { memory: 1000 }, store: memoryTaskStore(), keys });
  const text = "x".repeat(600);
  const signals: AbortSignal[] = [];
  served.server.tool("long", { task: { support: "required" } }, (_, { task, signal }) => {
    signals.push(signal as AbortSignal);
    task?.detach();
    return new Promise(() => {});
  });
  const client = await clientOf(served);
  const { taskId } = await call(client, "long", { text });
  expect(await failureOf(call(client, "long", { text }))).toMatchObject({ data: { limit: "limits.memory" } });
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);
  // What was refused does not count as running.
  expect(await getTask(client, { taskId })).toMatchObject({ status: "working" });
});

test("limits: polls that come too early are refused, and none of a client that heeds the interval", async () => {
  const served = await sized({ pollMs: 1000, limits: { work: 100 } });
  const { client, clock } = served;
  const task = await call(client, "required");
  const polls = async (count: number): Promise<string[]> => {
    const codes: string[] = [];
    for (let poll = 0; poll < count; poll++)
      codes.push(
        await getTask(client, task).then(
          ({ status }) => status,
          ({ code }: McpError) => code,
        ),
      );
    return codes;
  };
  expect(await polls(62)).toEqual([...Array<string>(61).fill("completed"), "rate-limited"]);
  const refused = await failureOf(getTask(client, task));
  expect(refused).toMatchObject({ rpcCode: -31429, data: { limit: "pollMs", retryAfterMs: 500 } });
  await clock.advance(500);
  expect(await polls(2)).toEqual(["completed", "rate-limited"]);
  // As early as the interval with a jitter of a tenth allows, for a hundred polls; another task has its own count.
  for (let poll = 0; poll < 100; poll++) {
    await clock.advance(poll % 7 === 0 ? 900 : 1000);
    expect((await getTask(client, task)).status).toBe("completed");
  }
  expect((await getTask(client, await call(client, "required"))).taskId).not.toBe(task.taskId);
});

test.each(["2025-11-25", "2026-07-28"] as const)(
  "%s, HTTP: a poll that comes too early gets 429 with Retry-After",
  async (revision) => {
    const served = await sized({ pollMs: 4000, limits: { work: 100 } });
    const peer = await (await wired(served.server, "HTTP"))({ revision });
    const { taskId } = await peer.start("required");
    const statuses: number[] = [];
    for (let poll = 0; poll < 62; poll++) {
      const { status, retryAfter, error } = await peer.request("tasks/get", { taskId });
      statuses.push(status!);
      if (status !== 429) continue;
      expect(retryAfter).toBe("2");
      expect(error).toMatchObject({ code: -31429, data: { retryAfterMs: 2000 } });
    }
    expect(statuses).toEqual([...Array<number>(61).fill(200), 429]);
  },
);

const never = (): Promise<never> => new Promise(() => {});

test("limits: tasks in the queue count as running", async () => {
  const store = memoryTaskStore();
  const served = serverOf({ store, keys, executor: { enqueue: () => {} }, limits: { work: 2 } });
  served.server.tool("long", { task: { support: "required", inlineMs: 0 } }, never);
  const client = await clientOf(served);
  const first = await call(client, "long");
  await call(client, "long");
  const refused = { data: { limit: "limits.work" } };
  expect(await failureOf(call(client, "long"))).toMatchObject(refused);
  // Handed over again, it counts once.
  await served.clock.advance(20_000);
  await cancelTask(client, first);
  expect((await call(client, "long")).resultType).toBe("task");
  expect(await failureOf(call(client, "long"))).toMatchObject(refused);
  // A worker elsewhere ends one: this process sees that at its next sweep.
  const all = await store.list!("ann", undefined, 9);
  const working = all.find(({ status }) => status === "working")!;
  await store.replace({ ...working, status: "completed", version: working.version + 1 }, working.version);
  await served.clock.advance(2000);
  expect((await call(client, "long")).resultType).toBe("task");
});

test("limits: runs that continue after input wait for a free place", async () => {
  const served = serverOf({ limits: { work: 1 } });
  const gate = deferred();
  served.server.tool("asks", { task: { support: "required" } }, async (_, { ask, task }) => {
    task?.detach();
    await ask.elicit("ok", { message: "ok?", requestedSchema: { type: "object", properties: {} } });
    return "done";
  });
  served.server.tool("long", { task: { support: "required" } }, async (_, { task }) => {
    task?.detach();
    await gate.promise;
    return "late";
  });
  const client = await clientOf(served, { elicit: () => ({ action: "decline" }) });
  const { taskId } = await call(client, "asks");
  expect(await settled(client, { taskId })).toMatchObject({ status: "input_required" });
  const long = await call(client, "long");
  const inputResponses = { ok: { action: "accept", content: {} } };
  await client.request("tasks/update" as string, { taskId, inputResponses });
  await served.clock.advance(3000);
  expect(served.engine.engine.runs.size).toBe(1);
  await cancelTask(client, long);
  // The handler does not heed its signal: it has the place.
  await served.clock.advance(10_000);
  expect(await getTask(client, { taskId })).toMatchObject({ status: "working" });
  gate.resolve();
  await served.clock.advance(10_000);
  expect(await settled(client, { taskId })).toMatchObject({ status: "completed" });
});

test("limits: an effect of context.once for which there is no room fails the task, and its signal aborts", async () => {
  const served = serverOf({ limits: { memory: 2000 } });
  const seen: unknown[] = [];
  served.server.tool("long", { task: { support: "required" } }, async (_, { once, task, signal }) => {
    task?.detach();
    await once("few", () => "x".repeat(500));
    await once("many", () => "x".repeat(2000)).catch((error: McpError) =>
      seen.push(error.code, signal.aborted),
    );
    return never();
  });
  const client = await clientOf(served);
  const task = await call(client, "long");
  await served.clock.advance(0);
  expect(await settled(client, task)).toMatchObject({
    status: "failed",
    error: { message: "an effect is too large (limits.memory)", data: { limit: "limits.memory" } },
  });
  expect(seen).toEqual(["limit-exceeded", true]);
});

test("limits: an answer for which there is no room is refused; the task waits on, and takes a smaller one", async () => {
  const served = serverOf({ limits: { memory: 2000 } });
  served.server.tool("asks", { task: { support: "required" } }, async (_, { ask, task }) => {
    task?.detach();
    return (await ask.elicit("ok", { message: "ok?", requestedSchema: { type: "object", properties: {} } }))
      .action;
  });
  const client = await clientOf(served, { elicit: () => ({ action: "decline" }) });
  const { taskId } = await call(client, "asks");
  expect(await settled(client, { taskId })).toMatchObject({ status: "input_required" });
  const answer = (text: string) => ({ ok: { action: "accept", content: { text } } });
  const update = (text: string) =>
    client.request("tasks/update" as string, { taskId, inputResponses: answer(text) });
  const refused = { rpcCode: -32600, data: { limit: "limits.memory" } };
  expect(await failureOf(update("x".repeat(2000)))).toMatchObject(refused);
  expect(await getTask(client, { taskId })).toMatchObject({ status: "input_required" });
  await update("x");
  await served.clock.advance(0);
  expect(await settled(client, { taskId })).toMatchObject({ status: "completed" });
});

test("limits: an error of a handler that is too long fails the task in other words", async () => {
  const served = serverOf({ limits: { memory: 20_000 } });
  served.server.tool("long", { task: { support: "required" } }, async (_, { task }) => {
    task?.detach();
    await Promise.resolve();
    throw new McpError("invalid-params", "no", { rpcCode: -32602, data: { text: "x".repeat(3000) } });
  });
  const client = await clientOf(served);
  const task = await call(client, "long");
  await served.clock.advance(0);
  expect(await settled(client, task)).toMatchObject({
    status: "failed",
    error: { message: "the error has more than 2000 characters", data: { limit: "limits.memory" } },
  });
});

test("limits: a task that was cancelled has its place until its handler has ended", async () => {
  const served = serverOf({ limits: { work: 2 } });
  let running = 0;
  const ends: (() => void)[] = [];
  served.server.tool("deaf", { task: { support: "required" } }, (_, { task }) => {
    task?.detach();
    running++;
    return new Promise<string>((resolve) => {
      ends.push(() => {
        running--;
        resolve("late");
      });
    });
  });
  const client = await clientOf(served);
  for (let round = 0; round < 2; round++) {
    await cancelTask(client, await call(client, "deaf"));
    await served.clock.advance(2000);
  }
  expect(await failureOf(call(client, "deaf"))).toMatchObject({ data: { limit: "limits.work" } });
  expect(running).toBe(2);
  ends.shift()!();
  await served.clock.advance(0);
  expect((await call(client, "deaf")).resultType).toBe("task");
  expect(await failureOf(call(client, "deaf"))).toMatchObject({ data: { limit: "limits.work" } });
});
