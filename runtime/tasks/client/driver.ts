import { type AnswerContext, type Client, McpError, type RequestOptions } from "@mcpgen/runtime";
import { abortable } from "@mcpgen/base";
import { ExtendedClient } from "@mcpgen/runtime/extending";
import type { Around } from "@mcpgen/protocol/model";
import { resultMethod, statusMethod } from "../state/core-names.js";
import { type Answer, type Created, type Dialect, type TaskForm, extensionForm } from "./form.js";
import { TaskHandle } from "./handle.js";
import type { StoredHandle } from "./handle-store.js";
import type { Core } from "./core.js";
import type { ClientTasksOptions } from "./options.js";
import type { Push } from "./push.js";
import type { HandleSetup, TaskPolls } from "./task-polls.js";

type Call = Parameters<Around<AnswerContext>>;

/** A call by `start`: the application gets the handle of its task. */
interface Started {
  readonly ttlMs: number | undefined;
  task?: Created;
}

/** Sends the tool calls of one client. Polls the tasks that calls become until they end. */
export class Driver implements HandleSetup {
  readonly active = new Map<string, TaskPolls>();
  /** Calls by `start`, by their params. */
  readonly #started = new WeakMap<object, Started>();
  readonly client: Client;
  readonly options: ClientTasksOptions;
  readonly #dialects: readonly Dialect[];
  #core: Promise<Core> | undefined;
  #push: Promise<Push> | undefined;
  /** Ids of the revisions that the extension extends. */
  readonly #bases: { has(revision: string): boolean };

  constructor(
    client: Client,
    options: ClientTasksOptions,
    bases: { has(revision: string): boolean },
    dialects: readonly Dialect[],
  ) {
    this.#dialects = dialects;
    this.client = client;
    this.options = options;
    this.#bases = bases;
    client.on(statusMethod, ({ taskId, status }) => this.active.get(taskId as string)?.announced(status));
  }

  /** The core tasks; `undefined` if the negotiated revision has none, or has the extension. */
  get core(): Promise<Core> | undefined {
    const { client } = this;
    if (this.#bases.has(client.revision) || !new ExtendedClient(client).has(resultMethod)) return undefined;
    return (this.#core ??= import("./core.js").then((loaded) => new loaded.Core(client)));
  }

  get #dialect(): Dialect | undefined {
    return this.#dialects.find((each) => each.isFor(this.client));
  }

  changed(): void {
    if (this.options.push === false || !this.#bases.has(this.client.revision)) return;
    this.#push ??= import("./push.js").then((loaded) => new loaded.Push(this.client, this.active));
    void this.#push.then((push) => push.changed());
  }

  form(): TaskForm | Promise<TaskForm> {
    const { client } = this;
    return this.core?.then(({ form }) => form) ?? this.#dialect?.form(client) ?? extensionForm(client);
  }

  /** Middleware for tool calls. Resolves with the result of the tool, even if the call becomes a task. */
  async call(request: Call[0], next: Call[1]): Promise<object> {
    const { params, context } = request;
    const { signal } = context as Partial<AnswerContext>;
    const started = this.#started.get(params);
    const answering = this.#answerTo(request, next, started);
    const answer = await unlessAborted(signal, answering, async () => {
      const late = await answering;
      if ("task" in late) await this.#abandon(this.#handleOf(params, late.task));
    });
    if ("result" in answer) return answer.result;
    if (started) return (started.task = answer.task);
    const handle = this.#handleOf(params, answer.task);
    this.options.onTask?.(handle);
    return unlessAborted(signal, handle.result(), () => this.#abandon(handle));
  }

  async start(
    name: string,
    args: object,
    ttlMs: number | undefined,
    options: RequestOptions,
  ): Promise<TaskHandle | object> {
    const params = { name, arguments: args };
    const started: Started = { ttlMs };
    this.#started.set(params, started);
    const result = await this.client.request<object>("tools/call" as string, params, options);
    if (!started.task) return result;
    const handle = this.#handleOf(params, started.task);
    await handle.keep();
    return handle;
  }

  /** @throws {McpError} `wrong-server` */
  resume(stored: StoredHandle): TaskHandle {
    const own = this.#endpoint;
    const { taskId, endpoint = own } = stored;
    if (endpoint === own) return new TaskHandle(this, stored);
    throw new McpError("wrong-server", `task ${taskId} belongs to ${endpoint}, not to ${own}`);
  }

  get #endpoint(): string {
    return this.options.endpoint ?? this.client.endpoint;
  }

  #handleOf(params: object, task: Created): TaskHandle {
    const { name: tool } = params as { readonly name: string };
    const { taskId, createdAt } = task;
    const stored = { taskId, endpoint: this.#endpoint, tool, createdAt, answers: {} };
    return new TaskHandle(this, stored, task);
  }

  async #answerTo(request: Call[0], next: Call[1], started: Started | undefined): Promise<Answer> {
    const { options } = this;
    const core = await this.core;
    if (core) {
      const prefersTask = started !== undefined || options.optional === "task";
      return core.call(request, next, prefersTask, started?.ttlMs ?? options.ttlMs);
    }
    const dialect = this.#dialect;
    if (dialect) return dialect.call(this.client, request.params, next);
    type Extended = Created & { readonly resultType?: string; readonly statusMessage?: string };
    const result = (await next()) as Extended;
    return result.resultType === "task"
      ? { task: { ...result, immediate: result.statusMessage } }
      : { result };
  }

  /** Cancels or detaches a task whose call was aborted, by the option `onAbort`. */
  async #abandon(handle: TaskHandle): Promise<void> {
    const { handles, onAbort } = this.options;
    try {
      if (onAbort === "detach") return await handles?.put(handle.toJSON());
      await handle.cancel();
      await handles?.delete(handle.toJSON());
    } finally {
      handle.detach();
    }
  }
}

/** Resolves with the value of `work`. Rejects when the signal aborts. @param abandon called on abort */
function unlessAborted<Value>(
  signal: AnswerContext["signal"] | undefined,
  work: Promise<Value>,
  abandon: () => Promise<void>,
): Promise<Value> {
  if (!signal) return work;
  return abortable(signal, work, () => {
    abandon().catch(() => undefined);
    return new McpError("cancelled", "tools/call was cancelled", { cause: signal.reason });
  });
}
