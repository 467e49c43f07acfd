import { type HandlerContext, McpError, type Server, type ServerOptions } from "@mcpgen/runtime";
import { makesCall, ServerRequest } from "@mcpgen/runtime/extending";
import type {
  ClientRequests,
  CreateTaskResult,
  GetTaskResult,
  ServerNotifications,
  TaskStatus as DialectStatus,
  experimentalTasks as Dialect,
} from "@mcpgen/protocol/extensions/dev.mcpgen/experimental-tasks/server";
import { askApart, notifyClient } from "./server/request.js";
import { type TaskRecord, internal, isFinal } from "./state/record.js";
import { answered, refused } from "./server/answers.js";
import type { Engine } from "./server/engine.js";
import type { Tasks } from "./server/extension.js";
import { found } from "./server/lookup.js";
import { isTask } from "./server/options.js";
import { type Voice, audible } from "./server/tool-call.js";

// The experimental dialect (extension `dev.mcpgen/experimental-tasks`). At a revision without tasks, a client creates a
// task by `tasks/create`, and gets notifications about it.

/** The implemented dialect: an element of the option `extensions`. */
export type ExperimentalTasks = NonNullable<ServerOptions["extensions"]>[number];

const called = "tools/call";
const creating: keyof ClientRequests = "tasks/create";
const progressed: keyof ServerNotifications = "notifications/tasks/progress";
const completed: keyof ServerNotifications = "notifications/tasks/completed";

/** Status text of a task that waits for input. */
const waiting = "waiting for input";

/**
 * Runs tool calls as tasks for clients of 2025-06-18 and before that declare `experimental.tasks`.
 *
 * @param extension `experimentalTasks` of `@mcpgen/protocol/extensions/dev.mcpgen/experimental-tasks/server`
 * @param tasks the object from `tasks()`, in the same `extensions`
 * @throws {McpError} `invalid-definition`: `tasks` is not that object
 */
export function experimentalTasks(extension: typeof Dialect, tasks: Tasks): ExperimentalTasks {
  const engine = (tasks as Partial<Tasks> | undefined)?.engine;
  if (!engine)
    throw new McpError(
      "invalid-definition",
      "experimentalTasks: expected what tasks() of @mcpgen/tasks returned as the second argument.",
    );
  engine.keepsProgress = true;
  engine.declaresDialect = (context) => {
    const { client } = extension.bases.get(context.revision)?.declared ?? {};
    return client !== undefined && new ServerRequest(context).declares(client.path);
  };
  const codeOf = (context: HandlerContext, name: string): number | undefined =>
    extension.bases.get(context.revision)?.errors[name]?.code;
  const used = extension.implement<HandlerContext>(
    {
      "tasks/create": async ({ name, parameters = {}, _meta }, context) => {
        const { tools } = engine.server.features;
        const isOpen = (each: string): boolean => isTask(tools.find(each, context)?.added);
        if (!isOpen(name))
          throw new McpError(
            "invalid-params",
            `there is no tool ${JSON.stringify(name)} that runs as a task`,
            {
              rpcCode: codeOf(context, "TOOL_NOT_FOUND"),
              data: { toolName: name, availableTools: tools.names(context).filter(isOpen) },
            },
          );
        const problem = await tools.find(name, context)!.checkInput(parameters);
        if (typeof problem === "string")
          throw new McpError("invalid-params", `the arguments are wrong: ${problem}`, {
            rpcCode: codeOf(context, "INVALID_TOOL_ARGUMENTS"),
          });
        const call = new ServerRequest(context).within(called, {
          name,
          arguments: parameters,
          ...(_meta && { _meta }),
        });
        engine.wanted.set(call.context, { created, voice: voiceOf(engine, context) });
        return (await call.call()) as CreateTaskResult;
      },
      "tasks/get": async ({ taskId }, context) => {
        const record = await found(engine, taskId, context, true);
        engine.report("read", record);
        if (record.wanted) {
          // There is no voice if another process created or ran the task, or if the client has reconnected.
          const voice = engine.voices.get(taskId) ?? audible(voiceOf(engine, context), record, context);
          engine.voices.set(taskId, voice);
          voice.changed?.(record);
        }
        return stateOf(record);
      },
      "tasks/cancel": async ({ taskId }, context) => {
        const record = await found(engine, taskId, context);
        const { status, updatedAt } = (await engine.cancel(record)) ?? record;
        if (status !== "cancelled")
          throw new McpError("invalid-params", "the task has ended", { rpcCode: -32602 });
        return { taskId, status, cancelledAt: timeOf(updatedAt) };
      },
    },
    { settings: {} },
  );
  return {
    ...used,
    attach: (server) =>
      makesCall(server as Server, creating, ({ name, parameters }) => ({
        method: called,
        params: { name, arguments: parameters },
      })),
  };
}

/** Makes the answer to the request that created a task. */
function created({ id, createdAt }: TaskRecord): CreateTaskResult {
  return { taskId: id, status: "pending", createdAt: timeOf(createdAt) };
}

/** Makes the state of a task, with its outcome, so that clients do not depend on the notification. */
function stateOf(record: TaskRecord): GetTaskResult {
  const { id, createdAt, progress, message } = record;
  const status = statusOf(record);
  const step = record.status === "input_required" ? waiting : message;
  return {
    taskId: id,
    status,
    createdAt: timeOf(createdAt),
    ...(status !== "pending" && { startedAt: timeOf(createdAt) }),
    ...(progress !== undefined && { progress }),
    ...(step !== undefined && { currentStep: step }),
    ...endOf(record),
  } as GetTaskResult;
}

function statusOf({ status, result, lease, journal, message }: TaskRecord): DialectStatus {
  switch (status) {
    case "working":
      // `pending` means that no run has had the task yet.
      return lease || journal || message !== undefined ? "running" : "pending";
    case "input_required":
      return "running";
    case "completed":
      return (result as { readonly isError?: boolean } | undefined)?.isError === true ? "failed" : status;
    default:
      return status;
  }
}

/** Makes the outcome of an ended task. The tables convert the result. */
function endOf({ status, result, error, updatedAt }: TaskRecord): object {
  if (!isFinal(status)) return {};
  return {
    ...(result && { result }),
    ...(error && { error }),
    [status === "cancelled" ? "cancelledAt" : "completedAt"]: timeOf(updatedAt),
  };
}

/** Makes the voice of a task. Requests for input are plain requests of the revision, because the dialect defines none. */
function voiceOf(engine: Engine, context: HandlerContext): Voice {
  const asking = new Set<string>();
  let part = 0;
  const report = (taskId: string, currentStep: string | undefined): void => {
    notifyClient(context, progressed, {
      ...{ taskId, progress: part },
      ...(currentStep !== undefined && { currentStep }),
    });
  };
  const ask = async ({ id, limits }: TaskRecord, key: string, asked: Asked): Promise<void> => {
    asking.add(key);
    try {
      const answer = await askApart(context, asked, limits.waitMs);
      await answered(engine, { id }, { [key]: { ...answer } }, context);
    } catch (error) {
      // Otherwise the client is gone. Its next request about the task repeats the request for input.
      if (!(await refused(engine, id, error))) engine.voices.delete(id);
    }
  };
  // Fails a task with scopes that requests input. The dialect cannot limit its requests to tokens with these scopes.
  const deaf = (id: string): void => {
    const error = internal("the task asks, and tasks of tools with scopes cannot ask this client");
    engine.apply(id, { type: "failed", error }).catch((cause: unknown) => engine.fault(cause));
  };
  return {
    changed: (record) => {
      const { id, status, wanted } = record;
      if (status === "input_required" && !wanted) return deaf(id);
      if (isFinal(status) && status !== "cancelled")
        notifyClient(context, completed, { taskId: id, status: statusOf(record), ...endOf(record) });
      const unasked = Object.entries(wanted ?? {}).filter(([key]) => !asking.has(key));
      if (unasked.length > 0) report(id, waiting);
      for (const [key, asked] of unasked) void ask(record, key, asked);
    },
    progressed: (id, progress, total, message) => {
      const now = total === undefined ? Number.NaN : progress / total;
      // A handler that runs again repeats its reports: skip them.
      if (now < part) return;
      if (now <= 1) part = now;
      report(id, message);
    },
    sent: (_, method, params) => notifyClient(context, method, params ?? {}),
  };
}

type Asked = NonNullable<TaskRecord["wanted"]>[string];

function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
