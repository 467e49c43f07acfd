import { type HandlerContext, McpError } from "@mcpgen/runtime";
import type { Revision } from "@mcpgen/protocol/model";
import { Call, type Next } from "./call.js";
import { coreProgress, createdCoreTask, resultMethod } from "./core-tasks.js";
import type { Engine } from "./engine.js";
import type { ToolTask } from "./options.js";

// Calls of tools and capabilities where tasks are in the core of the protocol (2025-11-25, tasks).

/** Whether calls of any tool may run as tasks: only then the server declares it. */
function offersTasks(engine: Engine): boolean {
  const { entries } = engine.server.features.tools;
  return [...entries.values()].some((entry) => isTask(entry.added));
}

function isTask(added: { readonly [member: string]: unknown } | undefined): boolean {
  const task = added?.["task"] as ToolTask | undefined;
  return task !== undefined && task.support !== "forbidden";
}

/** The capabilities of a server at a revision. */
export function coreCapabilities(engine: Engine, { table }: Revision, canList: boolean): object {
  if (!table.incomingRequests.has(resultMethod) || !offersTasks(engine)) return {};
  return { tasks: { cancel: {}, requests: { tools: { call: {} } }, ...(canList && { list: {} }) } };
}

/** A list of tools that says which of them run as tasks. */
export async function listedTools(engine: Engine, listed: object | Promise<object>): Promise<object> {
  const { tools, ...rest } = (await listed) as { readonly tools: readonly { readonly name: string }[] };
  const { entries } = engine.server.features.tools;
  const withSupport = tools.map((tool) => {
    const { added } = entries.get(tool.name) ?? {};
    if (!isTask(added)) return tool;
    return { ...tool, execution: { taskSupport: (added!["task"] as ToolTask).support } };
  });
  return { ...rest, tools: withSupport };
}

/**
 * Runs a call as a task, if the client asks for one.
 *
 * @param task absent for a tool whose calls never become tasks
 * @throws {McpError} `method-not-found`: the tool requires a task, or runs as none (2025-11-25, tasks, tool-level
 *   negotiation)
 */
export function coreCall(
  engine: Engine,
  context: HandlerContext,
  params: object,
  task: ToolTask | undefined,
  next: Next,
): object | Promise<object> {
  const { name, task: asked } = params as {
    readonly name: string;
    readonly task?: { readonly ttl?: number };
  };
  // What is not declared is not read.
  if (!offersTasks(engine)) return next();
  if (!asked && task?.support === "required")
    throw refused(`${name} runs as a task: ask for one with params.task`);
  if (!asked) return next();
  if (!task) throw refused(`${name} does not run as a task: leave params.task out`);
  const call = new Call(engine, context, params, task, {
    created: (record, now) => createdCoreTask(context, record, now),
    progressed: (id, ...report) => coreProgress(context, id, ...report),
    keepMs: asked.ttl,
  });
  return call.start(next, true);
}

function refused(message: string): McpError {
  return new McpError("method-not-found", message, { rpcCode: -32601 });
}
