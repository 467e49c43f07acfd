import type { JsonObject } from "@mcpgen/engine";
import type { LiveClient } from "../../capture/runtime.js";
import { askServer } from "../ask/ask-server.js";
import { toolOutcome } from "../call/tool-outcome.js";
import { expectFree } from "../content/save.js";
import type { RunCommand } from "../context.js";
import { withFindings } from "../outcome.js";
import { serverSource } from "../servers/named-servers.js";
import { ServerTasks } from "./server-tasks.js";
import { taskNamed } from "./task-id.js";

/** Waits for a task, and prints its result as `call` does. */
export const taskResult: RunCommand = async (args, context) => {
  expectFree(args, context);
  const source = await serverSource(args.required("source"), args, context);
  const tasks = await ServerTasks.open(source, "task", context);
  const named = taskNamed(args, tasks);
  const use = async (client: LiveClient): Promise<JsonObject> => {
    tasks.expectOffered(client);
    return tasks.result(tasks.waitedFor ?? named);
  };
  const result = await askServer(source, args, context, use, tasks);
  return withFindings(toolOutcome(result, named.kept?.tool ?? "task", source, args, context), tasks.findings);
};
