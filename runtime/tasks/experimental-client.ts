import { type Client, type ConnectOptions, McpError } from "@mcpgen/runtime";
import { BoundedMap } from "@mcpgen/base";
import { ExtendedClient } from "@mcpgen/runtime/extending";
import type {
  ClientRequests,
  GetTaskResult,
  ServerNotifications,
  experimentalTasks as DialectExtension,
} from "@mcpgen/protocol/extensions/dev.mcpgen/experimental-tasks/client";
import type { ClientTasks } from "./client/extension.js";
import type { Outcome, TaskForm, TaskState } from "./client/form.js";

// The experimental dialect (extension `dev.mcpgen/experimental-tasks`). At a revision without tasks, a client creates a
// task by `tasks/create`.

type Implemented = NonNullable<ConnectOptions["extensions"]>[number];

const completed: keyof ServerNotifications = "notifications/tasks/completed";

/** The outcome of a task, in a state or a notification. */
type End = Pick<GetTaskResult, "result" | "error">;

/** Maximum number of announced outcomes that wait to be used. */
const mostEnds = 1000;

/**
 * Runs tool calls as tasks at servers of 2025-06-18 and before that declare `experimental.tasks`. Applies to both
 * `callTool` and `start`, because the list of tools does not say which tools require tasks.
 *
 * @param extension `experimentalTasks` of `@mcpgen/protocol/extensions/dev.mcpgen/experimental-tasks/client`
 * @param tasks the object from `tasks()` of `@mcpgen/tasks/client`, in the same `extensions`
 */
export function experimentalTasks(extension: typeof DialectExtension, tasks: ClientTasks): Implemented {
  const ends = new BoundedMap<string, End>({ count: mostEnds, full: "evict" });
  /** Tools that the server does not run as tasks. */
  const plain = new Set<string>();
  tasks.dialects.push({
    isFor: (client) => {
      const path = extension.bases.get(client.revision)?.declared.server?.path;
      return path !== undefined && new ExtendedClient(client).declares(path);
    },
    form: (client) => dialectForm(client, ends),
    call: async (client, called, next) => {
      const { name, arguments: parameters = {} } = called as {
        readonly name: string;
        readonly arguments?: object;
      };
      if (plain.has(name)) return { result: await next() };
      try {
        const params: ClientRequests["tasks/create"]["params"] = { name, parameters: parameters as never };
        const { taskId, createdAt } = await request(client, "tasks/create", params);
        // The task may have ended already: poll at once.
        return { task: { taskId, createdAt, ...(ends.get(taskId) && { pollIntervalMs: 1 }) } };
      } catch (error) {
        const { errors } = extension.bases.get(client.revision)!;
        if ((error as McpError).rpcCode !== errors["TOOL_NOT_FOUND"]?.code) throw error;
        plain.add(name);
        return { result: await next() };
      }
    },
  });
  const used = extension.implement({}, { settings: {} });
  return {
    ...used,
    attach: (program) => {
      const client = program as Client;
      client.on("notifications/tools/list_changed", () => plain.clear());
      client.onEvent(({ type }) => {
        if (type === "connection-opened") plain.clear();
      });
      client.on(completed, ({ taskId, result, error }) => {
        ends.set(taskId as string, { result, error } as End);
        tasks.announced(taskId as string, completed);
      });
    },
  };
}

function dialectForm(client: Client, ends: BoundedMap<string, End>): TaskForm {
  return {
    read: async (taskId) => stateOf(await request(client, "tasks/get", { taskId })),
    cancel: (taskId) => request(client, "tasks/cancel", { taskId }),
    outcome: ({ taskId, status, result, error }) => {
      // Servers by other vendors may send the outcome only in the notification.
      const end = result || error ? { result, error } : ends.get(taskId);
      ends.delete(taskId);
      return outcomeOf(status, end as End | undefined);
    },
  };
}

function outcomeOf(status: string, end: End | undefined): Outcome {
  if (end?.result) return { result: end.result };
  if (end?.error) {
    const { code: rpcCode, message, data } = end.error;
    return { error: new McpError("remote-error", message, { rpcCode, data, remote: end.error }) };
  }
  if (status === "failed") return { error: new McpError("remote-error", "the task failed") };
  throw new McpError("timeout", "the task has completed, and its result has not arrived");
}

const statuses: { readonly [status: string]: TaskState["status"] } = {
  completed: "completed",
  failed: "failed",
  cancelled: "cancelled",
};

function stateOf(task: GetTaskResult): TaskState {
  const { taskId, status, createdAt, startedAt = createdAt, completedAt, currentStep, result, error } = task;
  return {
    taskId,
    status: Object.hasOwn(statuses, status) ? statuses[status]! : "working",
    createdAt,
    lastUpdatedAt: completedAt ?? startedAt,
    ttlMs: null,
    ...(currentStep !== undefined && { statusMessage: currentStep }),
    ...(result && { result }),
    ...(error && { error }),
  };
}

function request<Method extends keyof ClientRequests>(
  client: Client,
  method: Method,
  params: ClientRequests[Method]["params"],
): Promise<ClientRequests[Method]["result"]> {
  return client.request(method as string, params);
}
