import type { Client, McpError } from "@mcpgen/runtime";
import { type Alternative, expectAlternative, ExtendedClient } from "@mcpgen/runtime/extending";
import { resultMethod } from "../state/core-names.js";
import type { Answer, TaskForm, TaskState } from "./form.js";

// Tasks in the core protocol (2025-11-25, tasks). The client decides which calls become tasks, and gets the result by a
// request that waits for it.

/** A task as the core protocol sends it. */
interface CoreTask extends Omit<TaskState, "ttlMs" | "pollIntervalMs"> {
  readonly ttl: number | null;
  readonly pollInterval?: number;
}

/** A timeout that never expires: the answer may take as long as the task. */
const noTimeout = 2 ** 52;

const immediateKey = "io.modelcontextprotocol/model-immediate-response";

/** The core tasks of one client. */
export class Core {
  readonly form: TaskForm;
  readonly support: ToolSupport;
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
    this.support = new ToolSupport(client);
    this.form = formOf(client);
  }

  /**
   * Sends a call, as a task if the tool requires it.
   *
   * @param prefersTask whether to ask for a task if the tool leaves the choice to the client
   * @param ttl milliseconds for which the server should keep the task
   */
  async call(
    request: { readonly params: object; readonly context: object },
    next: Next,
    prefersTask: boolean,
    ttl: number | undefined,
  ): Promise<Answer> {
    const { params } = request;
    const { name } = params as { readonly name: string };
    const asTask = await this.#runsAsTask(name, prefersTask);
    const task = ttl === undefined ? {} : { ttl };
    try {
      return await send(request, next, asTask && { ...params, task });
    } catch (error) {
      const { rpcCode } = error as McpError;
      if ((rpcCode !== -32600 && rpcCode !== -32601) || !takesTasks(this.#client)) throw error;
      // The list of tools may be out of date: read it again.
      this.support.forget();
      if ((await this.#runsAsTask(name, prefersTask)) === asTask) throw error;
      return send(request, next, !asTask && { ...params, task });
    }
  }

  async #runsAsTask(tool: string, prefersTask: boolean): Promise<boolean> {
    // A server that has not declared the capability takes no tasks, even if its tools say otherwise (C03).
    if (!takesTasks(this.#client)) return false;
    const says = await this.support.of(tool);
    return says === "required" || (says === "optional" && prefersTask);
  }
}

type Next = (params?: object) => object | Promise<object>;

/** @param augmented params that ask for a task; `false` for a plain call */
async function send(
  { context }: { readonly context: object },
  next: Next,
  augmented: object | false,
): Promise<Answer> {
  let forget = (): void => {};
  const sent: Alternative["sent"] = (later, token, onProgress) => {
    forget();
    later.set(token, onProgress);
    forget = () => void later.delete(token);
  };
  expectAlternative(context, augmented ? { sent } : undefined);
  let result;
  try {
    result = await next(augmented || undefined);
  } catch (error) {
    forget();
    throw error;
  }
  const { task, _meta } = result as {
    readonly task?: CoreTask;
    readonly _meta?: { readonly [key: string]: unknown };
  };
  if (!augmented || !task) {
    forget();
    return { result };
  }
  const immediate = _meta?.[immediateKey];
  // Progress continues with the token of the call (C18).
  return {
    task: {
      ...stateOf(task),
      immediate: typeof immediate === "string" ? immediate : undefined,
      ended: () => forget(),
    },
  };
}

function formOf(client: Client): TaskForm {
  const request = <Result>(method: string, taskId: string, options?: object): Promise<Result> =>
    client.request<Result>(method, { taskId }, options);
  return {
    read: async (taskId) => stateOf(await request<CoreTask>("tasks/get", taskId)),
    cancel: (taskId) => request("tasks/cancel", taskId),
    outcome: async ({ taskId }, signal) => {
      const options = { signal, timeout: noTimeout, totalTimeout: noTimeout };
      const result = await request<object>(resultMethod, taskId, options);
      return { result: await new ExtendedClient(client).resultAs("tools/call", result) };
    },
  };
}

function stateOf({ ttl, pollInterval, ...task }: CoreTask): TaskState {
  return { ...task, ttlMs: ttl, ...(pollInterval !== undefined && { pollIntervalMs: pollInterval }) };
}

/** Whether a server accepts tool calls as tasks. */
function takesTasks({ serverCapabilities }: Client): boolean {
  type Declared = {
    readonly tasks?: { readonly requests?: { readonly tools?: { readonly call?: object } } };
  };
  return (serverCapabilities as Declared).tasks?.requests?.tools?.call !== undefined;
}

type Support = "forbidden" | "optional" | "required";

interface ListedTool {
  readonly name: string;
  readonly execution?: { readonly taskSupport?: Support };
}

/**
 * The task support of each tool, according to the server's list of tools (2025-11-25, tasks, tool-level negotiation).
 */
export class ToolSupport {
  readonly #client: Client;
  readonly #tools = new Map<string, Support>();
  #listing: Promise<unknown> | undefined;

  constructor(client: Client) {
    this.#client = client;
    client.on("notifications/tools/list_changed", () => this.forget());
    client.onEvent(({ type }) => {
      if (type === "connection-opened") this.forget();
    });
  }

  forget(): void {
    this.#tools.clear();
    this.#listing = undefined;
  }

  /** @param result one page of a list of tools */
  learn({ tools }: { readonly tools?: readonly ListedTool[] }): void {
    for (const { name, execution } of tools ?? [])
      this.#tools.set(name, execution?.taskSupport ?? "forbidden");
  }

  /**
   * Returns the task support of a tool. Requests the entry of a tool that an incomplete list leaves out. `forbidden` if
   * it is not found.
   */
  async of(name: string): Promise<Support> {
    if (!this.#tools.has(name)) await (this.#listing ??= this.#client.listTools().catch(() => this.forget()));
    if (!this.#tools.has(name)) {
      const tool = await this.#client.entry<ListedTool>("tools/list", name).catch(() => undefined);
      if (this.#listing) this.learn({ tools: [tool ?? { name }] });
    }
    return this.#tools.get(name) ?? "forbidden";
  }
}
