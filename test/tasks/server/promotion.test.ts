import {
  cancelTask,
  getTask,
  updateTask,
} from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/client";
import { McpError, type HandlerContext } from "@mcpgen/runtime";
import { memoryTaskStore } from "@mcpgen/tasks";
import { expect, test } from "vitest";
import { failureOf } from "../../support/failure-of.js";
import { call, clientOf, deferred, serverOf, settled, text } from "./served.js";

const optional = { support: "optional" } as const;
const secret = "a secret of sixteen characters";

test("no task is stored if a handler ends within inlineMs", async () => {
  const store = memoryTaskStore();
  const served = serverOf({ store, keys: [secret] });
  const gate = deferred();
  served.server.tool("quick", { task: optional }, () => "at once");
  served.server.tool("soon", { task: optional }, async () => {
    await gate.promise;
    return "soon";
  });
  const client = await clientOf(served);
  expect(await call(client, "quick")).toMatchObject({ content: text("at once") });
  const soon = call(client, "soon");
  await served.clock.advance(999);
  expect(store.size).toBe(0);
  gate.resolve();
  expect(await soon).toMatchObject({ content: text("soon") });
  expect(store.size).toBe(0);
});

test("a call that takes longer than inlineMs becomes a task, which clients poll for its result", async () => {
  const served = serverOf();
  const gate = deferred<string>();
  served.server.tool("slow", { task: { support: "optional", inlineMs: 10 } }, () => gate.promise);
  const client = await clientOf(served);
  const calling = call(client, "slow");
  await served.clock.advance(10);
  const task = await calling;
  expect(task).toMatchObject({
    resultType: "task",
    status: "working",
    ttlMs: 3_600_000,
    pollIntervalMs: 1000,
  });
  expect(task.taskId).toMatch(/^[\w-]{43}$/);
  expect(await getTask(client, task)).toMatchObject({ status: "working", taskId: task.taskId });
  gate.resolve("done");
  await served.clock.advance(0);
  const ended = await getTask(client, task);
  expect(ended).toMatchObject({
    status: "completed",
    result: { resultType: "complete", content: text("done") },
  });
  expect(await getTask(client, task)).toEqual(ended);
});

test("a tool's own failure completes the task; a JSON-RPC error fails it", async () => {
  const served = serverOf();
  served.server.tool("odd", { task: optional }, (_, { task }) => {
    task?.detach();
    throw new Error("the disk is full");
  });
  served.server.tool("broken", { task: optional }, async (_, { task }) => {
    task?.detach();
    await Promise.resolve();
    throw new McpError("invalid-params", "no such report", { rpcCode: -32602, data: { report: 7 } });
  });
  const client = await clientOf(served);
  const odd = await call(client, "odd");
  const broken = await call(client, "broken");
  await served.clock.advance(0);
  expect(await getTask(client, odd)).toMatchObject({
    status: "completed",
    result: { isError: true, content: text("the disk is full") },
  });
  expect(await getTask(client, broken)).toMatchObject({
    status: "failed",
    statusMessage: "no such report",
    error: { code: -32602, message: "no such report", data: { report: 7 } },
  });
  expect(served.errors).toHaveLength(1);
});

test("a client without the extension is served inline; a tool that requires it refuses before all else", async () => {
  const served = serverOf();
  let ran = 0;
  const handler = async (_: unknown, { task }: HandlerContext): Promise<string> => {
    ran++;
    task?.detach();
    await Promise.resolve();
    return "done";
  };
  const inputSchema = { type: "object", required: ["id"] } as const;
  served.server.tool("may", { task: optional }, handler);
  served.server.tool("must", { inputSchema, task: { support: "required" } }, handler);
  served.server.tool("never", { task: { support: "forbidden" } }, handler);
  const plain = await clientOf(served, { extensions: [] });
  expect(await call(plain, "may")).toMatchObject({ content: text("done") });
  expect(await failureOf(call(plain, "must", { wrong: 1 }))).toMatchObject({
    rpcCode: -32021,
    data: { requiredCapabilities: { extensions: { "io.modelcontextprotocol/tasks": {} } } },
  });
  expect(ran).toBe(1);
  const client = await clientOf(served);
  expect(await call(client, "never")).toMatchObject({ content: text("done") });
  const old = await clientOf(served, { revision: "2025-11-25", extensions: [] });
  expect(await call(old, "may")).toMatchObject({ content: text("done") });
});

test("the member task is not part of the listed tool, and is checked", async () => {
  const served = serverOf();
  served.server.tool("may", { task: optional }, () => "done");
  const client = await clientOf(served);
  const { tools } = await client.request<{ tools: object[] }>("tools/list", {});
  expect(tools[0]).toMatchObject({ name: "may" });
  expect(tools[0]).not.toHaveProperty("task");
  const register = (task: unknown) => () => served.server.tool("x", { task: task as never }, () => "done");
  expect(register({ support: "always" })).toThrow(
    'tool "x": task.support: expected optional or required or forbidden',
  );
  expect(register({ support: "optional", inlineMS: 1 })).toThrow(/task\.inlineMS: there is no such option/);
  expect(register(true)).toThrow('tool "x": task: expected { support: "optional" }');
});

test("E04, E05: asks before the task are rounds, asks of the task wait for answers by tasks/update", async () => {
  const served = serverOf();
  const runs: string[] = [];
  const form = (message: string) =>
    ({ message, requestedSchema: { type: "object", properties: { ok: { type: "boolean" } } } }) as const;
  served.server.tool("steps", { task: optional }, async (_, { ask, once, task }) => {
    runs.push("run");
    const first = await ask.elicit("first", form("before"));
    const token = await once("token", () => `token ${runs.length}`);
    task?.detach();
    const { one, two } = await ask.all({
      one: { method: "elicitation/create", params: { mode: "form", ...form("one") } },
      two: { method: "elicitation/create", params: { mode: "form", ...form("two") } },
    });
    return [first.action, token, one.action, two.action].join(" ");
  });
  const client = await clientOf(served, { elicit: () => ({ action: "accept", content: { ok: true } }) });
  const task = await call(client, "steps");
  await served.clock.advance(0);
  const waiting = await getTask(client, task);
  expect(waiting).toMatchObject({
    status: "input_required",
    inputRequests: { one: { method: "elicitation/create" }, two: { params: { message: "two" } } },
  });
  const answer = { action: "accept", content: { ok: true } } as const;
  await updateTask(client, { ...task, inputResponses: { two: answer, first: answer, never: answer } });
  const half = await getTask(client, task);
  expect(Object.keys((half as { inputRequests: object }).inputRequests)).toEqual(["one"]);
  const careless = await clientOf(served, { validation: { send: "off" } });
  const wrong = { ...task, inputResponses: { one: { action: 7 } as never } };
  expect(await failureOf(updateTask(careless, wrong))).toMatchObject({ rpcCode: -32602 });
  await updateTask(client, { ...task, inputResponses: { one: { action: "decline" } } });
  expect(await settled(client, task)).toMatchObject({
    status: "completed",
    result: { content: text("accept token 2 decline accept") },
  });
});

test("E09: cancelling aborts the handler's signal; the status is final; a second time gets the same answer", async () => {
  const served = serverOf();
  const aborted = deferred<unknown>();
  served.server.tool("long", { task: optional }, (_, { task, signal }) => {
    task?.detach();
    return new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => {
        aborted.resolve(signal.reason);
        reject(signal.reason as Error);
      });
    });
  });
  const client = await clientOf(served);
  const task = await call(client, "long");
  expect(Object.keys(await cancelTask(client, task))).not.toContain("status");
  expect(await aborted.promise).toMatchObject({ code: "cancelled" });
  await served.clock.advance(0);
  expect(await getTask(client, task)).toMatchObject({ status: "cancelled" });
  expect(await cancelTask(client, task)).toBeDefined();
  expect(await getTask(client, task)).toMatchObject({ status: "cancelled" });
  expect(served.errors).toEqual([]);
});

test("before it becomes a task, a call ends with its request: the signal aborts, and no task is stored", async () => {
  const store = memoryTaskStore();
  const served = serverOf({ store, keys: [secret] });
  const [started, aborted] = [deferred(), deferred()];
  served.server.tool("long", { task: optional }, (_, { signal }) => {
    started.resolve();
    return new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => {
        aborted.resolve();
        reject(signal.reason as Error);
      });
    });
  });
  const client = await clientOf(served);
  const controller = new AbortController();
  const calling = failureOf(client.callTool("long", {}, { signal: controller.signal }));
  await started.promise;
  controller.abort();
  await aborted.promise;
  expect(await calling).toMatchObject({ code: "cancelled" });
  await served.clock.advance(5000);
  expect(store.size).toBe(0);
});

test("after it has become a task, a call survives its connection", async () => {
  const served = serverOf();
  const gate = deferred<string>();
  served.server.tool("slow", { task: optional }, (_, { task }) => {
    task?.detach();
    return gate.promise;
  });
  const first = await clientOf(served);
  const task = await call(first, "slow");
  await first.close();
  gate.resolve("still here");
  await served.clock.advance(0);
  expect(await getTask(await clientOf(served), task)).toMatchObject({
    status: "completed",
    result: { content: text("still here") },
  });
});

test("progress from before the task, and while it is being stored, is its message", async () => {
  const memory = memoryTaskStore();
  const [creating, stored] = [deferred(), deferred()];
  const writes: string[] = [];
  const store: typeof memory = {
    ...memory,
    create: async (task) => {
      writes.push(`create ${task.message}`);
      creating.resolve();
      await stored.promise;
      await memory.create(task);
    },
    replace: (task, version) => (writes.push(`replace ${task.message}`), memory.replace(task, version)),
  };
  const served = serverOf({ store, keys: ["a secret of sixteen characters"] });
  const go = deferred();
  served.server.tool("slow", { task: optional }, async (_, { task, progress }) => {
    progress(1, 3, "before");
    task?.detach();
    await go.promise;
    progress(2, 3, "meanwhile");
    return new Promise<never>(() => {});
  });
  const client = await clientOf(served);
  const called = call(client, "slow");
  await creating.promise;
  expect(writes).toEqual(["create before"]);
  go.resolve();
  await served.clock.advance(0);
  stored.resolve();
  const { taskId } = await called;
  await served.clock.advance(0);
  expect(await getTask(client, { taskId })).toMatchObject({ status: "working", statusMessage: "meanwhile" });
  expect(writes).toEqual(["create before", "replace meanwhile"]);
});

test("a text for the model is the first message of a task", async () => {
  const served = serverOf();
  served.server.tool("mails", { task: { ...optional, immediate: "By mail." } }, (_, { task }) => {
    task?.detach();
    return new Promise<never>(() => {});
  });
  expect(await call(await clientOf(served), "mails")).toMatchObject({ statusMessage: "By mail." });
});

test("progress becomes the status message, one change a second", async () => {
  const served = serverOf();
  const steps = [deferred(), deferred()];
  served.server.tool("slow", { task: optional }, async (_, { task, progress, log }) => {
    task?.detach();
    log("info", "not for the client");
    await steps[0]!.promise;
    for (let page = 1; page <= 50; page++) progress(page, 50, `page ${page}`);
    await steps[1]!.promise;
    return "done";
  });
  const client = await clientOf(served);
  const task = await call(client, "slow");
  await served.clock.advance(0);
  steps[0]!.resolve();
  await served.clock.advance(0);
  expect(await getTask(client, task)).toMatchObject({ statusMessage: "page 1" });
  await served.clock.advance(1000);
  expect(await getTask(client, task)).toMatchObject({ status: "working", statusMessage: "page 50" });
  steps[1]!.resolve();
  await served.clock.advance(0);
  expect(await getTask(client, task)).toMatchObject({ status: "completed" });
});
