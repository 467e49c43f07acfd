import { type CommandDefinition, text } from "./command-definition.js";
import { outputOptions, questionOptionDefinitions } from "./everyday-commands.js";
import { serverOptionDefinitions, serverSourceText } from "./server-options.js";

const revision = text("Revision to speak (default: the newest that both know)");
const source = { type: "string", description: serverSourceText, demandOption: true } as const;
const id = {
  type: "string",
  description: "Id of the task (default: the only one that this machine has started there)",
} as const;

/** Commands about tasks: calls of tools that go on after their answer. */
export const taskCommands: readonly CommandDefinition[] = [
  {
    name: "task list",
    summary: "Show the tasks of a server; or those that this machine has started on any",
    positionals: { source: { type: "string", description: `${serverSourceText}; without it: all servers` } },
    options: { revision, ...serverOptionDefinitions },
    examples: [["$0 task list reports", "with their states"]],
    load: async () => (await import("./task.js")).taskList,
  },
  {
    name: "task get",
    summary: "Show the state of a task",
    positionals: { source, id },
    options: { revision, ...serverOptionDefinitions },
    load: async () => (await import("./task.js")).taskGet,
  },
  {
    name: "task result",
    summary: "Wait for a task, and print its result as call does",
    positionals: { source, id },
    options: { ...outputOptions, ...questionOptionDefinitions, revision, ...serverOptionDefinitions },
    examples: [["$0 task result reports", "of the task that `mcpgen call --detach` has started"]],
    load: async () => (await import("./task.js")).taskResult,
  },
  {
    name: "task cancel",
    summary: "Ask the server to cancel a task",
    positionals: { source, id },
    options: { revision, ...serverOptionDefinitions },
    load: async () => (await import("./task.js")).taskCancel,
  },
];
