// A server of the official SDK, version 1, whose tools ask the client by tasks that the client runs.
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { nameForm, sampling } from "../fixture.mjs";

const server = new Server({ name: "asks", version: "1.0.0" }, { capabilities: { tools: {} } });
const { tasks } = server.experimental;
const options = { task: { ttl: 60_000 } };

const streams = {
  name: () => tasks.elicitInputStream({ mode: "form", ...nameForm }, options),
  page: () =>
    tasks.elicitInputStream(
      { mode: "url", message: "Visit", url: "https://example.com/", elicitationId: "e1" },
      options,
    ),
  sample: () => tasks.createMessageStream(sampling, options),
};

/** The kinds of messages of a stream, and the last one. */
async function textOf(stream) {
  const types = [];
  let last;
  for await (const message of stream) {
    if (message.type !== types.at(-1)) types.push(message.type);
    last = message;
  }
  const { result, error } = last;
  return JSON.stringify({ types, result, ...(error && { code: error.code, message: error.message }) });
}

const others = {
  list: async () => JSON.stringify(await tasks.listTasks()),
  cancel: async () => {
    for await (const message of streams.name())
      if (message.type === "taskCreated") {
        const cancelled = await tasks.cancelTask(message.task.taskId);
        const { status } = await tasks.getTask(message.task.taskId);
        return JSON.stringify([cancelled.status, status]);
      }
    return "no task";
  },
};

server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: [...Object.keys(streams), ...Object.keys(others)].map((name) => ({
    name,
    inputSchema: { type: "object" },
  })),
}));
server.setRequestHandler(CallToolRequestSchema, async ({ params: { name } }) => {
  const text = name in streams ? await textOf(streams[name]()) : await others[name]();
  return { content: [{ type: "text", text }] };
});
await server.connect(new StdioServerTransport());
