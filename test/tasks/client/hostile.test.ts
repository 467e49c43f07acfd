import { expect, test } from "vitest";
import type { TaskHandle } from "@mcpgen/tasks/client";
import { failureOf } from "../../support/failure-of.js";
import { type Script, ScriptedServer, clientOf, during, extensionDeclared, taskAt } from "./scripted.js";

// Servers that break the rules of tasks, or try to harm the client.

const text = (value: string) => [{ type: "text", text: value }];
const complete = (content: unknown) => ({ result: { resultType: "complete", content } });
const form = {
  method: "elicitation/create",
  params: { mode: "form", message: "?", requestedSchema: { type: "object", properties: {} } },
};

function serving(scripts: Record<string, Script>): ScriptedServer {
  const declared = { ...extensionDeclared, prompts: {}, resources: {} };
  return new ScriptedServer("2026-07-28", declared, {
    "tools/call": () => ({ ...taskAt("working"), resultType: "task" }),
    "tasks/cancel": () => ({ resultType: "complete" }),
    "tasks/update": () => ({ resultType: "complete" }),
    ...scripts,
  });
}

async function calling(scripts: Record<string, Script>) {
  let asked = 0;
  const server = serving(scripts);
  const elicit = () => {
    asked++;
    return { action: "accept", content: {} } as const;
  };
  const { client, clock } = await clientOf(server, { push: false }, { elicit });
  const call = client.callTool("slow");
  return { server, client, clock, call, asked: () => asked };
}

test.each([
  ["an unknown status", { ...taskAt("melted") }],
  ["no status", { resultType: "complete", taskId: "one" }],
  ["the mark of a new task", { ...taskAt("working"), resultType: "task" }],
  ["another task", taskAt("working", "other")],
  ["a result that is none of a tool", { ...taskAt("completed"), ...complete(7) }],
  ["no result", taskAt("completed")],
  ["no error", taskAt("failed")],
] as const)("an answer to tasks/get with %s is invalid", async (_, answer) => {
  const { call, clock } = await calling({ "tasks/get": () => answer });
  expect(await during(clock, failureOf(call))).toMatchObject({ code: "invalid-result" });
});

test("2025-11-25: a result that is not a tool result is invalid", async () => {
  const core = { createdAt: "2026-01-01T00:00:00Z", lastUpdatedAt: "2026-01-01T00:00:00Z", ttl: null };
  const declared = { tasks: { requests: { tools: { call: {} } } } };
  const server = new ScriptedServer("2025-11-25", declared, {
    "tools/list": () => ({
      tools: [{ name: "slow", inputSchema: { type: "object" }, execution: { taskSupport: "required" } }],
    }),
    "tools/call": () => ({ task: { ...core, taskId: "one", status: "working" } }),
    "tasks/get": () => ({ ...core, taskId: "one", status: "completed" }),
    "tasks/result": () => ({ content: 7 }),
  });
  const { client, clock } = await clientOf(server);
  expect(await during(clock, failureOf(client.callTool("slow")))).toMatchObject({ code: "invalid-result" });
});

test("E01: a task as the answer to another request, or without the extension, is invalid", async () => {
  const created = () => ({ ...taskAt("working"), resultType: "task" });
  const server = serving({ "prompts/get": created, "resources/read": created });
  const { client } = await clientOf(server);
  expect(await failureOf(client.getPrompt("one"))).toMatchObject({ code: "invalid-result" });
  expect(await failureOf(client.readResource("file:///one"))).toMatchObject({ code: "invalid-result" });
  const plain = await clientOf(serving({}), {}, { extensions: [] });
  expect(await failureOf(plain.client.callTool("slow"))).toMatchObject({ code: "invalid-result" });
});

test("a status after the final one has no effect", async () => {
  const server = serving({
    "tasks/get": (_, count) =>
      count === 2 ? { ...taskAt("completed"), ...complete(text("done")) } : taskAt("working"),
  });
  const { own, clock } = await clientOf(server, { push: false });
  const handle = (await own.start("slow")) as TaskHandle;
  expect(await during(clock, handle.result())).toMatchObject({ content: text("done") });
  await clock.advance(100_000);
  expect(server.params("tasks/get")).toHaveLength(2);
  expect(await handle.result()).toMatchObject({ content: text("done") });
});

test.each([
  [0, 1000, 1100],
  [-5, 1000, 1100],
  [1, 100, 110],
  [1e12, 3_600_000, 3_960_000],
  [undefined, 1000, 1100],
])("an advised interval of %s ms waits from %i to %i ms", async (pollIntervalMs, least, most) => {
  const server = serving({
    "tools/call": () => ({ ...taskAt("working"), pollIntervalMs, resultType: "task" }),
    "tasks/get": () => ({ ...taskAt("completed"), ...complete([]) }),
  });
  const { client, clock } = await clientOf(server, { push: false });
  const call = client.callTool("slow");
  call.catch(() => undefined);
  await clock.advance(0);
  await clock.advance(least - 1);
  expect(server.methods).not.toContain("tasks/get");
  await clock.advance(most - least + 2);
  expect(await call).toMatchObject({ content: [] });
});

test("more questions at once than the limit cancel the task, and reach no handler", async () => {
  const inputRequests = Object.fromEntries(
    Array.from({ length: 10_000 }, (_, index) => [`key ${index}`, form]),
  );
  const { server, call, clock, asked } = await calling({
    "tasks/get": () => ({ ...taskAt("input_required"), inputRequests }),
  });
  expect(await during(clock, failureOf(call))).toMatchObject({
    code: "limit-exceeded",
    data: { limit: "maxRoundQuestions" },
  });
  expect(asked()).toBe(0);
  expect(server.methods).toContain("tasks/cancel");
});

test("new questions without end cancel the task after 1,000 answers", async () => {
  const { server, call, clock, asked } = await calling({
    "tasks/get": (_, count) => ({
      ...taskAt("input_required"),
      inputRequests: Object.fromEntries(
        Array.from({ length: 30 }, (__, index) => [`${count} ${index}`, form]),
      ),
    }),
  });
  expect(await during(clock, failureOf(call), 5000)).toMatchObject({ code: "limit-exceeded" });
  expect(asked()).toBe(1020);
  expect(server.methods).toContain("tasks/cancel");
});

test("the same question without end is asked once, and cancels the task after 60 polls", async () => {
  for (const key of ["name", "__proto__", "toString"]) {
    const inputRequests = JSON.parse(
      JSON.stringify({ x: form }).replace('"x"', JSON.stringify(key)),
    ) as object;
    const { server, call, clock, asked } = await calling({
      "tasks/get": () => ({ ...taskAt("input_required"), inputRequests }),
    });
    expect(await during(clock, failureOf(call), 10_000)).toMatchObject({
      code: "invalid-result",
      message: expect.stringContaining("60 polls ago"),
    });
    expect(asked()).toBe(1);
    expect(server.params("tasks/update")).toHaveLength(1);
    expect(server.methods).toContain("tasks/cancel");
  }
});

test("a question that no handler answers cancels the task", async () => {
  const server = serving({
    "tasks/get": () => ({ ...taskAt("input_required"), inputRequests: { name: form } }),
  });
  const { client, clock } = await clientOf(server, { push: false });
  expect(await during(clock, failureOf(client.callTool("slow")))).toMatchObject({
    code: "missing-capability",
  });
  expect(server.methods).toContain("tasks/cancel");
});

test("answers that the server refuses are sent again, without asking the user again", async () => {
  const { server, call, clock, asked } = await calling({
    "tasks/get": (_, count) =>
      count < 5
        ? { ...taskAt("input_required"), inputRequests: { name: form } }
        : { ...taskAt("completed"), ...complete(text("done")) },
    "tasks/update": (_, count) =>
      count < 3 ? { error: { code: -31429, message: "later" } } : { resultType: "complete" },
  });
  expect((await during(clock, call)).content).toEqual(text("done"));
  expect(asked()).toBe(1);
  expect(server.params("tasks/update")).toHaveLength(3);
});

test("a task whose handle cannot be stored is cancelled", async () => {
  const server = serving({ "tasks/get": () => taskAt("working") });
  const cause = new Error("the disk is full");
  const handles = { put: () => Promise.reject(cause), delete: () => {} };
  const { client, own } = await clientOf(server, { push: false, handles });
  for (const failed of [failureOf(client.callTool("slow")), failureOf(own.start("slow"))])
    expect(await failed).toMatchObject({ code: "store-failed", cause });
  expect(server.params("tasks/cancel")).toHaveLength(2);
});
