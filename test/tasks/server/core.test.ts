import { McpError } from "@mcpgen/runtime";
import { memoryTaskStore } from "@mcpgen/tasks";
import { expect, test } from "vitest";
import { call, clientOf, deferred, serverOf, text } from "./served.js";
import { type Message, type RawTask, type Result, RawClient } from "./raw.js";

// 2025-11-25, tasks: the rules by the ids of the list of requirements, C01 to C23.

const relatedKey = "io.modelcontextprotocol/related-task";
const form = {
  message: "Your name?",
  requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
} as const;

async function opened(
  options: Parameters<typeof serverOf>[0] = {},
  capabilities: object = { elicitation: {} },
) {
  const served = serverOf(options);
  const { server } = served;
  const gate = deferred<unknown>();
  server.tool("plain", {}, () => "plain");
  server.tool("may", { task: { support: "optional" } }, async (_, { progress }) => {
    progress(1, 2, "half");
    return (await gate.promise) as string;
  });
  server.tool("must", { task: { support: "required" } }, () => "done");
  server.tool("never", { task: { support: "forbidden" } }, () => "done");
  server.tool("asks", { task: { support: "optional" } }, async (_, { ask, once }) => {
    const before = await once("before", () => "once");
    const answer = await ask.elicit("name", form);
    return answer.action === "accept" ? `${before} ${answer.content.name}` : answer.action;
  });
  const client = new RawClient(server, "ann");
  const { result } = await client.open(capabilities);
  const start = async (name: string, task: object = {}, more: object = {}): Promise<RawTask> => {
    const { result: created, error } = await client.request("tools/call", {
      name,
      arguments: {},
      task,
      ...more,
    });
    return created?.task ?? (error as object as RawTask);
  };
  const other = async (principal: string): Promise<RawClient> => {
    const another = new RawClient(server, principal);
    await another.open();
    return another;
  };
  return { ...served, client, gate, start, other, declared: result.capabilities };
}

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

test("C01, C22: the server declares the requests that it serves, and no list if clients are unauthenticated", async () => {
  const { declared, server, other } = await opened();
  expect(declared.tasks).toEqual({ cancel: {}, requests: { tools: { call: {} } } });
  expect((await opened({ list: true })).declared.tasks).toHaveProperty("list", {});
  const bare = serverOf();
  bare.server.tool("plain", {}, () => "plain");
  const client = new RawClient(bare.server, "");
  expect((await client.open()).result.capabilities).not.toHaveProperty("tasks");
  const old = new RawClient(server, "");
  expect((await old.open({}, "2025-06-18")).result.capabilities).not.toHaveProperty("tasks");
  expect((await (await other("ann")).request("tasks/list")).error).toMatchObject({ code: -32601 });
});

test("C04: the list of tools says which run as tasks, and calls that do not fit are refused with -32601", async () => {
  const { client, start } = await opened();
  const { result } = await client.request("tools/list");
  const support = Object.fromEntries(result.tools.map((tool) => [tool.name, tool.execution?.taskSupport]));
  expect(support).toEqual({
    plain: undefined,
    may: "optional",
    must: "required",
    never: undefined,
    asks: "optional",
  });
  for (const name of ["plain", "never"]) expect(await start(name)).toMatchObject({ code: -32601 });
  const { error } = await client.request("tools/call", { name: "must", arguments: {} });
  expect(error).toMatchObject({ code: -32601 });
  expect((await client.request("tools/call", { name: "plain", arguments: {} })).result.content).toEqual(
    text("plain"),
  );
});

test("C05: a server that has not declared tasks ignores params.task", async () => {
  const bare = serverOf();
  bare.server.tool("plain", {}, () => "plain");
  const client = new RawClient(bare.server, "");
  await client.open();
  const { result } = await client.request("tools/call", {
    name: "plain",
    arguments: {},
    task: { ttl: 1000 },
  });
  expect(result.content).toEqual(text("plain"));
});

test("C06, C07, C09: a task is created at once and works, with times, ttl and interval", async () => {
  const { start, client } = await opened();
  const task = await start("may", { ttl: 60_000 });
  expect(task).toMatchObject({ status: "working", ttl: 60_000, pollInterval: 1000 });
  expect(task.taskId).toMatch(/^[\w-]{43}$/);
  expect(task.createdAt).toMatch(isoTime);
  expect(task.lastUpdatedAt).toMatch(isoTime);
  expect((await start("may")).taskId).not.toBe(task.taskId);
  expect((await start("may", { ttl: 9e9 })).ttl).toBe(3_600_000);
  const { result } = await client.request("tasks/get", { taskId: task.taskId });
  expect(result).toMatchObject({ taskId: task.taskId, status: "working", createdAt: task.createdAt });
  // C16: the id is inside of the structure.
  expect(result._meta?.[relatedKey]).toBeUndefined();
});

test("C12, C16: tasks/result waits for the end, and is the result of the call with its task", async () => {
  const { client, start, gate } = await opened();
  const { taskId } = await start("may");
  let isAnswered = false;
  const waiting = client.request("tasks/result", { taskId }).then((message) => {
    isAnswered = true;
    return message;
  });
  await client.request("ping");
  expect(isAnswered).toBe(false);
  gate.resolve("the text");
  const { result } = await waiting;
  expect(result).toEqual({ content: text("the text"), _meta: { [relatedKey]: { taskId } } });
  expect((await client.request("tasks/result", { taskId })).result).toEqual(result);
});

test("C13: a tool's own failure and a JSON-RPC error are failures; the result is exactly either", async () => {
  const { server, client, start } = await opened();
  server.tool("odd", { task: { support: "optional" } }, () => ({
    content: [{ type: "text", text: "odd" }],
    isError: true,
  }));
  const { taskId } = await start("odd");
  const { result } = await client.request("tasks/result", { taskId });
  expect(result).toMatchObject({ content: text("odd"), isError: true });
  expect((await client.request("tasks/get", { taskId })).result).toMatchObject({
    status: "failed",
    statusMessage: "odd",
  });
});

test("C12: a JSON-RPC error of the handler is the answer to tasks/result", async () => {
  const { server, client, start } = await opened();
  server.tool("broken", { task: { support: "optional" } }, () => {
    throw new McpError("invalid-params", "no such report", { rpcCode: -32602, data: { report: 7 } });
  });
  const { taskId } = await start("broken");
  const error = { code: -32602, message: "no such report", data: { report: 7 } };
  expect((await client.request("tasks/result", { taskId })).error).toEqual(error);
  expect((await client.request("tasks/get", { taskId })).result).toMatchObject({ status: "failed" });
});

test("≤ 2025-06-18: calls run inline; a tool that requires tasks fails, and says why", async () => {
  const { server } = await opened();
  const old = new RawClient(server, "ann");
  await old.open({}, "2025-06-18");
  server.tool("quick", { task: { support: "optional" } }, () => "done");
  expect((await old.request("tools/call", { name: "quick", task: {} })).result.content).toEqual(text("done"));
  expect((await old.request("tools/call", { name: "must" })).result).toEqual({
    content: text("must runs as a task: it needs a client with tasks"),
    isError: true,
  });
  for (const method of ["tasks/get", "tasks/result"])
    expect((await old.request(method, { taskId: "x" })).error).toMatchObject({ code: -32601 });
});

test("C14, C15: a task that needs input asks, each request with its task", async () => {
  const { client, start } = await opened();
  const asked: Message[] = [];
  client.answer = (request) => {
    asked.push(request);
    return { result: { action: "accept", content: { name: "Ada" } } };
  };
  const { taskId } = await start("asks");
  const { result } = await client.request("tasks/result", { taskId });
  expect(asked).toHaveLength(1);
  expect(asked[0]).toMatchObject({
    method: "elicitation/create",
    params: { message: "Your name?", _meta: { [relatedKey]: { taskId } } },
  });
  expect(result.content).toEqual(text("once Ada"));
});

test("an error of the client in place of an answer ends the task", async () => {
  const { client, start } = await opened();
  const { taskId } = await start("asks");
  client.answer = () => ({ error: { code: -1, message: "User rejected the request" } });
  const { error } = await client.request("tasks/result", { taskId });
  expect(error).toMatchObject({ code: -32603, message: "User rejected the request" });
  expect((await client.request("tasks/get", { taskId })).result).toMatchObject({ status: "failed" });
});

test("C16, C17: the client gets each status of its task, without the id in _meta", async () => {
  const { client, start, clock, other } = await opened();
  const { taskId } = await start("asks");
  await clock.advance(0);
  client.answer = () => ({ result: { action: "accept", content: { name: "Ada" } } });
  await client.request("tasks/result", { taskId });
  const heard = client.heard.filter(({ method }) => method === "notifications/tasks/status");
  expect(heard.map(({ params }) => (params as RawTask).status)).toEqual([
    "input_required",
    "working",
    "completed",
  ]);
  const { _meta, ...state } = (await client.request("tasks/get", { taskId })).result as object as Result;
  expect([_meta, heard.at(-1)!.params]).toEqual([undefined, state]);
  expect((await other("ann")).heard).toEqual([]);
});

test("a text for the model comes with the task, and is its first message", async () => {
  const { server, client } = await opened();
  const immediate = "The report comes by mail.";
  server.tool("mails", { task: { support: "optional", immediate } }, () => new Promise<never>(() => {}));
  const { result } = await client.request("tools/call", { name: "mails", arguments: {}, task: {} });
  expect(result._meta).toEqual({ "io.modelcontextprotocol/model-immediate-response": immediate });
  expect(result.task).toMatchObject({ status: "working", statusMessage: immediate });
  expect(() =>
    server.tool("odd", { task: { support: "optional", immediate: 1 as never } }, () => ""),
  ).toThrow(/task.immediate: expected a string, got 1/);
});

/** The notifications of one method that a client got. */
const heardOf = ({ heard }: RawClient, wanted: string): Message[] =>
  heard.filter(({ method }) => method === wanted);

test("C14: a client that only polls is asked, and gets the status; the ask is sent once", async () => {
  const { client, start, clock } = await opened();
  const { taskId } = await start("asks");
  await clock.advance(0);
  const asks = () => heardOf(client, "elicitation/create");
  // Not before the client has the id.
  expect(asks()).toEqual([]);
  await client.request("tasks/get", { taskId });
  expect(asks().map(({ params }) => params)).toMatchObject([{ _meta: { [relatedKey]: { taskId } } }]);
  expect(heardOf(client, "notifications/tasks/status").at(-1)).toMatchObject({
    params: { taskId, status: "input_required" },
  });
  const results = [1, 2].map(() => client.request("tasks/result", { taskId }));
  expect((await client.request("tasks/get", { taskId })).result).toMatchObject({ status: "input_required" });
  expect(asks()).toHaveLength(1);
  client.send({ jsonrpc: "2.0", id: asks()[0]!.id, result: { action: "accept", content: { name: "Ada" } } });
  for (const { result } of await Promise.all(results)) expect(result.content).toEqual(text("once Ada"));
  expect(asks()).toHaveLength(1);
  const statuses = heardOf(client, "notifications/tasks/status").map(({ params }) => params);
  expect(statuses).toMatchObject([
    { status: "input_required" },
    { status: "working" },
    { status: "completed" },
  ]);
});

test("C14: where tasks/result waits, it asks; a task that is cancelled takes its ask back", async () => {
  const { client, start, clock, server } = await opened();
  const go = deferred();
  server.tool("later", { task: { support: "optional" } }, async (_, { ask }) => {
    await go.promise;
    return (await ask.elicit("name", form)).action;
  });
  const { taskId } = await start("later");
  const result = client.request("tasks/result", { taskId });
  await clock.advance(0);
  go.resolve();
  await clock.advance(0);
  expect((await client.request("tasks/get", { taskId })).result).toMatchObject({ status: "input_required" });
  const asks = heardOf(client, "elicitation/create");
  expect(asks).toHaveLength(1);
  client.send({ jsonrpc: "2.0", id: asks[0]!.id, result: { action: "decline" } });
  expect((await result).result.content).toEqual(text("decline"));

  const other = await start("asks");
  await clock.advance(0);
  await client.request("tasks/get", { taskId: other.taskId });
  const { id } = heardOf(client, "elicitation/create")[1]!;
  await client.request("tasks/cancel", { taskId: other.taskId });
  expect(heardOf(client, "notifications/cancelled").map(({ params }) => params)).toMatchObject([
    { requestId: id },
  ]);
});

test("C18: the token of the call serves for the task, and stops at its end", async () => {
  const { server, client, start, clock } = await opened();
  const [go, end] = [deferred(), deferred()];
  server.tool("steps", { task: { support: "optional" } }, async (_, { progress }) => {
    await go.promise;
    progress(1, 2, "half");
    await end.promise;
    setTimeout(() => progress(2, 2, "late"), 0);
    return "done";
  });
  const { taskId } = await start("steps", {}, { _meta: { progressToken: "token" } });
  go.resolve();
  await clock.advance(0);
  const progress = () => client.heard.filter(({ method }) => method === "notifications/progress");
  expect(progress().map(({ params }) => params)).toEqual([
    { progressToken: "token", progress: 1, total: 2, message: "half", _meta: { [relatedKey]: { taskId } } },
  ]);
  expect((await client.request("tasks/get", { taskId })).result).toMatchObject({ statusMessage: "half" });
  end.resolve();
  await client.request("tasks/result", { taskId });
  await clock.advance(10);
  expect(progress()).toHaveLength(1);
});

test("C18: progress that a handler reports at once is sent, and is the message of the task", async () => {
  const { client, start } = await opened();
  const { taskId } = await start("may", {}, { _meta: { progressToken: "token" } });
  const { params } = client.heard.find(({ method }) => method === "notifications/progress")!;
  expect(params).toMatchObject({ message: "half", _meta: { [relatedKey]: { taskId } } });
  expect((await client.request("tasks/get", { taskId })).result).toMatchObject({ statusMessage: "half" });
});

test("C20: cancelling answers with the cancelled task, which stays so; a task that has ended is refused", async () => {
  const { client, start, gate } = await opened();
  const { taskId } = await start("may");
  const { result } = await client.request("tasks/cancel", { taskId });
  expect(result).toMatchObject({ taskId, status: "cancelled" });
  gate.resolve("too late");
  await client.request("ping");
  expect((await client.request("tasks/get", { taskId })).result).toMatchObject({ status: "cancelled" });
  expect((await client.request("tasks/cancel", { taskId })).error).toMatchObject({ code: -32602 });
  expect((await client.request("tasks/result", { taskId })).error).toMatchObject({
    code: -32603,
    message: "the task was cancelled",
  });
});

test("C19, C21: a list has exactly the client's tasks, page by page; wrong cursors are refused", async () => {
  const { client, start, other } = await opened({ list: true, limits: { work: 1000 } });
  const ids = new Set<string>();
  for (let index = 0; index < 105; index++) ids.add((await start("may")).taskId);
  const bob = await other("bob");
  await bob.request("tools/call", { name: "may", arguments: {}, task: {} });
  const first = (await client.request("tasks/list")).result;
  expect(first.tasks).toHaveLength(100);
  const second = (await client.request("tasks/list", { cursor: first.nextCursor })).result;
  expect(second.nextCursor).toBeUndefined();
  const listed = [...first.tasks, ...second.tasks].map(({ taskId }) => taskId);
  expect(new Set(listed)).toEqual(ids);
  for (const cursor of ["x", "after x", `after ${(await bob.request("tasks/list")).result.tasks[0]!.taskId}`])
    expect((await client.request("tasks/list", { cursor })).error).toMatchObject({ code: -32602 });
});

test("C21: get, result and cancel refuse tasks of other clients like unknown tasks", async () => {
  const { start, other } = await opened();
  const { taskId } = await start("may");
  const bob = await other("bob");
  for (const method of ["tasks/get", "tasks/result", "tasks/cancel"]) {
    const { error } = await bob.request(method, { taskId });
    expect(error).toMatchObject({ code: -32602 });
    expect((await bob.request(method, { taskId: "x" })).error).toEqual(error);
  }
  expect((await (await other("ann")).request("tasks/get", { taskId })).result).toMatchObject({
    status: "working",
  });
});

test("C23: too many tasks are refused", async () => {
  const { start } = await opened({ limits: { work: 1 } });
  await start("may");
  expect(await start("may")).toMatchObject({ code: -32600, data: { limit: "limits.work" } });
});

test("a task of one era is read in the form of the other", async () => {
  const served = await opened();
  const { taskId } = await served.start("may");
  const modern = await clientOf(served);
  expect(await modern.request("tasks/get", { taskId })).toMatchObject({
    status: "working",
    ttlMs: 3_600_000,
  });
  served.gate.resolve("shared");
  await served.clock.advance(0);
  expect(await modern.request("tasks/get", { taskId })).toMatchObject({
    result: { content: text("shared") },
  });
  expect(await call(modern, "must")).toMatchObject({ content: text("done") });
});

test("a server that lists tasks needs a store that can list them", () => {
  const { list: _, ...store } = memoryTaskStore();
  expect(() => serverOf({ store, keys: ["a secret of sixteen characters"], list: true })).toThrow(
    /no function list/,
  );
});
