import type { HandlerContext } from "@mcpgen/runtime";
import type { Revision } from "@mcpgen/protocol/model";
import { resultMethod } from "../state/core-names.js";
import type { Next, ToolCall } from "./call.js";
import type { Engine } from "./engine.js";
import { type ToolTask, isTask } from "./options.js";

// What a server has from the start for tasks in the core of the protocol (2025-11-25, tasks). The rest is loaded when a client
// asks for it.

/** What only the core protocol has. */
export const core = () => import("./core-tasks.js");

/** The capabilities of a server at a revision. A server asks for them again at each change of its tools. */
export function coreCapabilities(engine: Engine, { table }: Revision, canList: boolean): object {
  if (!table.incomingRequests.has(resultMethod)) return {};
  const { entries } = engine.server.features.tools;
  engine.offersTasks = [...entries.values()].some(({ added }) => isTask(added));
  if (!engine.offersTasks) return {};
  return { tasks: { cancel: {}, requests: { tools: { call: {} } }, ...(canList && { list: {} }) } };
}

/** Handlers of the requests that only the core protocol has. */
export function coreHandlers(
  engine: Engine,
  canList: boolean,
): Readonly<Record<string, (params: never, context: HandlerContext) => Promise<object>>> {
  return {
    [resultMethod]: async (params, context) => (await core()).resultOf(engine, params, context),
    ...(canList && {
      "tasks/list": async (params: never, context: HandlerContext) =>
        (await core()).listOf(engine, params, context),
    }),
  };
}

/** Runs a call as a task, if the client asks for one; its asks may be tasks of the client. @param call without a task for a tool whose calls never become tasks */
export function coreCall(
  engine: Engine,
  call: ToolCall<ToolTask | undefined>,
  next: Next,
): object | Promise<object> {
  // What is not declared is not read.
  if (!(call.task ?? "task" in call.params) || !engine.offersTasks) return next();
  return core().then(({ coreTaskCall }) => coreTaskCall(engine, call, next));
}
