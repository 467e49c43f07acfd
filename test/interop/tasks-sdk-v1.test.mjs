// Tasks of 2025-11-25 between ours and the official SDK, version 1.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  CallToolResultSchema,
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ResultSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { answers } from "./inbox.mjs";
import { started } from "./started.mjs";
import { hang as timeout } from "../support/until.mjs";

const ours = fileURLToPath(new URL("servers/tasks.mjs", import.meta.url));

const relatedKey = "io.modelcontextprotocol/related-task";

/** A client of the SDK, what it asks its user, and the requests that it got. */
function theirClient() {
  const client = new Client(
    { name: "fixture", version: "1.0.0" },
    { capabilities: { sampling: {}, elicitation: { form: {} } } },
  );
  const user = answers();
  const asked = [];
  const ask = (answer) => (request) => {
    asked.push(request.params);
    return answer(request.params);
  };
  client.setRequestHandler(ElicitRequestSchema, ask(user.elicit));
  client.setRequestHandler(CreateMessageRequestSchema, ask(user.sample));
  return { client, asked };
}

/** The messages of a stream of the SDK, until its end. */
async function messagesOf(stream, seen = () => {}) {
  const messages = [];
  for await (const message of stream) {
    messages.push(message);
    await seen(message);
  }
  return messages;
}

const textOf = ({ content }) => content[0].text;

for (const way of ["stdio", "node", "fetch"])
  describe(`callToolStream of the SDK, our server over ${way}`, { concurrency: 1 }, () => {
    const { client, asked } = theirClient();
    let server;
    const transportFor = (name) =>
      server
        ? new StreamableHTTPClientTransport(server.url, {
            requestInit: { headers: { authorization: `Bearer ${name}` } },
          })
        : new StdioClientTransport({ command: process.execPath, args: [ours] });
    before(
      async () => {
        server = way === "stdio" ? undefined : await started([ours, way]);
        await client.connect(transportFor("ann"));
        await client.listTools();
      },
      { timeout },
    );
    after(async () => {
      await client.close();
      await server?.close();
    });
    const { tasks } = client.experimental;
    const stream = (name, args = {}, options = undefined, seen = undefined) =>
      messagesOf(tasks.callToolStream({ name, arguments: args }, undefined, options), seen);

    test("what the server declares", { timeout }, async () => {
      assert.deepEqual(client.getServerCapabilities().tasks, {
        cancel: {},
        requests: { tools: { call: {} } },
        ...(server && { list: {} }),
      });
      const { tools } = await client.listTools();
      const support = Object.fromEntries(tools.map(({ name, execution }) => [name, execution?.taskSupport]));
      assert.deepEqual([support.plain, support.work, support.strict], [undefined, "optional", "required"]);
    });

    test("created, working, progress until the end, the result", { timeout }, async () => {
      const progress = [];
      const options = { onprogress: (report) => progress.push(report.message) };
      let isReleased = false;
      const messages = await stream("work", { text: "it" }, options, async ({ type, task }) => {
        if (type !== "taskStatus" || task.statusMessage !== "half" || isReleased) return;
        isReleased = true;
        await client.callTool({ name: "release", arguments: { text: "it" } });
      });
      const [created] = messages;
      assert.deepEqual([created.type, created.task.status], ["taskCreated", "working"]);
      assert.ok(created.task.ttl > 0 && created.task.pollInterval === 50);
      const statuses = messages.filter(({ type }) => type === "taskStatus").map(({ task }) => task.status);
      assert.deepEqual([statuses[0], statuses.at(-1)], ["working", "completed"]);
      assert.equal(textOf(messages.at(-1).result), "worked on it");
      assert.equal(messages.at(-1).result._meta[relatedKey].taskId, created.task.taskId);
      if (!server) assert.deepEqual(progress, ["half", "whole"]);
    });
    test("a tool that requires tasks, with structured content", { timeout }, async () => {
      const messages = await stream("strict");
      assert.equal(messages[0].type, "taskCreated");
      assert.deepEqual(messages.at(-1).result.structuredContent, { sum: 5 });
      await assert.rejects(
        client.request({ method: "tools/call", params: { name: "strict" } }, ResultSchema),
        {
          code: -32601,
        },
      );
    });
    test("without a task, an optional tool answers itself", { timeout }, async () => {
      await client.callTool({ name: "release", arguments: { text: "that" } });
      assert.equal(
        textOf(await client.callTool({ name: "work", arguments: { text: "that" } })),
        "worked on that",
      );
    });
    test(
      "a tool without tasks: the SDK does not ask for a task, and a task is refused",
      { timeout },
      async () => {
        const messages = await stream("plain", { text: "it" });
        assert.deepEqual(
          messages.map(({ type }) => type),
          ["result"],
        );
        const refused = await stream("plain", { text: "it" }, { task: {} });
        assert.deepEqual([refused[0].type, refused[0].error.code], ["error", -32601]);
      },
    );
    test("elicitation inside a task", { timeout }, async () => {
      asked.length = 0;
      const messages = await stream("name");
      const { taskId } = messages[0].task;
      assert.ok(messages.some(({ task }) => task?.status === "input_required"));
      assert.equal(textOf(messages.at(-1).result), "hello Ada");
      assert.deepEqual(
        asked.map(({ _meta }) => _meta[relatedKey]),
        [{ taskId }],
      );
    });
    test("sampling inside a task", { timeout }, async () => {
      const messages = await stream("sample");
      assert.equal(textOf(messages.at(-1).result), "something");
    });
    test("a result that says isError: failed, and tasks/result still has it", { timeout }, async () => {
      const messages = await stream("fail");
      const { task } = messages.at(-2);
      assert.deepEqual([task.status, task.statusMessage], ["failed", "it went wrong"]);
      assert.equal(messages.at(-1).type, "error");
      const result = await tasks.getTaskResult(task.taskId, CallToolResultSchema);
      assert.deepEqual([result.isError, textOf(result)], [true, "it went wrong"]);
    });
    test("an error: failed, and tasks/result is that error", { timeout }, async () => {
      const messages = await stream("broken");
      const { task } = messages.at(-2);
      assert.deepEqual([task.status, task.statusMessage], ["failed", "it broke"]);
      await assert.rejects(tasks.getTaskResult(task.taskId, CallToolResultSchema), {
        code: -32050,
        data: { part: 3 },
      });
    });
    test("cancelled while it runs", { timeout }, async () => {
      const messages = await stream("wait", {}, undefined, async ({ type, task }) => {
        if (type !== "taskCreated") return;
        const cancelled = await tasks.cancelTask(task.taskId);
        assert.equal(cancelled.status, "cancelled");
      });
      assert.equal(messages.at(-2).task.status, "cancelled");
      assert.equal(messages.at(-1).type, "error");
      assert.equal(textOf(await client.callTool({ name: "aborted" })), "1");
      await assert.rejects(tasks.cancelTask(messages[0].task.taskId), { code: -32602 });
      await assert.rejects(tasks.getTaskResult(messages[0].task.taskId, ResultSchema), { code: -32603 });
    });
    test("a ttl that the client requests", { timeout }, async () => {
      const [{ task }] = await stream("strict", {}, { task: { ttl: 5000 } });
      // It counts from the end of the task.
      assert.ok(task.ttl >= 5000 && task.ttl < 60_000, String(task.ttl));
      await assert.rejects(tasks.getTask(`${task.taskId}x`), { code: -32602 });
    });
    test("lists show the tasks of this client", { timeout }, async () => {
      if (!server) return assert.rejects(tasks.listTasks(), { code: -32601 });
      const [{ task }] = await stream("strict");
      const listed = await tasks.listTasks();
      assert.ok(listed.tasks.some(({ taskId }) => taskId === task.taskId));
      const other = theirClient().client;
      await other.connect(transportFor("bob"));
      try {
        assert.deepEqual(await other.experimental.tasks.listTasks(), { tasks: [] });
        await assert.rejects(other.experimental.tasks.getTask(task.taskId), { code: -32602 });
      } finally {
        await other.close();
      }
    });
  });
