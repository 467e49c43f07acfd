import {
  type AnswerContext,
  type Client,
  type ClientMiddleware,
  type ConnectOptions,
  McpError,
  type RequestOptions,
} from "@mcpgen/runtime";
import { type Rules, checkOptions, endpointOf, withFunctions } from "@mcpgen/runtime/extending";
import type { tasks as TasksExtension } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/client";
import { relatedKey } from "../state/core-names.js";
import { TaskHandle } from "./handle.js";
import type { HandleStore, StoredHandle } from "./handle-store.js";
import type { PollOptions } from "./polling.js";

type Implemented = NonNullable<ConnectOptions["extensions"]>[number];

/** How a client drives tasks. */
export interface ClientTasksOptions extends PollOptions {
  /** Keeps tasks and answers until the tasks end. Default: they are lost with the process. */
  readonly handles?: HandleStore;
  /** What becomes of a task when the signal of its call aborts: it is cancelled, or goes on. Default: `cancel`. */
  readonly onAbort?: "cancel" | "detach";
  /** Gets the handle of each call of `callTool` that becomes a task, before its result is waited for: to show its state. */
  readonly onTask?: (handle: TaskHandle) => void;
  /** Names the server in handles. Default: its URL without query, or else the name that it gives itself. */
  readonly endpoint?: string;
  /** `receiver()` of `@mcpgen/tasks/receiver`: runs requests of the server as tasks (2025-11-25). Default: none are. */
  readonly receiver?: Required<Pick<Implemented, "also" | "attach" | "capabilities">>;
}

/** The extension of tasks on a client: an element of the option `extensions` of one client. */
export interface ClientTasks extends Implemented {
  /**
   * Calls a tool, and resolves as soon as the server answers: with the handle of a task, or with the result of the tool.
   *
   * @throws {McpError}
   */
  start(name: string, args?: object, options?: RequestOptions): Promise<TaskHandle | object>;
  /**
   * Goes on with a task of another process.
   *
   * @throws {McpError} `wrong-server`: the task belongs to another server
   */
  resume(handle: StoredHandle): TaskHandle;
}

const rules: Rules<ClientTasksOptions> = {
  minPollMs: 0,
  maxPollMs: 1,
  handles: withFunctions("put", "delete"),
  onAbort: ["cancel", "detach"],
  onTask: "function",
  endpoint: "string",
  receiver: withFunctions("attach", "capabilities"),
};

/** The answer to a call that became a task. */
interface Created {
  readonly resultType?: string;
  readonly taskId: string;
  readonly createdAt: string;
  readonly pollIntervalMs?: number;
}

/**
 * Drives calls of tools that become tasks to their results: `callTool` resolves with the result of the tool.
 *
 * @param extension `tasks` of `@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/client`
 * @throws {McpError} `invalid-definition`: an option is wrong
 */
export function tasks(extension: typeof TasksExtension, options: ClientTasksOptions = {}): ClientTasks {
  checkOptions(options, rules, "tasks: ");
  let client: Client | undefined;
  /** The params of calls whose tasks the application drives. */
  const started = new WeakSet<object>();
  const handleOf = (stored: StoredHandle, advised?: number): TaskHandle =>
    new TaskHandle(connected(client), stored, options.handles, { ...options, advised });
  const endpoint = (): string => options.endpoint ?? endpointOf(connected(client));
  const created = (params: object, { taskId, createdAt, pollIntervalMs }: Created): TaskHandle => {
    const { name: tool } = params as { readonly name: string };
    return handleOf({ taskId, endpoint: endpoint(), tool, createdAt, answers: {} }, pollIntervalMs);
  };
  const used = extension.implement<AnswerContext>(
    {},
    {
      settings: {},
      around: {
        "tools/call": async ({ params, context }, next) => {
          const result = (await next()) as Created;
          if (result.resultType !== "task" || started.has(params)) return result;
          const handle = created(params, result);
          options.onTask?.(handle);
          return driven(handle, context.signal, options.onAbort);
        },
      },
    },
  );
  return {
    ...used,
    ...options.receiver,
    attach: (program, given) => {
      if (client)
        throw new McpError(
          "invalid-definition",
          "tasks: one client has them already. Call tasks() for each client.",
        );
      client = program as Client;
      options.receiver?.attach(client, given);
      client.use(namingTask);
    },
    start: async (name, args = {}, requestOptions) => {
      const params = { name, arguments: args };
      started.add(params);
      const result = await connected(client).request<Created>("tools/call" as string, params, requestOptions);
      if (result.resultType !== "task") return result;
      const handle = created(params, result);
      await options.handles?.put(handle.toJSON());
      return handle;
    },
    resume: (stored) => {
      const own = endpoint();
      const { taskId, endpoint: other = own } = stored;
      if (other !== own)
        throw new McpError("wrong-server", `task ${taskId} belongs to ${other}, not to ${own}`);
      // Time has passed since the server advised a wait.
      return handleOf(stored, 0);
    },
  };
}

/** Answers to requests that belong to a task of the server name it (2025-11-25, tasks, related task metadata). */
const namingTask: ClientMiddleware = async ({ direction, params }, next) => {
  const result = await next();
  const related = direction === "incoming" && (params as Related)._meta?.[relatedKey];
  return related ? { ...result, _meta: { ...result._meta, [relatedKey]: related } } : result;
};

interface Related {
  readonly _meta?: { readonly [key: string]: unknown };
}

/** @throws {McpError} `invalid-definition` */
function connected(client: Client | undefined): Client {
  if (client) return client;
  throw new McpError("invalid-definition", "tasks: no client has them. Pass them to connect, in extensions.");
}

/** The result of a task, or the reason of the signal of its call. */
async function driven(
  handle: TaskHandle,
  signal: AnswerContext["signal"] | undefined,
  onAbort: "cancel" | "detach" = "cancel",
): Promise<object> {
  const abort = (): void => {
    if (onAbort === "cancel") void handle.cancel().catch(() => undefined);
    handle.detach();
  };
  if (signal?.aborted) abort();
  else signal?.addEventListener("abort", abort);
  try {
    return await handle.result();
  } finally {
    signal?.removeEventListener("abort", abort);
  }
}
