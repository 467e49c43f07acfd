import { type HandlerContext, McpError } from "@mcpgen/runtime";
import type { Revision } from "@mcpgen/protocol/model";
import { resultMethod } from "../state/core-names.js";
import { Call, type Next } from "./call.js";
import type { Engine } from "./engine.js";
import { found } from "./found.js";
import { type ToolTask, isTask } from "./options.js";

// What a server has from the start for tasks in the core of the protocol (2025-11-25, tasks). The rest is loaded when a client
// asks for it.

/** What only the core protocol has. */
export const loadCore = () => import("./core-tasks.js");

/** Whether calls of any tool may run as tasks: only then the server declares it. */
function offersTasks(engine: Engine): boolean {
  const { entries } = engine.server.features.tools;
  return [...entries.values()].some((entry) => isTask(entry.added));
}

/** The capabilities of a server at a revision. */
export function coreCapabilities(engine: Engine, { table }: Revision, canList: boolean): object {
  if (!table.incomingRequests.has(resultMethod) || !offersTasks(engine)) return {};
  return { tasks: { cancel: {}, requests: { tools: { call: {} } }, ...(canList && { list: {} }) } };
}

/** Handlers of the requests that only the core protocol has. */
export function coreHandlers(
  engine: Engine,
  canList: boolean,
): Readonly<Record<string, (params: never, context: HandlerContext) => Promise<object>>> {
  return {
    [resultMethod]: async ({ taskId }: { readonly taskId: string }, context) => {
      const record = await found(engine, taskId, context);
      return (await loadCore()).resultOf(engine, record, context);
    },
    ...(canList && {
      "tasks/list": async ({ cursor }: { readonly cursor?: string }, context: HandlerContext) =>
        (await loadCore()).listOf(engine, cursor, context),
    }),
  };
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
  return loadCore().then(({ coreWords }) =>
    new Call(engine, context, params, task, coreWords(engine, context, task, asked.ttl)).start(next, true),
  );
}

function refused(message: string): McpError {
  return new McpError("method-not-found", message, { rpcCode: -32601 });
}
