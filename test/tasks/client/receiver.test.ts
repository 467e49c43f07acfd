import { McpError, userRejected } from "@mcpgen/runtime";
import { heard } from "../../support/heard.mjs";
import { expect, test } from "vitest";
import { deferred, form, prompt, running, type Message, type RawServer } from "./raw-server.js";

// Tasks that clients run (2025-11-25, tasks), by the ids of the list of requirements, C01 to C23.

const relatedKey = "io.modelcontextprotocol/related-task";
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const modelMessage = {
  role: "assistant" as const,
  model: "m",
  content: { type: "text" as const, text: "hello" },
};

/** A client whose user and model answer when the test says so. */
async function asked(run: NonNullable<Parameters<typeof running>[0]> = {}, more: object = {}) {
  const answer = deferred<{ action: "accept"; content: { name: string } }>();
  const message = deferred<typeof modelMessage>();
  const signals: AbortSignal[] = [];
  const seen: object[] = [];
  const opened = await running(run, {
    elicit: {
      form: (params, { signal }) => {
        seen.push(params);
        signals.push(signal as AbortSignal);
        return answer.promise;
      },
      url: () => ({ action: "accept" }),
    },
    sample: (_, context) => {
      signals.push(context.signal as AbortSignal);
      context.progress(1, 2, "thinking");
      return message.promise;
    },
    ...more,
  });
  const create = async (
    method = "elicitation/create",
    params: object = form,
    task: object = {},
  ): Promise<Message["result"]["task"]> =>
    (await opened.server.request(method, { ...params, task })).result.task;
  return { ...opened, answer, message, signals, seen, create };
}

const ann = { action: "accept", content: { name: "Ann" } } as const;
const result = (server: RawServer, taskId: string) => server.request("tasks/result", { taskId });
const get = (server: RawServer, taskId: string) => server.request("tasks/get", { taskId });

test("C01: the client declares the requests that it has functions for, only at revisions with tasks", async () => {
  const elicit = () => ({ action: "decline" }) as const;
  const sample = () => modelMessage;
  const sampling = { createMessage: {} };
  const elicitation = { create: {} };
  const both = { list: {}, cancel: {}, requests: { sampling, elicitation } };
  expect((await running({}, { elicit, sample })).declared.tasks).toEqual(both);
  expect((await running({}, { sample })).declared.tasks).toEqual({ ...both, requests: { sampling } });
  expect((await running({}, { elicit })).declared.tasks).toEqual({ ...both, requests: { elicitation } });
  expect((await running({})).declared).not.toHaveProperty("tasks");
  expect((await running(undefined, { elicit })).declared).not.toHaveProperty("tasks");
});

test("options are checked", async () => {
  await expect(running({ sampling: true } as never)).rejects.toThrow(
    "receiver: sampling: the option is gone.",
  );
  await expect(running({ quotas: { most: 1 } } as never)).rejects.toThrow(
    "receiver: quotas: the option is gone.",
  );
});

test("C05: without the declaration, the request is processed, and its task ignored", async () => {
  const elicit = () => ann;
  const { server } = await running(undefined, { elicit });
  const { result: found } = await server.request("elicitation/create", { ...form, task: { ttl: 1 } });
  expect(found).toEqual(ann);
  expect((await get(server, "x")).error).toMatchObject({ code: -32601 });
});

test("C06, C07, C09: a task is created at once and works, with times, ttl and interval", async () => {
  const { create, server, seen } = await asked({ keepMs: 1000 });
  const task = await create("elicitation/create", form, { ttl: 9e9 });
  expect(task).toMatchObject({ status: "working", ttl: 1000, pollInterval: 5000 });
  expect(task.taskId).toMatch(/^[\da-f]{32}$/);
  expect(task.createdAt).toMatch(isoTime);
  expect(task.lastUpdatedAt).toMatch(isoTime);
  expect((await create("elicitation/create", form, { ttl: 10 })).ttl).toBe(10);
  expect((await create("sampling/createMessage", prompt)).taskId).not.toBe(task.taskId);
  const { result: found } = await get(server, task.taskId);
  expect(found).toMatchObject({ taskId: task.taskId, status: "working", createdAt: task.createdAt });
  expect(found._meta?.[relatedKey]).toBeUndefined();
  expect(seen[0]).toEqual(form);
});

test("C12, C16: tasks/result waits for the end, and is the result of the request with its task", async () => {
  const { create, server, answer, message } = await asked();
  const { taskId } = await create();
  const created = await create("sampling/createMessage", prompt);
  const waiting = [taskId, created.taskId].map((id) =>
    server.request("tasks/result", { taskId: id, _meta: { [relatedKey]: { taskId: "other" } } }),
  );
  expect((await get(server, taskId)).result.status).toBe("working");
  expect(server.heard.filter(({ id, method }) => method === undefined && id === 3)).toEqual([]);
  answer.resolve(ann);
  message.resolve(modelMessage);
  const related = (id: string) => ({ _meta: { [relatedKey]: { taskId: id } } });
  expect((await waiting[0]!).result).toEqual({ ...ann, ...related(taskId) });
  expect((await waiting[1]!).result).toEqual({ ...modelMessage, ...related(created.taskId) });
  // As often as the server asks.
  expect((await result(server, taskId)).result).toEqual({ ...ann, ...related(taskId) });
  expect((await get(server, taskId)).result.status).toBe("completed");
});

test("C08, C17: the end is announced once, after the answer that names the task", async () => {
  const { create, server } = await asked({}, { elicit: () => ann });
  const { taskId } = await create();
  const { params } = await server.next("notifications/tasks/status");
  expect(params).toMatchObject({ taskId, status: "completed" });
  expect(params!["_meta"]).toBeUndefined();
  const order = server.heard.map(({ method, result: found }) => method ?? Object.keys(found)[0]);
  expect(order.slice(-2)).toEqual(["task", "notifications/tasks/status"]);
});

test("C12, C13: an error of the request becomes the error of the task", async () => {
  const errors: unknown[] = [];
  const { create, server } = await asked(
    {},
    {
      sample: () => {
        throw userRejected();
      },
      elicit: () => {
        throw new Error("disk full");
      },
      onEvent: heard({ handlerError: (error: unknown) => errors.push(error) }),
    },
  );
  const { taskId } = await create("sampling/createMessage", prompt);
  const { error } = await result(server, taskId);
  expect(error).toEqual({ code: -1, message: "the user rejected the request" });
  expect((await get(server, taskId)).result).toMatchObject({
    status: "failed",
    statusMessage: "the user rejected the request",
  });
  const broken = await create();
  for (const _ of [1, 2])
    expect((await result(server, broken.taskId)).error).toEqual({
      code: -32603,
      message: "the client failed to answer",
    });
  expect(errors).toMatchObject([{ message: "disk full" }]);
  // What the functions of the client would never see.
  const page = { mode: "url", message: "m", url: "file:///etc", elicitationId: "e" };
  const unsafe = await create("elicitation/create", page);
  expect((await result(server, unsafe.taskId)).error).toMatchObject({ code: -32602 });
});

test("both modes of elicitation run as tasks", async () => {
  const { create, server } = await asked();
  const page = { mode: "url", message: "m", url: "https://example.com/", elicitationId: "e" };
  const { taskId } = await create("elicitation/create", page);
  expect((await result(server, taskId)).result).toMatchObject({ action: "accept" });
});

test("C15: answers to requests of a task of the server name it", async () => {
  const { create, server } = await asked({}, { elicit: () => ann });
  const _meta = { [relatedKey]: { taskId: "theirs" } };
  expect((await server.request("elicitation/create", { ...form, _meta })).result).toEqual({ ...ann, _meta });
  const created = (await server.request("elicitation/create", { ...form, _meta, task: {} })).result;
  expect(created._meta).toEqual(_meta);
  const { taskId } = created.task;
  expect((await result(server, taskId)).result._meta).toEqual({ [relatedKey]: { taskId } });
  expect((await create()).taskId).not.toBe(taskId);
});

test("C15, C18: progress goes on after the answer with its token and its task, until the end", async () => {
  const go = deferred();
  let report!: (progress: number, total?: number, message?: string) => void;
  const { server, clock } = await running(
    {},
    {
      sample: async (_, { progress }) => {
        report = progress;
        progress(1, 3, "first");
        await go.promise;
        return modelMessage;
      },
    },
  );
  const params = { ...prompt, task: {}, _meta: { progressToken: "t" } };
  const { taskId } = (await server.request("sampling/createMessage", params)).result.task;
  const first = await server.next("notifications/progress");
  expect(first.params).toEqual({
    progressToken: "t",
    progress: 1,
    total: 3,
    message: "first",
    _meta: { [relatedKey]: { taskId } },
  });
  expect((await get(server, taskId)).result.statusMessage).toBe("first");
  report(2, 3, "too soon for the status");
  expect((await get(server, taskId)).result.statusMessage).toBe("first");
  await clock.advance(1000);
  report(2.5, 3, "third");
  expect((await get(server, taskId)).result.statusMessage).toBe("third");
  go.resolve();
  await result(server, taskId);
  report(3);
  await get(server, taskId);
  const sent = server.heard.filter(({ method }) => method === "notifications/progress");
  expect(sent.map(({ params: found }) => found!["progress"])).toEqual([1, 2, 2.5]);
});

test("C19: the list has all tasks, page by page, and takes only its own cursors", async () => {
  const { create, server } = await asked({}, { elicit: () => ann });
  const ids: string[] = [];
  for (let count = 0; count < 205; count++) ids.push((await create()).taskId);
  const found: string[] = [];
  let cursor: string | undefined;
  const cursors = new Set<string | undefined>();
  const sizes: number[] = [];
  do {
    const page: Message = await server.request("tasks/list", cursor === undefined ? {} : { cursor });
    sizes.push(page.result.tasks.length);
    found.push(...page.result.tasks.map(({ taskId }) => taskId));
    cursor = page.result.nextCursor;
    cursors.add(cursor);
  } while (cursor !== undefined);
  expect(sizes).toEqual([100, 100, 5]);
  expect(found.toSorted()).toEqual(ids.toSorted());
  // A cursor is the id of a task.
  for (const wrong of ["", "x", ids.find((id) => !cursors.has(id))!])
    expect((await server.request("tasks/list", { cursor: wrong })).error).toMatchObject({ code: -32602 });
});

test("C20: a task is cancelled before the answer, stays so, and cannot be cancelled twice", async () => {
  const { create, server, answer, signals } = await asked();
  const { taskId } = await create();
  const waiting = result(server, taskId);
  const { result: cancelled } = await server.request("tasks/cancel", { taskId });
  expect(cancelled).toMatchObject({ taskId, status: "cancelled" });
  expect(signals[0]!.aborted).toBe(true);
  answer.resolve(ann);
  expect((await waiting).error).toEqual({ code: -32603, message: "the task was cancelled" });
  expect((await get(server, taskId)).result.status).toBe("cancelled");
  expect((await server.request("tasks/cancel", { taskId })).error).toMatchObject({ code: -32602 });
});

test("C20: the cancellation of the request leaves its task alone", async () => {
  const { server, answer, signals } = await asked();
  const { taskId } = (await server.request("elicitation/create", { ...form, task: {} }, 700)).result.task;
  server.send({ method: "notifications/cancelled", params: { requestId: 700 } });
  const waiting = server.request("tasks/result", { taskId }, 701);
  server.send({ method: "notifications/cancelled", params: { requestId: 701 } });
  await get(server, taskId);
  expect(signals[0]!.aborted).toBe(false);
  answer.resolve(ann);
  expect((await result(server, taskId)).result).toMatchObject(ann);
  expect(server.heard.some(({ id, method }) => id === 701 && method === undefined)).toBe(false);
  void waiting;
});

test("C21, C22: unknown, forged and expired ids are refused alike", async () => {
  const { create, server, clock } = await asked({ keepMs: 5000 }, { elicit: () => ann });
  const { taskId } = await create();
  await result(server, taskId);
  await clock.advance(4000);
  expect((await get(server, taskId)).result.status).toBe("completed");
  await clock.advance(3000);
  const errors = new Set<string>();
  for (const id of [taskId, "", "__proto__", taskId.toUpperCase(), "0".repeat(32), "x".repeat(100_000)])
    for (const method of ["tasks/get", "tasks/result", "tasks/cancel"])
      errors.add(JSON.stringify((await server.request(method, { taskId: id })).error));
  expect([...errors]).toEqual([JSON.stringify({ code: -32602, message: "there is no such task" })]);
  expect((await server.request("tasks/list")).result.tasks).toEqual([]);
  expect((await server.request("tasks/get", { taskId: 1 })).error).toMatchObject({ code: -32602 });
});

test("C23: a task that runs does not expire, but fails after maxRunMs", async () => {
  const { create, server, clock, signals } = await asked({ keepMs: 1000, maxRunMs: 60_000 });
  const { taskId } = await create("elicitation/create", form, { ttl: 1 });
  await clock.advance(50_000);
  expect((await get(server, taskId)).result.status).toBe("working");
  const waiting = result(server, taskId);
  await clock.advance(11_000);
  expect((await waiting).error).toEqual({ code: -32603, message: "the client gave no answer in time" });
  expect(signals[0]!.aborted).toBe(true);
});

test("C23: the timer ends with the last task", async () => {
  const { create, clock } = await asked({ keepMs: 1000 }, { elicit: () => ann });
  const idle = clock.waiting;
  await create();
  expect(clock.waiting).toBe(idle + 1);
  await clock.advance(5000);
  expect(clock.waiting).toBe(idle);
});

test("C23: a hostile server reaches the quotas, and harms neither plain requests nor later tasks", async () => {
  const events: object[] = [];
  const { create, server, answer, client } = await asked();
  client.onEvent((event) => event.type === "limit-hit" && events.push(event));
  const own: { readonly taskId: string }[] = [];
  for (let number = 0; number < 32; number++) own.push(await create());
  const floods = Array.from({ length: 1000 }, () =>
    server.request("elicitation/create", { ...form, task: {} }),
  );
  for (const flood of await Promise.all(floods))
    expect(flood.error).toMatchObject({
      code: -32600,
      data: { limit: "receiver.quotas.running", value: 32 },
    });
  expect(events[0]).toMatchObject({ type: "limit-hit", limit: "receiver.quotas.running" });
  const waits = Array.from({ length: 300 }, () => result(server, own[0]!.taskId));
  const refused = await Promise.all(waits.slice(256));
  expect(new Set(refused.map(({ error }) => error?.code))).toEqual(new Set([-32600]));
  expect((await server.request("ping")).result).toEqual({});
  answer.resolve(ann);
  for (const wait of waits.slice(0, 256)) expect((await wait).result).toMatchObject(ann);
  const later = await create();
  expect((await result(server, later.taskId)).result).toMatchObject(ann);
});

test("C23: tasks whose result was fetched, or that were cancelled, give way to new ones", async () => {
  const { create, server } = await asked({}, { elicit: () => ann });
  const first = await create();
  await result(server, first.taskId);
  const others = [];
  for (let number = 1; number < 256; number++) others.push(await create());
  for (const { taskId } of others)
    await server.next("notifications/tasks/status", ({ taskId: id }) => id === taskId);
  const last = await create();
  expect(last.status).toBe("working");
  expect((await get(server, first.taskId)).error).toMatchObject({ code: -32602 });
  const { error } = await server.request("elicitation/create", { ...form, task: {} });
  expect(error).toMatchObject({ code: -32600, data: { limit: "receiver.quotas.stored" } });
  for (const { taskId } of others) expect((await result(server, taskId)).result).toMatchObject(ann);
});

test("C23: characters of requests and results are counted", async () => {
  const long = "x".repeat(9_000_000);
  const { server } = await running(
    {},
    { elicit: () => ann, sample: () => ({ ...modelMessage, model: long }) },
  );
  const big = { ...form, message: "y".repeat(16_777_216) };
  const { error } = await server.request("elicitation/create", { ...big, task: {} });
  expect(error).toMatchObject({ code: -32600, data: { limit: "receiver.quotas.bytes" } });
  const create = async () =>
    (await server.request("sampling/createMessage", { ...prompt, task: {} })).result.task;
  const one = await create();
  await server.next("notifications/tasks/status", ({ taskId }) => taskId === one.taskId);
  const other = await create();
  expect((await result(server, other.taskId)).error).toMatchObject({ code: -32600 });
  expect((await result(server, one.taskId)).result).toMatchObject({ model: long });
  // The result of the first gives way.
  const third = await create();
  expect(
    (await server.request("elicitation/create", { ...form, message: "z".repeat(900), task: {} })).result.task
      .status,
  ).toBe("working");
  expect(third.status).toBe("working");
});

test("four waits for results do not keep the user from being asked", async () => {
  const { create, server, answer, seen } = await asked({}, { limits: { maxQuestions: 1 } });
  const { taskId } = await create();
  const waits = Array.from({ length: 4 }, () => result(server, taskId));
  expect((await get(server, taskId)).result.status).toBe("working");
  expect(seen).toHaveLength(1);
  answer.resolve(ann);
  for (const wait of waits) expect((await wait).result).toMatchObject(ann);
});

test("a task of the wrong type, and a task that is not an object, are refused", async () => {
  const roots = () => [];
  const { server } = await asked({}, { roots });
  // No task can be had for it: what is not declared is ignored.
  expect((await server.request("roots/list", { task: {} })).result).toEqual({ roots: [] });
  for (const task of [1, "x", [], { ttl: "1" }, { ttl: 1.5 }])
    expect((await server.request("elicitation/create", { ...form, task })).error).toMatchObject({
      code: -32602,
    });
  const { task } = (await server.request("elicitation/create", { ...form, task: { ttl: -5 } })).result;
  expect(task.ttl).toBe(1);
});

test("the end of the client aborts running handlers", async () => {
  const { create, client, signals } = await asked();
  await create();
  await client.close();
  await Promise.resolve();
  expect(signals[0]!.reason).toBeInstanceOf(McpError);
});

test("at revisions without tasks, nothing is declared, and nothing is a task", async () => {
  const { server, declared } = await running({}, { elicit: () => ann }, "2025-06-18");
  expect(declared.tasks).toBeUndefined();
  const { result: found } = await server.request("elicitation/create", { ...form, task: {} });
  expect(found).toEqual(ann);
  for (const method of ["tasks/get", "tasks/result", "tasks/cancel", "tasks/list"])
    expect((await server.request(method, { taskId: "x" })).error).toMatchObject({ code: -32601 });
});
