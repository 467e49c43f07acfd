import { type HandlerContext, McpError, type Server, type ServerOptions } from "@mcpgen/runtime";
import { addedToTool, isAnswer, principalOf, undeclared } from "@mcpgen/runtime/extending";
import type { Around } from "@mcpgen/protocol/model";
import type {
  GetTaskResult,
  ServerNotifications,
  tasks as TasksExtension,
} from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/server";
import type { Journal, TaskRecord } from "../state/record.js";
import { Engine } from "./engine.js";
import { type TasksOptions, type ToolTask, checkTasksOptions, toolTaskProblem } from "./options.js";
import { Run } from "./run.js";
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

/** A call that is a task, or may become one. */
export interface HandlerTask {
  /** Id of the task, once the call is one. */
  readonly id: string | undefined;
  /**
   * Makes the call a task now. Asks that follow are answered by the client while it polls. Does nothing if the call is a
   * task already, or if the client has as many tasks as it may have.
   */
  detach(): void;
}

type Implemented = NonNullable<ServerOptions["extensions"]>[number];

/** The extension of tasks, with its behaviour: an element of the option `extensions`. */
export interface Tasks extends Implemented {
  /** Stops the runs of this process, and its timer. Their tasks are for other processes. */
  close(): Promise<void>;
}

const notification: keyof ServerNotifications = "notifications/tasks";

/**
 * Runs calls of tools as tasks (2026-07-28, extension `io.modelcontextprotocol/tasks`).
 *
 * @param extension `tasks` of `@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/server`
 * @throws {McpError} `invalid-definition`: an option is wrong
 */
export function tasks(extension: typeof TasksExtension, options: TasksOptions = {}): Tasks {
  checkTasksOptions(options);
  const engine = new Engine(options);
  const used = extension.implement<HandlerContext>(
    {
      "tasks/get": async ({ taskId }, context) => {
        const record = await found(engine, taskId, context);
        engine.report("read", record);
        return detailedTask(record, engine.now()) as GetTaskResult;
      },
      "tasks/update": async ({ taskId, inputResponses }, context) => {
        const record = await found(engine, taskId, context);
        await update(engine, record, inputResponses as object as Answers, context);
        return {};
      },
      "tasks/cancel": async ({ taskId }, context) => {
        await engine.cancel(await found(engine, taskId, context));
        return {};
      },
    },
    {
      settings: {},
      around: {
        "tools/call": calling(engine, declarationOf(extension)),
        "subscriptions/listen": listening(engine),
      },
    },
  );
  return {
    ...used,
    definitions: { tools: { task: toolTaskProblem } },
    attach: (server) => {
      engine.attach(server as Server);
      engine.changed = (record) => engine.server.notify(notification, detailedTask(record, engine.now()));
    },
    close: () => engine.close(),
  };
}

/** Where clients declare the extension. */
function declarationOf({ bases }: typeof TasksExtension): ReadonlyMap<string, readonly string[]> {
  return new Map([...bases].map(([id, { declared }]) => [id, declared.client!.path]));
}

function declares(capabilities: object, path: readonly string[]): boolean {
  let found: unknown = capabilities;
  for (const key of path) found = (found as { readonly [key: string]: unknown } | null | undefined)?.[key];
  return found !== undefined && found !== null && found !== false;
}

/** @throws {McpError} `invalid-params`: this client has no such task */
async function found(engine: Engine, id: string, context: HandlerContext): Promise<TaskRecord> {
  const owner = principalOf(context);
  const isOwn = engine.ids.isOf(id, owner);
  const record = isOwn === true || (await isOwn) ? await engine.read(id) : undefined;
  // A task of another client, one that has expired and one that never was are refused in the same words.
  if (record?.owner !== owner)
    throw new McpError("invalid-params", "there is no such task", { rpcCode: -32602 });
  return record;
}

type Answers = Journal["answers"];

/** Takes answers to what is outstanding, and runs the task on once nothing is. */
async function update(
  engine: Engine,
  record: TaskRecord,
  answers: Answers,
  context: HandlerContext,
): Promise<void> {
  for (const [key, asked] of Object.entries(record.wanted ?? {}))
    if (Object.hasOwn(answers, key) && !isAnswer(context, asked, answers[key]))
      throw new McpError(
        "invalid-params",
        `inputResponses: ${JSON.stringify(key)} is no result of ${asked.method}`,
        {
          rpcCode: -32602,
        },
      );
  const after = await engine.apply(record.id, { type: "answered", answers }, record);
  if (after?.status === "working" && !after.lease) engine.begin(after, context.auth);
}

/** Leaves ids of other clients out of the filter of a subscription. */
function listening(engine: Engine): Around<HandlerContext> {
  return async ({ params, context }, next) => {
    const { notifications } = params as { readonly notifications: { readonly taskIds?: readonly string[] } };
    const { taskIds } = notifications;
    if (!taskIds) return next();
    const owner = principalOf(context);
    const own: string[] = [];
    for (const id of taskIds) if (await engine.ids.isOf(id, owner)) own.push(id);
    return next({ ...params, notifications: { ...notifications, taskIds: own } });
  };
}

/** Runs around calls of tools. */
function calling(
  engine: Engine,
  declaration: ReadonlyMap<string, readonly string[]>,
): Around<HandlerContext> {
  return ({ params, context }, next) => {
    const run = engine.runOf(context);
    if (run) return again(run, context, next);
    const { name } = params as { readonly name: string };
    const task = addedToTool(engine.server, name, context)?.["task"] as ToolTask | undefined;
    if (!task || task.support === "forbidden") return next();
    const path = declaration.get(context.revision);
    if (!path || !declares(context.clientCapabilities, path)) {
      if (task.support === "required") throw undeclared(context, path ?? ["tasks"]);
      return next();
    }
    return new Call(engine, context, params, task).start(next);
  };
}

/** A run of a task that the server began again. */
function again(
  run: Run,
  context: HandlerContext,
  next: (params?: object, context?: object) => object | Promise<object>,
): object | Promise<object> {
  const handler = run.handler(context, { id: run.id, detach: () => {} } satisfies HandlerTask);
  handler.detach();
  return next(undefined, handler.context);
}

/** A call that may become a task. */
class Call {
  readonly #engine: Engine;
  readonly #context: HandlerContext;
  readonly #params: object;
  readonly #task: ToolTask;
  readonly #run: Run;
  /** Makes the call a task, unless it is one or cannot be one. */
  #promote: () => void = () => {};

  constructor(engine: Engine, context: HandlerContext, params: object, task: ToolTask) {
    this.#engine = engine;
    this.#context = context;
    this.#params = params;
    this.#task = task;
    this.#run = new Run(engine);
  }

  /** Resolves with the result of the handler, or with the task. */
  start(next: (params?: object, context?: object) => object | Promise<object>): object | Promise<object> {
    const run = this.#run;
    const { support, inlineMs = 1000 } = this.#task;
    if (support === "required") this.#requireRoom();
    let isEarly = false;
    const task: HandlerTask = {
      get id() {
        return run.id;
      },
      detach: () => {
        isEarly = true;
        this.#promote();
      },
    };
    const handler = run.handler(this.#context, task);
    let promoted: Promise<object> | undefined;
    const isRoom = (): boolean => this.#exceeded() === undefined && handler.wanted.size === 0;
    const created = new Promise<object>((resolve, reject) => {
      this.#promote = () => {
        if (promoted || !isRoom()) return;
        handler.detach();
        promoted = this.#create(() => outcome);
        this.#run.becomes(promoted);
        promoted.then(resolve, reject);
      };
    });
    const result = attempt(() => next(undefined, handler.context));
    const outcome = Promise.resolve(result);
    outcome.catch(() => {});
    // The handler may have ended; a task that it asked for holds the result.
    if (promoted) return created;
    if (!isPromise(result)) return result;
    const { clock } = this.#engine;
    const timer = isEarly ? undefined : clock.schedule(() => this.#promote(), inlineMs);
    const settled = outcome.finally(() => clock.clear(timer));
    const inline = settled.then(
      (value) => promoted ?? value,
      (error: unknown) => {
        if (promoted) return promoted;
        throw error;
      },
    );
    return Promise.race([created, inline]);
  }

  async #create(outcome: () => Promise<object>): Promise<object> {
    const engine = this.#engine;
    const run = this.#run;
    const record = await engine.create(run, this.#context, this.#params, this.#task).catch((error: Error) => {
      run.stop(error);
      throw new McpError("store-failed", "the task could not be stored", { rpcCode: -32603, cause: error });
    });
    run.continues(record);
    run.settle(outcome(), this.#context);
    return createdTask(record, engine.now());
  }

  #exceeded(): string | undefined {
    const { quotas } = this.#engine;
    return quotas.exceeded(principalOf(this.#context), this.#engine.now());
  }

  /** @throws {McpError} `limit-exceeded` */
  #requireRoom(): void {
    const quota = this.#exceeded();
    if (quota === undefined) return;
    throw new McpError("limit-exceeded", `the client has as many tasks as it may have (quotas.${quota})`, {
      rpcCode: -32600,
      data: { limit: `quotas.${quota}` },
    });
  }
}

/** A function that throws gives a promise that rejects. */
function attempt(run: () => object | Promise<object>): object | Promise<object> {
  try {
    return run();
  } catch (error) {
    return Promise.reject(error as Error);
  }
}

function isPromise(value: object): value is Promise<object> {
  return typeof (value as { readonly then?: unknown }).then === "function";
}
