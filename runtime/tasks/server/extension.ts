import type { HandlerContext, Server, ServerOptions } from "@mcpgen/runtime";
import { invalid } from "@mcpgen/base";
import { ServerRequest } from "@mcpgen/runtime/extending";
import type { Around, Revision } from "@mcpgen/protocol/model";
import type {
  CancelTaskResult,
  GetTaskResult,
  tasks as TasksExtension,
} from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/server";
import { resultMethod } from "../state/core-names.js";
import type { Journal, TaskRecord, TaskStatus } from "../state/record.js";
import type { Call } from "./call.js";
import { Engine } from "./engine.js";
import { found, isReadable } from "./lookup.js";
import { type TasksOptions, type ToolTask, checkTasksOptions, isTask, toolTaskProblem } from "./options.js";
import { addedToTool, hasRequest, principalOf } from "./request.js";
import type { HandlerTask, Next, ToolCall } from "./tool-call.js";
import { createdTask, detailedTask } from "./view.js";

declare module "@mcpgen/runtime" {
  interface AddedToolOptions {
    /** How calls of the tool run as tasks. Default: they do not. */
    readonly task?: ToolTask;
  }

  interface AddedContext {
    /** The task that this call is or may become; absent if it cannot become one. */
    readonly task?: HandlerTask;
  }
}

const input = () => import("./answers.js");

/** Loads the code for core tasks (2025-11-25, tasks), when a client first uses them. */
const core = () => import("./core-tasks.js");

/** The module for calls that may become tasks, loaded at the first such call. Later calls need no promise for it. */
let calls: { readonly Call: typeof Call } | undefined;

function withCalls(
  start: (module: { readonly Call: typeof Call }) => object | Promise<object>,
): object | Promise<object> {
  return calls ? start(calls) : import("./call.js").then((module) => start((calls = module)));
}

/** Loads the code for clients of revisions without tasks. */
const fallback = () => import("./fallback-tools.js");

const runs = () => import("./runs.js");

type Implemented = NonNullable<ServerOptions["extensions"]>[number];

/** The implemented tasks extension: an element of the option `extensions`. */
export interface Tasks extends Implemented {
  /**
   * For the workers of a queue: runs a task in this process until it ends, waits for input, or another run takes it. Does
   * nothing if a run has the task, or if the task needs no run.
   *
   * @returns the status afterwards; `undefined` if the task does not exist
   */
  run(taskId: string): Promise<TaskStatus | undefined>;
  /** @internal */
  readonly engine: Engine;
  /** Stops the runs and the timer of this process. Other processes may continue the tasks. */
  close(): Promise<void>;
}

/**
 * Lets tool calls run as tasks (2026-07-28, extension `io.modelcontextprotocol/tasks`).
 *
 * @param extension `tasks` of `@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/server`
 * @throws {McpError} `invalid-definition`: an option is wrong, or `extension` is not that extension
 */
export function tasks(extension: typeof TasksExtension, options: TasksOptions = {}): Tasks {
  if ((extension as typeof extension | undefined)?.role !== "server")
    throw invalid("tasks: expected the extension of a server, of …/io.modelcontextprotocol/tasks/server.");
  checkTasksOptions(options);
  const engine = new Engine(options, async (each) => (await import("./sweep.js")).sweep(each));
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
        // A fast path: a task in memory is returned synchronously.
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
              ? fallback().then(({ fallbackList }) => fallbackList(engine, context, next()))
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
    run: async (taskId) => (await runs()).runTask(engine, taskId),
    close: async () => {
      engine.close();
      if (engine.runs.size > 0) await (await runs()).abandonRuns(engine);
    },
  };
}

/** The path at which clients declare the extension, by revision. */
function declarationOf({ bases }: typeof TasksExtension): ReadonlyMap<string, readonly string[]> {
  return new Map([...bases].map(([id, { declared }]) => [id, declared.client!.path]));
}

/** Makes the middleware for tool calls. */
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
    if (wanted && task)
      return withCalls((module) =>
        new module.Call(engine, { context, params, task }, wanted).start(next, true),
      );
    const path = declaration.get(context.revision);
    if (!path) {
      if (hasRequest(context, resultMethod)) return coreCall(engine, { context, params, task }, next);
      if (!engine.options.fallback && task?.support !== "required") return next();
      return fallback().then(({ fallbackCall }) => fallbackCall(engine, { context, params, task }, next));
    }
    if (!task) return next();
    const request = new ServerRequest(context);
    if (!request.declares(path)) {
      if (task.support !== "required") return next();
      throw request.undeclared(path);
    }
    return withCalls((module) =>
      new module.Call(engine, { context, params, task }, { created: createdTask }).start(next),
    );
  };
}

/** Returns the task capabilities of a server at a revision. Called again at each change of the tools. */
function coreCapabilities(engine: Engine, { table }: Revision, canList: boolean): object {
  if (!table.incomingRequests.has(resultMethod)) return {};
  const { entries } = engine.server.features.tools;
  engine.offersTasks = [...entries.values()].some(({ added }) => isTask(added));
  if (!engine.offersTasks) return {};
  return { tasks: { cancel: {}, requests: { tools: { call: {} } }, ...(canList && { list: {} }) } };
}

/** Makes the handlers of requests that only the core protocol has. */
function coreHandlers(
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

/** Runs a call as a core task if the client asks for one. @param call `task` is absent if the tool does not support tasks */
function coreCall(
  engine: Engine,
  call: ToolCall<ToolTask | undefined>,
  next: Next,
): object | Promise<object> {
  // If the server does not declare tasks, ignore `params.task`.
  if (!(call.task ?? "task" in call.params) || !engine.offersTasks) return next();
  return core().then(({ coreTaskCall }) => coreTaskCall(engine, call, next));
}
