import { expect, test } from "vitest";
import { TaskHandle, type StoredHandle } from "@mcpgen/tasks/client";
import { failureOf } from "../../support/failure-of.js";
import { type Script, ScriptedServer, clientOf, during } from "./scripted.js";

// Tasks of 2025-11-25 on clients. The rules by the ids of the list of requirements, C01 to C23.

const declared = { tasks: { cancel: {}, requests: { tools: { call: {} } } } };
const text = (value: string) => [{ type: "text", text: value }];
const inputSchema = { type: "object" };
const listed: Script = () => ({
  tools: [
    { name: "plain", inputSchema },
    { name: "never", inputSchema, execution: { taskSupport: "forbidden" } },
    { name: "may", inputSchema, execution: { taskSupport: "optional" } },
    { name: "must", inputSchema, execution: { taskSupport: "required" } },
  ],
});
const task = (status: string, more: object = {}) => ({
  taskId: "one",
  status,
  createdAt: "2026-01-01T00:00:00Z",
  lastUpdatedAt: "2026-01-01T00:00:00Z",
  ttl: null,
  pollInterval: 1000,
  ...more,
});
const called: Script = (params) =>
  "task" in params ? { task: task("working") } : { content: text("plain") };
const related = { "io.modelcontextprotocol/related-task": { taskId: "one" } };

/** A server whose tasks end after some polls. */
function serving(scripts: Record<string, Script> = {}, capabilities: object = declared): ScriptedServer {
  return new ScriptedServer("2025-11-25", capabilities, {
    "tools/list": listed,
    "tools/call": called,
    "tasks/get": (_, count) => task(count < 3 ? "working" : "completed"),
    "tasks/result": () => ({ content: text("done"), _meta: related }),
    "tasks/cancel": () => task("cancelled"),
    ...scripts,
  });
}

const taskOf = (server: ScriptedServer) =>
  server.params("tools/call").map((params) => (params as { readonly task?: object }).task);

test("C02–C04: the capability decides first, then the task support of the tool", async () => {
  const server = serving();
  const { client, clock } = await clientOf(server);
  for (const name of ["plain", "never", "may", "unlisted"])
    expect((await client.callTool(name)).content).toEqual(text("plain"));
  expect((await during(clock, client.callTool("must"))).content).toEqual(text("done"));
  expect(taskOf(server)).toEqual([undefined, undefined, undefined, undefined, {}]);
  expect(server.methods.filter((method) => method === "tools/list")).toHaveLength(1);

  const undeclared = serving({}, { tasks: { requests: {} } });
  const { client: other } = await clientOf(undeclared);
  for (const name of ["plain", "may", "must"])
    expect((await other.callTool(name)).content).toEqual(text("plain"));
  expect(undeclared.methods).toEqual(["tools/call", "tools/call", "tools/call"]);
});

test("start makes a task of each call that may be one; callTool does with the option", async () => {
  const server = serving();
  const { own, clock } = await clientOf(server);
  for (const name of ["plain", "never"])
    expect(await own.start(name)).toMatchObject({ content: text("plain") });
  const handle = (await own.start("may", {}, { ttlMs: 60_000 })) as TaskHandle;
  expect(handle).toBeInstanceOf(TaskHandle);
  expect(handle.toJSON()).toEqual({
    taskId: "one",
    endpoint: "scripted",
    tool: "may",
    createdAt: "2026-01-01T00:00:00Z",
    answers: {},
  });
  expect(await handle.status()).toEqual({
    taskId: "one",
    status: "working",
    createdAt: "2026-01-01T00:00:00Z",
    lastUpdatedAt: "2026-01-01T00:00:00Z",
    ttlMs: null,
    pollIntervalMs: 1000,
  });
  expect(await during(clock, handle.result())).toMatchObject({ content: text("done") });
  expect(taskOf(server)).toEqual([undefined, undefined, { ttl: 60_000 }]);

  const wanting = await clientOf(serving(), { optional: "task", ttlMs: 5000 });
  expect((await during(wanting.clock, wanting.client.callTool("may"))).content).toEqual(text("done"));
});

test.each([-32600, -32601])("C04: a refusal with %i makes the client read the list again", async (code) => {
  let isRequired = false;
  const server = serving({
    "tools/list": () => ({
      tools: [
        { name: "moody", inputSchema, execution: { taskSupport: isRequired ? "required" : "forbidden" } },
      ],
    }),
    "tools/call": (params, count) =>
      "task" in params === isRequired
        ? called(params, count, 0)
        : { error: { code, message: "the other way" } },
  });
  const { client, clock } = await clientOf(server);
  expect((await client.callTool("moody")).content).toEqual(text("plain"));
  isRequired = true;
  expect((await during(clock, client.callTool("moody"))).content).toEqual(text("done"));
  isRequired = false;
  expect((await client.callTool("moody")).content).toEqual(text("plain"));
  // A refusal for another reason remains an error.
  server.scripts["tools/call"] = () => ({ error: { code, message: "no" } });
  expect(await failureOf(client.callTool("moody"))).toMatchObject({ rpcCode: code });
});

test("a changed list is read again; lists that the application reads also count", async () => {
  let isRequired = false;
  const server = serving({
    "tools/list": () => ({
      tools: [{ name: "moody", inputSchema, ...(isRequired && { execution: { taskSupport: "required" } }) }],
    }),
  });
  const { client, clock } = await clientOf(server);
  await client.listTools();
  await client.callTool("moody");
  expect(server.methods).toEqual(["tools/list", "tools/call"]);
  isRequired = true;
  server.notify("notifications/tools/list_changed", {});
  await clock.advance(0);
  expect((await during(clock, client.callTool("moody"))).content).toEqual(text("done"));
  expect(taskOf(server)).toEqual([undefined, {}]);
});

test("C05: a plain answer to a task request is accepted; a task that was not requested is refused", async () => {
  const plain = serving({ "tools/call": () => ({ content: text("at once") }) });
  const { client } = await clientOf(plain);
  expect((await client.callTool("must")).content).toEqual(text("at once"));
  const pushy = await clientOf(serving({ "tools/call": () => ({ task: task("working") }) }));
  expect(await failureOf(pushy.client.callTool("may"))).toMatchObject({ code: "invalid-result" });
  const broken = await clientOf(serving({ "tools/call": () => ({ task: { taskId: 1 } }) }));
  expect(await failureOf(broken.client.callTool("must"))).toMatchObject({ code: "invalid-result" });
});

test("C10, C14: a task that waits for input is asked for its result, and its requests are answered", async () => {
  let ended = false;
  const server: ScriptedServer = serving({
    "tasks/get": (_, count) => task(ended ? "completed" : count < 2 ? "working" : "input_required"),
    "tasks/result": async () => {
      const params = {
        message: "Name?",
        requestedSchema: { type: "object", properties: {} },
        _meta: related,
      };
      const { result } = await server.ask("elicitation/create", params);
      ended = true;
      return { content: text((result as { readonly action: string }).action), _meta: related };
    },
  });
  const { own, clock } = await clientOf(server, {}, { elicit: () => ({ action: "decline" }) });
  const handle = (await own.start("must")) as TaskHandle;
  const seen: string[] = [];
  const reading = (async () => {
    for await (const { status } of handle.updates()) seen.push(status);
  })();
  expect(await during(clock, handle.result())).toMatchObject({ content: text("decline") });
  await reading;
  expect(seen).toEqual(["working", "input_required", "completed"]);
  expect(server.methods.filter((method) => method === "tasks/result")).toHaveLength(1);
});

test("C12, C13: the call gets the task's result: a failure of the tool, an error, nothing after a cancellation", async () => {
  const failing = await clientOf(
    serving({
      "tasks/get": () => task("failed", { statusMessage: "odd" }),
      "tasks/result": () => ({ content: text("odd"), isError: true, _meta: related }),
    }),
  );
  const { content, isError } = await during(failing.clock, failing.client.callTool("must"));
  expect({ content, isError }).toEqual({ content: text("odd"), isError: true });
  const broken = await clientOf(
    serving({
      "tasks/get": () => task("failed"),
      "tasks/result": () => ({ error: { code: -32602, message: "no such report", data: { report: 7 } } }),
    }),
  );
  expect(await during(broken.clock, failureOf(broken.client.callTool("must")))).toMatchObject({
    code: "remote-error",
    rpcCode: -32602,
    data: { report: 7 },
  });
  const server = serving({ "tasks/get": () => task("cancelled") });
  const { client, clock } = await clientOf(server);
  expect(await during(clock, failureOf(client.callTool("must")))).toMatchObject({ code: "cancelled" });
  expect(server.methods).not.toContain("tasks/result");
});

test("C17: an announced status is only a hint to poll", async () => {
  let status = "working";
  const server = serving({ "tasks/get": () => task(status, { pollInterval: 3_000_000 }) });
  const { own, clock } = await clientOf(server);
  const handle = (await own.start("must")) as TaskHandle;
  const result = handle.result();
  await clock.advance(2000);
  const polls = (): number => server.params("tasks/get").length;
  expect(polls()).toBe(1);
  for (const taskId of ["one", "other", 7])
    server.notify("notifications/tasks/status", task("working", { taskId }));
  await clock.advance(0);
  expect(polls()).toBe(1);
  // A hint that is not true costs one poll.
  server.notify("notifications/tasks/status", task("completed"));
  await clock.advance(0);
  expect(polls()).toBe(2);
  status = "completed";
  server.notify("notifications/tasks/status", task("completed"));
  await clock.advance(0);
  expect(await result).toMatchObject({ content: text("done") });
});

test("C20: an abort sends tasks/cancel, never notifications/cancelled, also before there is a task", async () => {
  const server = serving({ "tasks/get": () => task("working") });
  const { client, clock } = await clientOf(server);
  const late = new AbortController();
  const call = failureOf(client.callTool("must", {}, { signal: late.signal }));
  await clock.advance(5000);
  late.abort();
  expect(await call).toMatchObject({ code: "cancelled", message: "tools/call was cancelled" });
  await clock.advance(5000);
  expect(server.params("tasks/cancel")).toHaveLength(1);

  let answer!: (result: object) => void;
  server.scripts["tools/call"] = () => new Promise((resolve) => (answer = resolve));
  const early = new AbortController();
  const second = failureOf(client.callTool("must", {}, { signal: early.signal }));
  await clock.advance(10);
  early.abort();
  expect(await second).toMatchObject({ code: "cancelled" });
  answer({ task: task("working") });
  await clock.advance(10);
  expect(server.params("tasks/cancel")).toHaveLength(2);
  expect(server.methods).not.toContain("notifications/cancelled");
  expect(clock.waiting).toBe(0);
});

test("C18: onProgress gets progress of the task by the token of its call, until the task has ended", async () => {
  let status = "working";
  const server = serving({ "tasks/get": () => task(status) });
  const { client, own, clock } = await clientOf(server);
  const seen: unknown[] = [];
  const onProgress = ({ progress, message }: { progress: number; message?: string }): void =>
    void seen.push(message ?? progress);
  const calling = client.callTool("must", {}, { onProgress });
  await clock.advance(1);
  const [{ _meta }] = server.params("tools/call") as [{ _meta: { progressToken: number } }];
  const report = (more: object): void =>
    server.notify("notifications/progress", { progressToken: _meta.progressToken, ...more, _meta: related });
  report({ progress: 1, total: 2, message: "half" });
  report({ progress: "2" });
  report({ progress: 2 });
  await clock.advance(1500);
  status = "completed";
  expect((await during(clock, calling)).content).toEqual(text("done"));
  report({ progress: 3 });
  await clock.advance(1);
  expect(seen).toEqual(["half", 2]);

  // A call with a plain answer gets nothing after this answer, and neither does a detached task.
  server.scripts["tools/call"] = (params, count, id) => {
    server.notify("notifications/progress", { progressToken: id, progress: 1, message: "before" });
    return count === 2 ? { content: text("at once") } : called(params, count, id);
  };
  await client.callTool("must", {}, { onProgress });
  const handle = (await own.start("must", {}, { onProgress })) as TaskHandle;
  handle.detach();
  const tokens = server
    .params("tools/call")
    .map((params) => (params as { _meta: { progressToken: number } })._meta.progressToken);
  for (const progressToken of tokens)
    server.notify("notifications/progress", { progressToken, progress: 9, message: "after" });
  await clock.advance(1);
  expect(seen).toEqual(["half", 2, "before", "before"]);
});

test("an abort that detaches keeps the task for another process", async () => {
  const kept = new Map<string, StoredHandle>();
  const handles = {
    put: (handle: StoredHandle) => void kept.set(handle.taskId, handle),
    delete: ({ taskId }: StoredHandle) => void kept.delete(taskId),
  };
  const server = serving();
  const { client, own, clock } = await clientOf(server, { onAbort: "detach", handles });
  const controller = new AbortController();
  const call = failureOf(client.callTool("must", {}, { signal: controller.signal }));
  await clock.advance(500);
  controller.abort();
  expect(await call).toMatchObject({ code: "cancelled" });
  await clock.advance(5000);
  expect(server.methods).not.toContain("tasks/cancel");
  const [stored] = kept.values();
  expect(await during(clock, own.resume(stored!).result())).toMatchObject({ content: text("done") });
  expect(kept.size).toBe(0);
});

test("there is a text for the model until there is a result", async () => {
  const _meta = { "io.modelcontextprotocol/model-immediate-response": "It runs." };
  const server = serving({ "tools/call": () => ({ task: task("working"), _meta }) });
  const shown: (string | undefined)[] = [];
  const { client, clock } = await clientOf(server, { onTask: ({ immediate }) => shown.push(immediate) });
  await during(clock, client.callTool("must"));
  expect(shown).toEqual(["It runs."]);
});

test("a result that is fetched while the connection breaks is fetched again", async () => {
  const server = serving({
    "tasks/result": (_, count) =>
      count < 3 ? { error: { code: -31429, message: "later" } } : { content: text("done") },
  });
  const { client, clock } = await clientOf(server);
  expect((await during(clock, client.callTool("must"))).content).toEqual(text("done"));
  server.scripts["tasks/result"] = () => ({ error: { code: -31429, message: "later" } });
  expect(await during(clock, failureOf(client.callTool("must")))).toMatchObject({ code: "rate-limited" });
});
