import { type AnswerContext, type Client, McpError } from "@mcpgen/runtime";
import { BoundedMap, unref, wallTimeOf } from "@mcpgen/base";
import { ServerQuestion } from "@mcpgen/runtime/extending";
import { type TaskEvent, advance } from "../state/advance.js";
import { type CoreMethod, relatedKey, statusMethod } from "../state/core-names.js";
import { coreTask } from "../state/core-task.js";
import { type TaskRecord, internal, isFinal } from "../state/record.js";
import { memoryTaskStore } from "../store/memory.js";
import type { ReceiverOptions } from "./receiver-options.js";

/** Milliseconds between sweeps over due tasks. */
const sweepMs = 1000;

/** The poll interval in milliseconds that the client suggests to the server. */
const pollMs = 5000;

/**
 * What the server may have at once: running handlers, tasks, requests that wait for the end of a task, and characters of
 * the JSON of all stored requests and results.
 */
const quotas = { running: 32, stored: 256, waiting: 256, bytes: 16_777_216 };

/** Minimum time between changes of the status message, in milliseconds. */
const noteInterval = 1000;

/** Number of tasks on a page of the list. */
const pageSize = 100;

/** Maximum number of valid cursors. */
const mostCursors = 64;

/** The client's data about a task in addition to its record. */
interface Kept {
  /** Characters of the request while the task runs, of the result afterwards. */
  size: number;
  /** The context of the handler; absent when the handler has ended. */
  context?: AnswerContext | undefined;
  isOver: boolean;
  notedAt: number;
  /** Called at the end of the task. */
  readonly waiting: Set<() => void>;
}

interface Params {
  readonly task: { readonly ttl?: number };
  readonly _meta?: { readonly [key: string]: unknown };
}

type Next = (params: object) => object | Promise<object>;

/** Runs tasks at the client for its server (2025-11-25, tasks). */
export class ReceiverTasks {
  readonly #client: Client;
  readonly #options: ReceiverOptions;
  readonly #store = memoryTaskStore();
  readonly #kept = new Map<string, Kept>();
  /** Sum of the sizes. */
  #bytes = 0;
  /** Number of running handlers, including handlers of tasks that have ended. */
  #running = 0;
  #waiting = 0;
  /**
   * Tasks that may be dropped for new ones, oldest first: the server has their results, or has cancelled them.
   */
  readonly #spent = new Set<string>();
  readonly #cursors = new BoundedMap<string, true>({ count: mostCursors, full: "evict" });
  #timer: unknown;

  constructor(client: Client, options: ReceiverOptions) {
    this.#client = client;
    this.#options = options;
    void client.closed.then(() => this.#close());
  }

  /**
   * Runs a request as a task. Resolves with the new task at once.
   *
   * @param next calls the handler
   * @throws {McpError} `limit-exceeded`
   */
  async create({ task, ...params }: Params, context: AnswerContext, next: Next): Promise<object> {
    const size = JSON.stringify(params).length;
    this.#requireRoom(size);
    const record = this.#recordOf(context.method, task.ttl);
    const { id } = record;
    this.#kept.set(id, { size, context, isOver: false, notedAt: -Infinity, waiting: new Set() });
    this.#bytes += size;
    this.#running++;
    await this.#store.create(record);
    this.#schedule();
    const answered = new ServerQuestion(context).outlast(relatedTo(id), (...report) =>
      this.#progressed(id, report[2]),
    );
    // The server learns the id before anything else of the task.
    void answered.then(() => this.#run(id, params, context, next));
    // The server's task to which the request belongs.
    const related = params._meta?.[relatedKey];
    return ServerQuestion.asSent({
      task: coreTask(record, this.#now()),
      ...(related !== undefined && { _meta: { [relatedKey]: related } }),
    });
  }

  /**
   * Answers a request about tasks.
   *
   * @throws {McpError} `invalid-params`: there is no such task, or no such page; the error of a failed task
   */
  async answer(
    method: CoreMethod,
    { taskId, cursor }: { readonly taskId: string; readonly cursor?: string },
    context: AnswerContext,
  ): Promise<object> {
    switch (method) {
      case "tasks/get":
        return coreTask(await this.#found(taskId), this.#now());
      case "tasks/result":
        return this.#resultOf(await this.#found(taskId), context);
      case "tasks/cancel":
        return this.#cancel(await this.#found(taskId));
      case "tasks/list":
        return this.#list(cursor);
    }
  }

  #now(): number {
    return wallTimeOf(this.#client.clock);
  }

  #recordOf(method: string, ttl = Infinity): TaskRecord {
    const { keepMs = 600_000, maxRunMs = 86_400_000 } = this.#options;
    const now = this.#now();
    const id = newId();
    const dueAt = now + maxRunMs;
    return {
      id,
      owner: "",
      version: 1,
      status: "working",
      createdAt: now,
      updatedAt: now,
      dueAt,
      limits: { keepMs: Math.max(0, Math.min(keepMs, ttl)), waitMs: maxRunMs, pollMs },
      tool: method,
      onRestart: "fail",
      lease: { run: id, until: dueAt },
    };
  }

  /** @throws {McpError} `limit-exceeded` */
  #requireRoom(size: number): void {
    const { running, stored, bytes } = quotas;
    if (this.#running >= running) throw this.#exceeded("running");
    for (const id of this.#spent) {
      if (this.#kept.size < stored && this.#bytes + size <= bytes) break;
      this.#drop(id);
    }
    if (this.#kept.size >= stored) throw this.#exceeded("stored");
    if (this.#bytes + size > bytes) throw this.#exceeded("bytes");
  }

  #exceeded(quota: keyof typeof quotas): McpError {
    const limit = `receiver.quotas.${quota}`;
    return new McpError("limit-exceeded", `the server has as many tasks as it may have (${limit})`, {
      rpcCode: -32600,
      data: { limit, value: quotas[quota] },
    });
  }

  async #run(id: string, params: object, context: AnswerContext, next: Next): Promise<void> {
    try {
      // The request was cancelled before its answer. The server does not have the id, so it cannot use the
      // task.
      if (context.signal.aborted) return this.#drop(id);
      const result = new ServerQuestion(context).lowered(await next(params));
      this.#resize(id, JSON.stringify(result).length);
      await this.#apply(id, { type: "completed", run: id, result });
    } catch (thrown) {
      const error = new ServerQuestion(context).errorOf(this.#client, thrown);
      await this.#apply(id, { type: "failed", run: id, error });
    } finally {
      this.#running--;
      const kept = this.#kept.get(id);
      if (kept) kept.context = undefined;
    }
  }

  /** Replaces the size of the request by the size of the result. @throws {McpError} `limit-exceeded` */
  #resize(id: string, size: number): void {
    const kept = this.#kept.get(id);
    if (!kept || kept.isOver) return;
    const bytes = this.#bytes + size - kept.size;
    if (bytes > quotas.bytes) throw this.#exceeded("bytes");
    this.#bytes = bytes;
    kept.size = size;
  }

  #drop(id: string): void {
    const kept = this.#kept.get(id);
    if (!kept) return;
    kept.isOver = true;
    this.#bytes -= kept.size;
    this.#kept.delete(id);
    this.#spent.delete(id);
    void this.#store.read(id).then((record) => record && this.#store.remove(id, record.version));
    for (const wake of kept.waiting) wake();
  }

  /** Applies an event to a task. Resolves with the new record. */
  async #apply(id: string, event: TaskEvent): Promise<TaskRecord | undefined> {
    for (;;) {
      const record = await this.#store.read(id);
      if (!record) return undefined;
      const next = advance(record, event, this.#now());
      if (next === record) return record;
      if (!(await this.#store.replace(next, record.version))) continue;
      if (isFinal(next.status)) this.#ended(next);
      return next;
    }
  }

  #ended(record: TaskRecord): void {
    const { id, status } = record;
    const kept = this.#kept.get(id);
    if (!kept) return;
    if (status !== "completed") {
      this.#resize(id, 0);
      if (kept.context)
        new ServerQuestion(kept.context).stop(new McpError("cancelled", "the task has ended"));
    }
    kept.isOver = true;
    for (const wake of kept.waiting) wake();
    this.#notify(record);
  }

  /** Notifies the server of the status. If it is not connected, it polls later. */
  #notify(record: TaskRecord): void {
    const client = this.#client;
    if (client.state === "open")
      client.notify(statusMethod, coreTask(record, this.#now())).catch(() => undefined);
  }

  /** @returns whether to send the progress */
  #progressed(id: string, message: string | undefined): boolean {
    const kept = this.#kept.get(id);
    if (!kept || kept.isOver) return false;
    const now = this.#now();
    if (message !== undefined && now - kept.notedAt >= noteInterval) {
      kept.notedAt = now;
      void this.#apply(id, { type: "noted", run: id, message });
    }
    return true;
  }

  /** @throws {McpError} `invalid-params` */
  async #found(id: string): Promise<TaskRecord> {
    const record = await this.#store.read(id);
    if (record && !this.#isExpired(record)) return record;
    throw refused("there is no such task");
  }

  #isExpired({ status, dueAt }: TaskRecord): boolean {
    return isFinal(status) && dueAt <= this.#now();
  }

  async #resultOf(first: TaskRecord, { signal }: AnswerContext): Promise<object> {
    const { id } = first;
    const record = isFinal(first.status) ? first : await this.#endOf(id, signal);
    // The server has asked for the result. It gets the same result again as long as the task is kept.
    this.#spent.add(id);
    if (record?.status === "completed") {
      const result = record.result as { readonly _meta?: object };
      return ServerQuestion.asSent({ ...result, _meta: { ...result._meta, ...relatedTo(id) } });
    }
    const { code, message, data } = record?.error ?? internal("the task was cancelled");
    throw ServerQuestion.asSent(new McpError("internal-error", message, { rpcCode: code, data }));
  }

  /** Waits for the end of a task. @throws the reason of the signal; {McpError} `limit-exceeded` */
  async #endOf(id: string, signal: AnswerContext["signal"]): Promise<TaskRecord | undefined> {
    const kept = this.#kept.get(id);
    if (this.#waiting >= quotas.waiting) throw this.#exceeded("waiting");
    this.#waiting++;
    let wake!: () => void;
    const ended = new Promise<void>((resolve) => (wake = resolve));
    kept?.waiting.add(wake);
    signal.addEventListener("abort", wake);
    try {
      if (kept && !kept.isOver && !signal.aborted) await ended;
    } finally {
      this.#waiting--;
      kept?.waiting.delete(wake);
      signal.removeEventListener("abort", wake);
    }
    if (signal.aborted) throw signal.reason;
    return this.#store.read(id);
  }

  async #cancel({ id, status }: TaskRecord): Promise<object> {
    const after = isFinal(status) ? undefined : await this.#apply(id, { type: "cancelled" });
    if (after?.status !== "cancelled") throw refused("the task has ended");
    this.#spent.add(id);
    return coreTask(after, this.#now());
  }

  async #list(cursor: string | undefined): Promise<object> {
    if (cursor !== undefined && !this.#cursors.get(cursor)) throw refused("there is no such page");
    const all = await this.#store.list!("", cursor, pageSize + 1);
    const page = all.slice(0, pageSize);
    const now = this.#now();
    const tasks = page.filter((record) => !this.#isExpired(record)).map((record) => coreTask(record, now));
    if (all.length <= pageSize) return { tasks };
    const nextCursor = page.at(-1)!.id;
    this.#cursors.set(nextCursor, true);
    return { tasks, nextCursor };
  }

  /** Schedules the next sweep. One timer serves all tasks. */
  #schedule(): void {
    if (this.#timer !== undefined) return;
    this.#timer = unref(this.#client.clock.schedule(() => void this.#sweep(), sweepMs));
  }

  async #sweep(): Promise<void> {
    for (const { id, status } of await this.#store.due(this.#now(), Infinity)) {
      if (isFinal(status)) this.#drop(id);
      else await this.#apply(id, { type: "failed", error: internal("the client gave no answer in time") });
    }
    this.#timer = undefined;
    if (this.#kept.size > 0 && this.#client.state !== "closed") this.#schedule();
  }

  #close(): void {
    this.#client.clock.clear(this.#timer);
    const reason = new McpError("connection-closed", "the client is closed");
    for (const { context } of this.#kept.values()) if (context) new ServerQuestion(context).stop(reason);
  }
}

function relatedTo(taskId: string): object {
  return { [relatedKey]: { taskId } };
}

function refused(message: string): McpError {
  return new McpError("invalid-params", message, { rpcCode: -32602 });
}

/** 128 random bits (2025-11-25, tasks, security considerations). */
function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
