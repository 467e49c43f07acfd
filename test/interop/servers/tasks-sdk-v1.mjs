// A server of the official SDK, version 1, whose tools run as tasks: on stdio, or over HTTP (tasks-sdk-v1.mjs sessions).
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { InMemoryTaskMessageQueue, InMemoryTaskStore } from "@modelcontextprotocol/sdk/experimental/tasks";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CreateMessageResultSchema, ElicitResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { nameForm, sampling, text } from "../fixture.mjs";

const taskStore = new InMemoryTaskStore();
const taskMessageQueue = new InMemoryTaskMessageQueue();

function makeServer() {
  const server = new McpServer(
    { name: "tasks", version: "1.0.0" },
    {
      capabilities: { tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
      taskStore,
      taskMessageQueue,
    },
  );
  /** A tool whose calls do `work`, and end as it says: with a result, or with nothing. */
  const task = (name, taskSupport, work, config = {}) =>
    server.experimental.tasks.registerToolTask(
      name,
      {
        description: name,
        inputSchema: { text: z.string().optional() },
        execution: { taskSupport },
        ...config,
      },
      {
        createTask: async (input, extra) => {
          const created = await extra.taskStore.createTask({ ttl: 60_000, pollInterval: 50 });
          const { taskId } = created;
          void work(input, extra, taskId).then((result) => {
            if (result) return extra.taskStore.storeTaskResult(taskId, statusOf(result), result);
          });
          return { task: created };
        },
        getTask: (_, { taskId, taskStore: store }) => store.getTask(taskId),
        getTaskResult: (_, { taskId, taskStore: store }) => store.getTaskResult(taskId),
      },
    );
  const turn = () => new Promise((resolve) => setTimeout(resolve, 20));
  task("work", "optional", async (input, extra, taskId) => {
    await extra.taskStore.updateTaskStatus(taskId, "working", "half");
    await turn();
    return text(`worked on ${input.text}`);
  });
  task("strict", "required", async () => {
    await turn();
    return { ...text("5"), structuredContent: { sum: 5 } };
  });
  task("fail", "optional", async () => {
    await turn();
    return { ...text("it went wrong"), isError: true };
  });
  task("wait", "optional", turn);
  const asking = (method, params, schema, show) => async (_, extra, taskId) => {
    await turn();
    await extra.taskStore.updateTaskStatus(taskId, "input_required");
    const answer = await extra.sendRequest({ method, params }, schema, { relatedTask: { taskId } });
    await extra.taskStore.updateTaskStatus(taskId, "working");
    return text(show(answer));
  };
  task(
    "name",
    "required",
    asking("elicitation/create", nameForm, ElicitResultSchema, ({ content }) => `hello ${content.name}`),
  );
  task(
    "sample",
    "required",
    asking("sampling/createMessage", sampling, CreateMessageResultSchema, ({ content }) => content.text),
  );
  server.registerTool("plain", { inputSchema: { text: z.string() } }, (input) => text(`plain ${input.text}`));
  return server;
}

const statusOf = ({ isError }) => (isError ? "failed" : "completed");

const sessions = new Map();
async function withSession(request, response) {
  let transport = sessions.get(request.headers["mcp-session-id"]);
  if (!transport) {
    transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => sessions.set(id, transport),
    });
    await makeServer().connect(transport);
  }
  await transport.handleRequest(request, response);
}

if (process.argv[2] === "sessions") createServer(withSession).listen(0, "127.0.0.1");
else await makeServer().connect(new StdioServerTransport());
