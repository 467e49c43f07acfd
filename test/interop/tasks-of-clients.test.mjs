// Tasks that clients run for servers (2025-11-25), between ours and the official SDK, version 1.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { tasks as tasksExtension } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/client";
import { clientRevisions } from "@mcpgen/protocol";
import { connect, userRejected } from "@mcpgen/runtime";
import { tasks } from "@mcpgen/tasks/client";
import { receiver } from "@mcpgen/tasks/receiver";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { InMemoryTaskStore } from "@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js";
import { CreateMessageRequestSchema, ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { answers } from "./inbox.mjs";
import { started } from "./started.mjs";
import { hang as timeout } from "../support/until.mjs";

const file = (path) => fileURLToPath(new URL(path, import.meta.url));

const textOf = ({ content }) => content[0].text;

describe("requestStream of the SDK's server, our client", { concurrency: 1 }, () => {
  const user = answers();
  let client;
  before(
    async () => {
      client = await connect(
        { command: process.execPath, args: [file("servers/tasks-of-clients-sdk-v1.mjs")] },
        {
          revisions: clientRevisions,
          extensions: [tasks(tasksExtension, { receiver: receiver() })],
          elicit: { form: (form, context) => user.elicit(form, context), url: () => ({ action: "accept" }) },
          sample: (params) => user.sample(params),
          onEvent: () => true,
        },
      );
    },
    { timeout },
  );
  after(() => client?.close());
  const call = async (name) => JSON.parse(textOf(await client.callTool(name)));

  for (const [name, expected] of [
    ["name", { action: "accept", content: { name: "Ada" } }],
    ["page", { action: "accept" }],
    ["sample", { role: "assistant", model: "fixture", content: { type: "text", text: "something" } }],
  ])
    test(name, { timeout }, async () => {
      const { types, result } = await call(name);
      assert.deepEqual([types[0], types.at(-1)], ["taskCreated", "result"]);
      const { _meta, ...rest } = result;
      assert.deepEqual(rest, expected);
      assert.match(_meta["io.modelcontextprotocol/related-task"].taskId, /^[\da-f]{32}$/);
    });

  test("a rejection by the user becomes an error of the task", { timeout }, async () => {
    user.sample = () => {
      throw userRejected();
    };
    const { types, message } = await call("sample");
    assert.equal(types.at(-1), "error");
    assert.ok(message.length > 0);
  });

  test("tasks are cancelled, and listed", { timeout }, async () => {
    user.elicit = () => new Promise(() => {});
    assert.deepEqual(await call("cancel"), ["cancelled", "cancelled"]);
    const { tasks: all } = await call("list");
    assert.deepEqual(all.map(({ status }) => status).sort(), [
      "cancelled",
      "completed",
      "completed",
      "completed",
      "failed",
    ]);
  });
});

for (const way of ["stdio", "node"])
  describe(`our server over ${way}, tasks of the SDK's client`, { concurrency: 1 }, () => {
    const store = new InMemoryTaskStore();
    const client = new Client(
      { name: "fixture", version: "1.0.0" },
      {
        capabilities: {
          sampling: {},
          elicitation: { form: {} },
          tasks: {
            list: {},
            cancel: {},
            requests: { elicitation: { create: {} }, sampling: { createMessage: {} } },
          },
        },
        taskStore: store,
      },
    );
    const user = answers();
    const asked = [];
    /** Answers later, as a task. */
    const ask = (answer) => async (request, extra) => {
      asked.push(request.params.task);
      const task = await extra.taskStore.createTask({ ttl: request.params.task.ttl, pollInterval: 50 });
      setTimeout(() => {
        Promise.resolve(answer(request.params)).then((result) =>
          extra.taskStore.storeTaskResult(task.taskId, "completed", result),
        );
      }, 100);
      return { task };
    };
    client.setRequestHandler(ElicitRequestSchema, ask(user.elicit));
    client.setRequestHandler(CreateMessageRequestSchema, ask(user.sample));
    let server;
    before(
      async () => {
        const ours = file("servers/tasks.mjs");
        server = way === "stdio" ? undefined : await started([ours, way]);
        await client.connect(
          server
            ? new StreamableHTTPClientTransport(server.url, {
                requestInit: { headers: { authorization: "Bearer ann" } },
              })
            : new StdioClientTransport({ command: process.execPath, args: [ours] }),
        );
      },
      { timeout },
    );
    after(async () => {
      await client.close();
      await server?.close();
      store.cleanup();
    });

    for (const [name, expected] of [
      ["name", "hello Ada"],
      ["sample", "something"],
    ])
      test(`${name}, called without a task`, { timeout }, async () => {
        asked.length = 0;
        assert.equal(textOf(await client.callTool({ name, arguments: {} })), expected);
        assert.deepEqual(asked, [{ ttl: 86_400_000 }]);
      });

    test("name, called as a task", { timeout }, async () => {
      asked.length = 0;
      await client.listTools();
      const stream = client.experimental.tasks.callToolStream({ name: "name", arguments: {} });
      let last;
      for await (const message of stream) last = message;
      assert.equal(textOf(last.result), "hello Ada");
      assert.deepEqual(asked, [{ ttl: 86_400_000 }]);
    });
  });
