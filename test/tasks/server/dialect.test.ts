import { experimentalTasks as dialect } from "@mcpgen/protocol/extensions/dev.mcpgen/experimental-tasks/server";
import { McpError } from "@mcpgen/runtime";
import { type TasksOptions, memoryTaskStore } from "@mcpgen/tasks";
import { experimentalTasks } from "@mcpgen/tasks/experimental";
import { describe, expect, test } from "vitest";
import * as of20241105 from "../../../generated/extensions/dev.mcpgen/experimental-tasks/2024-11-05/validators.js";
import * as of20250326 from "../../../generated/extensions/dev.mcpgen/experimental-tasks/2025-03-26/validators.js";
import * as of20250618 from "../../../generated/extensions/dev.mcpgen/experimental-tasks/2025-06-18/validators.js";
import { permitCallOf } from "../../../runtime/core/http/server/permit.js";
import { RawClient, type Message } from "./raw.js";
import { deferred, serverOf, text } from "./served.js";

// The experimental dialect of 2025-06-18 and before.

const bases = [
  ["2024-11-05", of20241105],
  ["2025-03-26", of20250326],
  ["2025-06-18", of20250618],
] as const;

const declared = { experimental: { tasks: {} }, elicitation: {}, sampling: {} };
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const time = expect.stringMatching(isoTime) as string;
const form = {
  message: "Your name?",
  requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
} as const;

/** The answers of the dialect, as these tests read them. */
interface State {
  readonly taskId: string;
  readonly status: string;
  readonly currentStep?: string;
}

function served(options: TasksOptions = {}) {
  const made = serverOf(options, { capabilities: { logging: {} } }, undefined, (tasks) => [
    experimentalTasks(dialect, tasks),
  ]);
  const gate = deferred<unknown>();
  const { server } = made;
  const rows = { type: "object", properties: { rows: { type: "number" } }, required: ["rows"] } as const;
  server.tool("plain", {}, () => "plain");
  server.tool("never", { task: { support: "forbidden" } }, () => "never");
  server.tool(
    "export",
    { inputSchema: rows, task: { support: "optional" } },
    async ({ rows: count }, { progress }) => {
      progress(9, 20, "Reading rows");
      await gate.promise;
      return `${count} rows`;
    },
  );
  server.tool("asks", { task: { support: "required", onRestart: "replay" } }, async (_, { ask, once }) => {
    const before = await once("before", () => "once");
    const answer = await ask.elicit("name", form);
    return answer.action === "accept" ? `${before} ${answer.content.name}` : answer.action;
  });
  return { ...made, gate };
}

async function opened(server: Parameters<typeof connected>[0], revision = "2025-06-18") {
  return connected(server, revision, declared);
}

async function connected(
  server: ConstructorParameters<typeof RawClient>[0],
  revision: string,
  capabilities: object,
  principal = "ann",
) {
  const client = new RawClient(server, principal);
  const { result } = await client.open(capabilities, revision);
  const asked = async (method: string, params: object): Promise<State> => {
    const message = await client.request(method, params);
    return (message.result ?? message.error) as object as State;
  };
  const heard = (method: string) => client.heard.filter((each) => each.method === method);
  return { client, asked, heard, capabilities: result.capabilities };
}

describe.each(bases)("at %s", (revision, of) => {
  test("a task is created, runs and ends, with each message like in the examples of the dialect", async () => {
    const { server, clock, gate } = served();
    const { asked, heard, capabilities } = await opened(server, revision);
    expect(capabilities).toMatchObject({ experimental: { tasks: {} } });
    const wanted = { name: "export", description: "Exports the orders", parameters: { rows: 5000 } };
    expect(of.isCreateTaskRequest({ method: "tasks/create", params: wanted })).toBe(true);
    const created = await asked("tasks/create", wanted);
    const { taskId } = created;
    expect(of.isCreateTaskResult(created)).toBe(true);
    expect(created).toEqual({ taskId, status: "pending", createdAt: time });
    await clock.advance(1);
    const running = await asked("tasks/get", { taskId });
    expect(of.isGetTaskResult(running)).toBe(true);
    expect(running).toEqual({
      ...{ taskId, status: "running", createdAt: time, startedAt: time },
      ...{ progress: 0.45, currentStep: "Reading rows" },
    });
    const [progress] = heard("notifications/tasks/progress");
    expect(of.isTaskProgressNotification(progress)).toBe(true);
    expect(progress!.params).toEqual({ taskId, progress: 0.45, currentStep: "Reading rows" });
    gate.resolve("go");
    await clock.advance(0);
    const [end, ...more] = heard("notifications/tasks/completed");
    expect(more).toEqual([]);
    expect(of.isTaskCompletedNotification(end)).toBe(true);
    const result = { content: text("5000 rows") };
    expect(end!.params).toEqual({ taskId, status: "completed", result, completedAt: time });
    const state = await asked("tasks/get", { taskId });
    expect(of.isGetTaskResult(state)).toBe(true);
    expect(state).toMatchObject({ taskId, status: "completed", result, completedAt: time });
  });

  test("a task is cancelled, and stays so", async () => {
    const { server, clock, gate } = served();
    const { asked, heard } = await opened(server, revision);
    const { taskId } = await asked("tasks/create", { name: "export", parameters: { rows: 1 } });
    const cancelled = await asked("tasks/cancel", { taskId });
    expect(of.isCancelTaskResult(cancelled)).toBe(true);
    expect(cancelled).toEqual({ taskId, status: "cancelled", cancelledAt: time });
    expect(await asked("tasks/cancel", { taskId })).toEqual(cancelled);
    gate.resolve("late");
    await clock.advance(0);
    expect(await asked("tasks/get", { taskId })).toMatchObject({ status: "cancelled", cancelledAt: time });
    expect(heard("notifications/tasks/completed")).toEqual([]);
  });

  test("the errors match its table", async () => {
    const { server } = served();
    const { asked } = await opened(server, revision);
    const availableTools = ["export", "asks"];
    for (const toolName of ["nothing", "plain", "never"])
      expect(await asked("tasks/create", { name: toolName })).toEqual({
        code: -32003,
        message: `there is no tool "${toolName}" that runs as a task`,
        data: { toolName, availableTools },
      });
    expect(await asked("tasks/create", { name: "export", parameters: { rows: "all" } })).toMatchObject({
      code: -32005,
      message: 'the arguments are wrong: rows: expected number, got "all" (string)',
    });
    expect(await asked("tasks/create", { parameters: {} })).toMatchObject({ code: -32602 });
    for (const method of ["tasks/get", "tasks/cancel"])
      expect(await asked(method, { taskId: "x" })).toMatchObject({ code: -32602 });
    const stranger = await connected(server, revision, {});
    for (const method of ["tasks/create", "tasks/get", "tasks/cancel"])
      expect(await stranger.asked(method, { name: "export", taskId: "x" })).toMatchObject({
        code: -32001,
        data: { requiredCapabilities: { experimental: { tasks: {} } } },
      });
    // Errors of the revision keep their codes.
    expect(await stranger.asked("tools/call", { name: "nothing" })).toMatchObject({ code: -32602 });
    expect(await stranger.asked("tools/call", { name: "export", arguments: {} })).toMatchObject({
      code: -32602,
    });
  });
});

test("a task asks with requests of the revision, and is running meanwhile", async () => {
  const { server, clock } = served();
  const { client, asked, heard } = await opened(server);
  const { taskId } = await asked("tasks/create", { name: "asks" });
  const answer = deferred<object>();
  const questions: Message[] = [];
  client.answer = (request) => {
    questions.push(request);
    void answer.promise.then((result) => client.send({ jsonrpc: "2.0", id: request.id, result }));
    return undefined;
  };
  await clock.advance(0);
  expect(questions).toHaveLength(1);
  expect(questions[0]).toMatchObject({ method: "elicitation/create", params: { message: "Your name?" } });
  expect(of20250618.isTaskProgressNotification(heard("notifications/tasks/progress").at(-1))).toBe(true);
  expect(heard("notifications/tasks/progress").at(-1)!.params).toMatchObject({
    currentStep: "waiting for input",
  });
  for (let poll = 0; poll < 2; poll++)
    expect(await asked("tasks/get", { taskId })).toMatchObject({
      status: "running",
      currentStep: "waiting for input",
    });
  expect(questions).toHaveLength(1);
  answer.resolve({ action: "accept", content: { name: "Ada" } });
  await clock.advance(0);
  expect(heard("notifications/tasks/completed").map(({ params }) => params)).toMatchObject([
    { taskId, status: "completed", result: { content: text("once Ada") } },
  ]);
});

test("a client that has connected again is asked again when it polls the task", async () => {
  const { server, clock } = served();
  const first = await opened(server);
  const { taskId } = await first.asked("tasks/create", { name: "asks" });
  await clock.advance(0);
  expect(first.heard("elicitation/create")).toHaveLength(1);
  first.client.close();
  await clock.advance(0);
  const second = await opened(server);
  second.client.answer = () => ({ result: { action: "accept", content: { name: "Ada" } } });
  expect(await second.asked("tasks/get", { taskId })).toMatchObject({ status: "running" });
  await clock.advance(0);
  expect(await second.asked("tasks/get", { taskId })).toMatchObject({
    status: "completed",
    result: { content: text("once Ada") },
  });
  expect(second.heard("elicitation/create")).toHaveLength(1);
  expect(second.heard("notifications/tasks/completed")).toHaveLength(1);
});

test("a sampling request of a task reaches clients of 2024-11-05, too", async () => {
  const { server, clock } = served();
  server.tool("samples", { task: { support: "optional" } }, async (_, { ask }) => {
    const messages = [{ role: "user", content: { type: "text", text: "Name a river" } }] as const;
    const { content } = await ask.sample("river", { maxTokens: 10, messages: [...messages] });
    const [first] = [content].flat();
    return first?.type === "text" ? first.text : "nothing";
  });
  const { client, asked, heard } = await opened(server, "2024-11-05");
  client.answer = () => ({
    result: { role: "assistant", model: "m", content: { type: "text", text: "Elbe" } },
  });
  const { taskId } = await asked("tasks/create", { name: "samples" });
  await clock.advance(0);
  expect(heard("sampling/createMessage")).toHaveLength(1);
  expect(await asked("tasks/get", { taskId })).toMatchObject({
    status: "completed",
    result: { content: text("Elbe") },
  });
});

test("an error answer, an error of the handler and a result with isError are failures", async () => {
  const { server, clock } = served();
  server.tool("broken", { task: { support: "optional" } }, () => {
    throw new McpError("invalid-params", "no such report", { rpcCode: -32602, data: { report: 7 } });
  });
  server.tool("odd", { task: { support: "optional" } }, () => ({
    content: [{ type: "text", text: "odd" }],
    isError: true,
  }));
  const { client, asked, heard } = await opened(server);
  client.answer = () => ({ error: { code: -1, message: "User rejected the request" } });
  const end = async (name: string) => {
    const { taskId } = await asked("tasks/create", { name });
    await clock.advance(0);
    return asked("tasks/get", { taskId });
  };
  const error = { code: -32602, message: "no such report", data: { report: 7 } };
  expect(await end("broken")).toMatchObject({ status: "failed", error, completedAt: time });
  expect(await end("asks")).toMatchObject({
    status: "failed",
    error: { code: -32603, message: "User rejected the request" },
  });
  expect(await end("odd")).toMatchObject({
    status: "failed",
    result: { content: text("odd"), isError: true },
  });
  for (const message of heard("notifications/tasks/completed")) {
    expect(of20250618.isTaskCompletedNotification(message)).toBe(true);
    expect(message.params).toMatchObject({ status: "failed" });
  }
  expect(heard("notifications/tasks/completed")).toHaveLength(3);
  const { taskId } = heard("notifications/tasks/completed")[0]!.params as State;
  expect(await asked("tasks/cancel", { taskId })).toMatchObject({
    code: -32602,
    message: "the task has ended",
  });
});

test("log messages and notifications of a task reach its client", async () => {
  const { server, clock } = served();
  const gate = deferred();
  server.tool("talks", { task: { support: "optional" } }, async (_, { log, notify }) => {
    await gate.promise;
    log("info", "half");
    notify("notifications/acme/done", { part: 1 });
    return "done";
  });
  const { asked, heard } = await opened(server);
  await asked("tasks/create", { name: "talks" });
  gate.resolve();
  await clock.advance(0);
  expect(heard("notifications/message")).toMatchObject([{ params: { level: "info", data: "half" } }]);
  expect(heard("notifications/acme/done")).toMatchObject([{ params: { part: 1 } }]);
});

test("revisions with tasks have no such methods, and serve their own", async () => {
  const { server, gate } = served();
  const core = await connected(server, "2025-11-25", declared);
  expect(core.capabilities).not.toHaveProperty("experimental");
  expect(await core.asked("tasks/create", { name: "export", parameters: { rows: 1 } })).toMatchObject({
    code: -32601,
  });
  const { result } = await core.client.request("tools/call", {
    ...{ name: "export", arguments: { rows: 1 }, task: {} },
  });
  const { taskId } = result.task;
  expect(await core.asked("tasks/get", { taskId })).toMatchObject({ status: "working", pollInterval: 1000 });
  const modern = new RawClient(server, "ann");
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": declared,
  };
  const { error } = await modern.request("tasks/create", { name: "export", _meta });
  expect(error).toMatchObject({ code: -32601 });
  gate.resolve("go");
  // One principal may read the task at any revision.
  const old = await opened(server);
  expect(await old.asked("tasks/get", { taskId })).toMatchObject({ taskId });
});

test("middleware around calls of tools runs around tasks of the dialect", async () => {
  const { server } = served();
  const seen: string[] = [];
  server.use(({ method, params }, next) => {
    seen.push(method);
    if (method === "tools/call" && (params as { readonly name: string }).name === "export")
      throw new McpError("invalid-params", "not for this client", { rpcCode: -32602 });
    return next();
  });
  const { asked } = await opened(server);
  expect(await asked("tasks/create", { name: "export", parameters: { rows: 1 } })).toMatchObject({
    message: "not for this client",
  });
  expect(seen).toEqual(["initialize", "tasks/create", "tools/call"]);
});

test("a client that may not call a tool over HTTP may not create a task of it", () => {
  const { server } = served();
  server.tool(
    "write",
    { scopes: ({ file }) => [`write:${String(file)}`], task: { support: "optional" } },
    () => "",
  );
  const params = { name: "write", parameters: { file: "a" } };
  expect(permitCallOf(server, { jsonrpc: "2.0", id: 1, method: "tasks/create", params })).toEqual({
    ...{ method: "tasks/create", name: "write", params, scopes: ["write:a"] },
  });
});

test("tasks of another client are refused like unknown tasks", async () => {
  const { server } = served();
  const { asked } = await opened(server);
  const { taskId } = await asked("tasks/create", { name: "export", parameters: { rows: 1 } });
  const other = await connected(server, "2025-06-18", declared, "bob");
  for (const method of ["tasks/get", "tasks/cancel"])
    expect(await other.asked(method, { taskId })).toEqual(await other.asked(method, { taskId: "x" }));
});

test("a task of the dialect runs on in another process", async () => {
  const options = { store: memoryTaskStore(), keys: ["a secret of sixteen characters"] };
  const first = served(options);
  const one = await opened(first.server);
  const { taskId } = await one.asked("tasks/create", { name: "asks" });
  await first.clock.advance(0);
  await first.engine.close();
  const second = served(options);
  const two = await opened(second.server);
  two.client.answer = () => ({ result: { action: "accept", content: { name: "Ada" } } });
  expect(await two.asked("tasks/get", { taskId })).toMatchObject({ status: "running" });
  await second.clock.advance(0);
  expect(await two.asked("tasks/get", { taskId })).toMatchObject({
    status: "completed",
    result: { content: text("once Ada") },
  });
});

test("the dialect needs the tasks of the same server", () => {
  expect(() => experimentalTasks(dialect, {} as never)).toThrow(/what tasks\(\) of @mcpgen\/tasks returned/);
  expect(() => experimentalTasks(dialect, undefined as never)).toThrow(McpError);
});
