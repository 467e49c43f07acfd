// A server whose tools run as tasks, as the public conformance suite expects it. `--port N` or `--stdio`.
import "@mcpgen/runtime/stdio-guard";
import { setTimeout as sleep } from "node:timers/promises";
import { tasks as tasksExtension } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/server";
import { serverRevisions } from "@mcpgen/protocol/server";
import { McpError, createServer } from "@mcpgen/runtime";
import { serveHttp } from "@mcpgen/runtime/http";
import { serveStdio } from "@mcpgen/runtime/stdio";
import { tasks } from "@mcpgen/tasks";

const server = createServer(
  { name: "task-server", version: "1.0.0" },
  {
    revisions: serverRevisions,
    state: { keys: ["task-server: a secret for tests"], parking: "routed" },
    extensions: [tasks(tasksExtension, { pollMs: 100 })],
  },
);

/** A call that takes longer than this becomes a task. */
const inlineMs = 50;

const text = {
  type: "object",
  properties: { name: { type: "string" } },
  required: ["name"],
} as const;

server.tool("greet", { inputSchema: text }, ({ name }) => `Hello, ${name}!`);

const work = {
  type: "object",
  properties: { seconds: { type: "number", minimum: 0 }, label: { type: "string" } },
} as const;

server.tool(
  "slow_compute",
  { inputSchema: work, task: { support: "optional", inlineMs } },
  async ({ seconds = 0, label = "work" }, { progress, signal }) => {
    for (let second = 0; second < seconds; second++) {
      progress(second, seconds, `${second} of ${seconds} seconds`);
      await sleep(1000, undefined, { signal });
    }
    return `${label}: done`;
  },
);

server.tool("failing_job", { task: { support: "required", inlineMs } }, async (_, { signal }) => {
  await sleep(1000, undefined, { signal });
  return { content: [{ type: "text", text: "the job failed" }], isError: true };
});

server.tool("protocol_error_job", { task: { support: "optional", inlineMs } }, async (_, { signal }) => {
  await sleep(200, undefined, { signal });
  throw new McpError("internal-error", "the job broke the protocol", { rpcCode: -32603 });
});

const confirmation = (message: string) =>
  ({
    message,
    requestedSchema: {
      type: "object",
      properties: { confirm: { type: "boolean" } },
      required: ["confirm"],
    },
  }) as const;

const naming = (message: string) =>
  ({
    message,
    requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
  }) as const;

const file = {
  type: "object",
  properties: { filename: { type: "string" } },
  required: ["filename"],
} as const;

server.tool(
  "confirm_delete",
  { inputSchema: file, task: { support: "optional" } },
  async ({ filename }, { ask, task }) => {
    task?.detach();
    const answer = await ask.elicit("confirm", confirmation(`Delete ${filename}?`));
    return answer.action === "accept" && answer.content.confirm ? `deleted ${filename}` : `kept ${filename}`;
  },
);

server.tool("multi_input", { task: { support: "optional" } }, async (_, { ask, task }) => {
  task?.detach();
  // Asks that start together are sent together.
  const answers = await Promise.all([
    ask.elicit("first", naming("The first name, please")),
    ask.elicit("second", naming("The second name, please")),
  ]);
  return answers.map(({ action }) => action).join(" and ");
});

server.tool("test_tool_with_task", { task: { support: "required" } }, async (_, { ask, task }) => {
  const answer = await ask.elicit("user_name", naming("What is your name?"));
  task?.detach();
  await sleep(200);
  return answer.action === "accept" ? `Hello, ${answer.content.name}!` : "Hello!";
});

if (process.argv.includes("--stdio")) serveStdio(server);
else {
  const at = process.argv.indexOf("--port");
  const port = at < 0 ? 3000 : Number(process.argv[at + 1]);
  const { url } = await serveHttp(server, { port, host: "localhost" });
  console.error(`listening on ${url}`);
}
