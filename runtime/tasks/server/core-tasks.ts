import { type HandlerContext, McpError } from "@mcpgen/runtime";
import { ServerRequest } from "@mcpgen/runtime/extending";
import { relatedKey, statusMethod } from "../state/core-names.js";
import { coreTask } from "../state/core-task.js";
import { type TaskRecord, isFinal } from "../state/record.js";
import { Call } from "./call.js";
import type { Engine } from "./engine.js";
import { found, isReadable, wrongParams } from "./lookup.js";
import { type ToolTask, isTask } from "./options.js";
import { loweredResult, notifyClient, principalOf } from "./request.js";
import { changeOf } from "./waiters.js";
import { ask, takeBack, unasked } from "./core-asks.js";
import { askByTasks, askForTask } from "./requestor.js";
import type { CallWords, Next, ToolCall, Voice } from "./tool-call.js";

// Tasks of the core protocol (2025-11-25, tasks): a client asks for a task, and fetches the result with a request that
// waits for it. Servers load this when a client asks for it.

/** What the client gives to its model while the task runs. */
const immediateKey = "io.modelcontextprotocol/model-immediate-response";

/** Tasks on one page of a list. */
const pageSize = 100;

/** Voices of clients that have the id of their task: an ask that comes before it belongs to nothing they know. */
const known = new WeakSet<Voice>();

/** A task as `tasks/get` shows it. What it asks is sent to a client that has not been asked yet. */
export function gotTask(engine: Engine, record: TaskRecord): object {
  const voice = engine.voices.get(record.id);
  if (voice) known.add(voice);
  if (record.wanted) voice?.changed?.(record);
  return coreTask(record, engine.now());
}

/**
 * Runs a call as the task that the client asks for, or inline: then its asks may be tasks of the client.
 *
 * @throws {McpError} `method-not-found`: the tool requires a task, or runs as none (2025-11-25, tasks, tool-level
 *   negotiation); `invalid-params`: the arguments are wrong
 */
export async function coreTaskCall(
  engine: Engine,
  { context, params, task }: ToolCall<ToolTask | undefined>,
  next: Next,
): Promise<object> {
  const {
    name,
    arguments: args = {},
    task: asked,
  } = params as {
    readonly name: string;
    readonly arguments?: object;
    readonly task?: { readonly ttl?: number };
  };
  if (!asked && task?.support !== "required") {
    if ("tasks" in context.clientCapabilities) askByTasks(engine, context);
    return next();
  }
  if (!asked) throw unfit(`${name} runs as a task: ask for one with params.task`);
  if (!task) throw unfit(`${name} does not run as a task: leave params.task out`);
  const problem = await engine.server.features.tools.find(name, context)!.checkInput(args);
  if (typeof problem === "string") throw wrongParams(`the arguments are wrong: ${problem}`);
  const words = coreWords(engine, context, task, asked.ttl);
  return new Call(engine, { context, params, task }, words).start(next, true);
}

function unfit(message: string): McpError {
  return new McpError("method-not-found", message, { rpcCode: -32601 });
}

/** What a call that is a task shows to its client. @param keepMs milliseconds that the client wants it to be kept */
function coreWords(
  engine: Engine,
  context: HandlerContext,
  { immediate }: ToolTask,
  keepMs: number | undefined,
): CallWords {
  const meta = immediate === undefined ? {} : { _meta: { [immediateKey]: immediate } };
  return {
    created: (record, now) => new ServerRequest(context).asSent({ task: coreTask(record, now), ...meta }),
    voice: coreVoice(engine, context),
    keepMs,
  };
}

/** A list of tools that says which of them run as tasks. */
export async function listedTools(engine: Engine, listed: object | Promise<object>): Promise<object> {
  const { tools, ...rest } = (await listed) as { readonly tools: readonly { readonly name: string }[] };
  const { entries } = engine.server.features.tools;
  const withSupport = tools.map((tool) => {
    const { added } = entries.get(tool.name) ?? {};
    if (!isTask(added)) return tool;
    return { ...tool, execution: { taskSupport: (added!["task"] as ToolTask).support } };
  });
  return { ...rest, tools: withSupport };
}

/** Cancels a task. @throws {McpError} `invalid-params`: it has ended */
export async function cancelCoreTask(engine: Engine, record: TaskRecord): Promise<object> {
  const after = isFinal(record.status) ? undefined : await engine.cancel(record);
  if (after?.status !== "cancelled") throw wrongParams("the task has ended");
  return coreTask(after, engine.now());
}

/** Waits for the end of a task, and answers as the call would have been answered. */
export async function resultOf(
  engine: Engine,
  { taskId }: { readonly taskId: string },
  context: HandlerContext,
): Promise<object> {
  const first = await found(engine, taskId, context);
  const asked = new Set<string>();
  let record: TaskRecord | undefined = first;
  while (record && !isFinal(record.status)) {
    for (const key of unasked(engine, record)) {
      // What this stream could not ask, it does not ask again.
      if (asked.has(key)) continue;
      asked.add(key);
      void ask(engine, [record, key], context, (each, isOver) =>
        askForTask(engine, [taskId, key], each, { context, isOver, isApart: false }),
      );
    }
    record = await changeOf(engine, record, context.signal);
  }
  takeBack(engine, first);
  if (record) engine.report("read", record);
  const related = { [relatedKey]: { taskId } };
  if (record?.status === "completed") {
    const result = loweredResult(context, "tools/call", record.result!) as { readonly _meta?: object };
    return new ServerRequest(context).asSent({ ...result, _meta: { ...result._meta, ...related } });
  }
  const { code = -32603, message = "the task was cancelled", data } = record?.error ?? {};
  throw new McpError("internal-error", message, { rpcCode: code, data });
}

/** A page of the tasks of the client, without those that its token may not read. */
export async function listOf(
  engine: Engine,
  { cursor }: { readonly cursor?: string },
  context: HandlerContext,
): Promise<object> {
  const owner = principalOf(context);
  const after = cursor === undefined ? undefined : await idOf(engine, cursor, owner);
  const records = await engine.store.list!(owner, after, pageSize + 1);
  const page = records.slice(0, pageSize);
  const readable = await Promise.all(page.map((record) => isReadable(record, context, false)));
  const shown = page.filter((_, index) => readable[index]);
  for (const record of shown) engine.report("read", record);
  const now = engine.now();
  return {
    tasks: shown.map((record) => coreTask(record, now)),
    ...(records.length > pageSize && { nextCursor: `after ${page.at(-1)!.id}` }),
  };
}

/** @throws {McpError} `invalid-params`: this list has not issued the cursor */
async function idOf(engine: Engine, cursor: string, owner: string): Promise<string> {
  const id = cursor.replace(/^after /, "");
  if (id === cursor || !(await (await engine.ids).isOf(id, owner)))
    throw wrongParams("params.cursor: there is no such page");
  return id;
}

/**
 * What the client of a call hears of its task. Progress has the token of the call, which serves until the end of the task
 * (C18); all that belongs to a task names it (C15), but for notifications that have its id in the structure (C16).
 */
function coreVoice(engine: Engine, context: HandlerContext): Voice {
  const { progressToken } = context.meta;
  let last = -Infinity;
  let status: TaskRecord["status"] = "working";
  let isHeard = false;
  const sent: Voice["sent"] = (taskId, method, params) => {
    const { _meta } = (params ?? {}) as { readonly _meta?: object };
    notifyClient(context, method, { ...params, _meta: { ..._meta, [relatedKey]: { taskId } } });
  };
  const voice: Voice = {
    changed: (record) => {
      if (isFinal(record.status)) takeBack(engine, record);
      const keys = unasked(engine, record);
      const isNew = record.status !== status;
      if (!isNew && keys.length === 0) return;
      ({ status } = record);
      if (isNew || !isHeard) isHeard = notifyClient(context, statusMethod, coreTask(record, engine.now()));
      // Where `tasks/result` waits, its stream asks. A client without a stream is asked when it has one.
      if (!isHeard || !known.has(voice) || engine.waiters.has(record.id)) return;
      for (const key of keys)
        void ask(engine, [record, key], context, (asked, isOver) =>
          askForTask(engine, [record.id, key], asked, { context, isOver, isApart: true }),
        );
    },
    progressed: (id, progress, total, message) => {
      // A handler that runs again repeats its reports.
      if (progressToken === undefined || !(progress > last && progress < Infinity)) return;
      last = progress;
      const report = { progressToken, progress, ...(total !== undefined && { total }) };
      sent(id, "notifications/progress", { ...report, ...(message !== undefined && { message }) });
    },
    sent,
  };
  return voice;
}
