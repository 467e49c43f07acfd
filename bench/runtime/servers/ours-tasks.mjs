// mcpgen with a task that has ended, kept in memory, over stdio. The first call of `report` makes the task.
import "@mcpgen/runtime/stdio-guard";
import { tasks as extension } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/server";
import { serverRevisions } from "@mcpgen/protocol/server";
import { createServer } from "@mcpgen/runtime";
import { serveStdio } from "@mcpgen/runtime/stdio";
import { tasks } from "@mcpgen/tasks";

const server = createServer(
  { name: "bench", version: "1.0.0" },
  { revisions: serverRevisions, extensions: [tasks(extension, { limits: { work: Infinity } })] },
);
server.tool("report", { task: { support: "required" } }, (_, { task }) => {
  task?.detach();
  return "a message of some forty characters, hello";
});
serveStdio(server);
