import type { HandlerContext, Server, ServerOptions } from "@mcpgen/runtime";
import {
  addedToTool,
  declares,
  hasRequest,
  invalid,
  principalOf,
  undeclared,
} from "@mcpgen/runtime/extending";
import type { Around } from "@mcpgen/protocol/model";
import type {
  CancelTaskResult,
  GetTaskResult,
  tasks as TasksExtension,
} from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/server";
import { resultMethod } from "../state/core-names.js";
import type { Journal, TaskRecord, TaskStatus } from "../state/record.js";
import { Call, type HandlerTask } from "./call.js";
import { core, coreCall, coreCapabilities, coreHandlers } from "./core-calls.js";
import { Engine, again } from "./engine.js";
import { found, isReadable } from "./found.js";
import { type TasksOptions, type ToolTask, checkTasksOptions, toolTaskProblem } from "./options.js";
import { createdTask, detailedTask } from "./view.js";

declare module "@mcpgen/runtime" {
  interface AddedToolOptions {
    /** Calls of the tool may run as tasks. Default: they do not. */
    readonly task?: ToolTask;
  }

  interface AddedContext {
    /** The task that this call is or may become; absent if it cannot be one. */
    readonly task?: HandlerTask;
  }
}

const input = () => import("./input.js");

/** What clients of revisions without tasks get. */
const older = () => import("./older.js");

type Implemented = NonNullable<ServerOptions["extensions"]>[number];

/** The extension of tasks, with its behaviour: an element of the option `extensions`. */
export interface Tasks extends Implemented {
  /**
   * Runs a task here until it ends, waits for input, or is lost to another run: for the workers of a queue. Does nothing if a
   * run has the task, or if it needs none.
   *
   * @returns its status then; `undefined` if there is no such task
   */
  run(taskId: string): Promise<TaskStatus | undefined>;
  /** @internal */
  readonly engine: Engine;
  /** Stops the runs of this process, and its timer. Their tasks are for other processes. */
  close(): Promise<void>;
}

/**
 * Runs calls of tools as tasks (2026-07-28, extension `io.modelcontextprotocol/tasks`).
 *
 * @param extension `tasks` of `@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/server`
 * @throws {McpError} `invalid-definition`: an option is wrong, or `extension` is something else
 */
export function tasks(extension: typeof TasksExtension, options: TasksOptions = {}): Tasks {
  if ((extension as typeof extension | undefined)?.role !== "server")
    throw invalid("tasks: expected the extension of a server, of …/io.modelcontextprotocol/tasks/server.");
  checkTasksOptions(options);
  const engine = new Engine(options);
  const { list = false } = options;
  const isCore = (context: HandlerContext): boolean =>
    !extension.bases.has(context.revision) && hasRequest(context, resultMethod);
  const shown = (record: TaskRecord, context: HandlerContext): GetTaskResult | Promise<GetTaskResult> => {
    engine.report("read", record);
    return isCore(context)
      ? core().then(({ gotTask }) => gotTask(engine, record) as GetTaskResult)
      : (detailedTask(record, engine.now()) as GetTaskResult);
  };
  const used = extension.implement<HandlerContext>(
    {
      "tasks/get": ({ taskId }, context) => {
        // What is in memory is shown at once: then a poll costs little more than its message.
        const known = engine.local?.find(taskId);
        return known?.owner === principalOf(context) &&
          isReadable(known, context, false) === true &&
          engine.polled(taskId) === undefined
          ? shown(known, context)
          : found(engine, taskId, context, true).then((record) => shown(record, context));
      },
      "tasks/update": async ({ taskId, inputResponses }, context) => {
        const record = await found(engine, taskId, context);
        await (await input()).update(engine, record, inputResponses as object as Journal["answers"], context);
        return {};
      },
      "tasks/cancel": async ({ taskId }, context) => {
        const record = await found(engine, taskId, context);
        if (isCore(context))
          return (await core()).cancelCoreTask(engine, record) as Promise<CancelTaskResult>;
        await engine.cancel(record);
        return {};
      },
    },
    {
      settings: {},
      around: {
        "tools/call": calling(engine, declarationOf(extension)),
        "tools/list": ({ context }, next) =>
          isCore(context)
            ? core().then(({ listedTools }) => listedTools(engine, next()))
            : options.fallback && !extension.bases.has(context.revision)
              ? older().then(({ olderList }) => olderList(engine, context, next()))
              : next(),
        "subscriptions/listen": ({ params, context }, next) =>
          "taskIds" in (params as { readonly notifications: object }).notifications
            ? input().then(async ({ ownFilter }) => next(await ownFilter(engine, params, context)))
            : next(),
      },
    },
  );
  return {
    ...used,
    engine,
    definitions: { tools: { task: toolTaskProblem } },
    also: { ...used.handlers, ...coreHandlers(engine, list) },
    capabilities: (revision) => coreCapabilities(engine, revision, list),
    attach: (server, { changes }: Pick<ServerOptions, "changes">) => engine.attach(server as Server, changes),
    run: async (taskId) => (await again()).runTask(engine, taskId),
    close: () => engine.close(),
  };
}

/** Where clients declare the extension. */
function declarationOf({ bases }: typeof TasksExtension): ReadonlyMap<string, readonly string[]> {
  return new Map([...bases].map(([id, { declared }]) => [id, declared.client!.path]));
}

/** Runs around calls of tools. */
function calling(
  engine: Engine,
  declaration: ReadonlyMap<string, readonly string[]>,
): Around<HandlerContext> {
  return ({ params, context }, next) => {
    const again = engine.again.get(context);
    if (again) return again(context, next);
    const wanted = engine.wanted.get(context);
    const { name } = params as { readonly name: string };
    const added = addedToTool(engine.server, name, context)?.["task"] as ToolTask | undefined;
    const task = added?.support === "forbidden" ? undefined : added;
    if (wanted && task) return new Call(engine, { context, params, task }, wanted).start(next, true);
    const path = declaration.get(context.revision);
    if (!path) {
      if (hasRequest(context, resultMethod)) return coreCall(engine, { context, params, task }, next);
      if (!engine.options.fallback && task?.support !== "required") return next();
      return older().then(({ olderCall }) => olderCall(engine, { context, params, task }, next));
    }
    if (!task) return next();
    if (!declares(context.clientCapabilities, path)) {
      if (task.support !== "required") return next();
      throw undeclared(context, path);
    }
    return new Call(engine, { context, params, task }, { created: createdTask }).start(next);
  };
}
