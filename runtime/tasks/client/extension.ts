import {
  type AnswerContext,
  type Client,
  type ClientMiddleware,
  type ConnectOptions,
  McpError,
  type RequestOptions,
} from "@mcpgen/runtime";
import { checkOptions } from "@mcpgen/base";
import type { tasks as TasksExtension } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/client";
import { Driver } from "./driver.js";
import type { Dialect } from "./form.js";
import type { TaskHandle } from "./handle.js";
import type { StoredHandle } from "./handle-store.js";
import { type ClientTasksOptions, clientRules } from "./options.js";
import { relatedKey } from "../state/core-names.js";

type Implemented = NonNullable<ConnectOptions["extensions"]>[number];

/** Options of one call. */
export interface StartOptions extends RequestOptions {
  /** Overrides `ttlMs` of the client. */
  readonly ttlMs?: number;
}

/** The tasks extension for a client: an element of the option `extensions` of one client. */
export interface ClientTasks extends Implemented {
  /**
   * Calls a tool. Resolves when the server answers: with the handle of a task, or with the tool's result. At 2025-11-25 the
   * call asks for a task wherever the server and the tool allow it.
   *
   * @throws {McpError}
   */
  start(name: string, args?: object, options?: StartOptions): Promise<TaskHandle | object>;
  /**
   * Continues a task that another process has started.
   *
   * @throws {McpError} `wrong-server`: the task belongs to another server
   */
  resume(handle: StoredHandle): TaskHandle;
  /** @internal */
  readonly dialects: Dialect[];
  /** Called when the server announces the status of a task. @internal */
  announced(taskId: string, status: string): void;
}

/**
 * Lets servers answer tool calls with tasks. `callTool` still resolves with the result of the tool.
 *
 * @param extension `tasks` of `@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/client`
 * @throws {McpError} `invalid-definition`: an option is wrong, or `extension` is not that extension
 */
export function tasks(extension: typeof TasksExtension, options: ClientTasksOptions = {}): ClientTasks {
  if ((extension as typeof extension | undefined)?.role !== "client")
    throw invalid("expected the extension of a client, of …/io.modelcontextprotocol/tasks/client.");
  checkOptions(options, clientRules, "tasks: ");
  let driver: Driver | undefined;
  const dialects: Dialect[] = [];
  const attached = (): Driver => {
    if (driver) return driver;
    throw invalid("no client has them. Pass them to connect, in extensions.");
  };
  const used = extension.implement<AnswerContext>(
    {},
    {
      settings: {},
      around: {
        "tools/call": (request, next) => attached().call(request, next),
        "tools/list": async (_, next) => {
          const page = await next();
          (await attached().core)?.support.learn(page);
          return page;
        },
      },
    },
  );
  return {
    ...used,
    ...options.receiver,
    attach: (program, given) => {
      if (driver) throw invalid("one client has them already. Call tasks() for each client.");
      const client = program as Client;
      driver = new Driver(client, options, extension.bases, dialects);
      options.receiver?.attach(client, given);
      client.use(namingTask);
    },
    start: async (name, args = {}, { ttlMs, ...requestOptions } = {}) =>
      attached().start(name, args, ttlMs, requestOptions),
    resume: (stored) => attached().resume(stored),
    dialects,
    announced: (taskId, status) => driver?.active.get(taskId)?.announced(status),
  };
}

function invalid(message: string): McpError {
  return new McpError("invalid-definition", `tasks: ${message}`);
}

interface Related {
  readonly _meta?: { readonly [key: string]: unknown };
}

/** Adds the server's related task to the answer of a request that names one (2025-11-25, tasks, related task metadata). */
const namingTask: ClientMiddleware = async ({ direction, params }, next) => {
  const result = await next();
  const related = direction === "incoming" && (params as Related)._meta?.[relatedKey];
  return related ? { ...result, _meta: { ...result._meta, [relatedKey]: related } } : result;
};
