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

// Tasks of the core protocol (2025-11-25, tasks). A client asks for a task, and gets the result by a request that waits
// for it. Loaded when a client first uses them.

/** The member of `_meta` with a text for the model to read while the task runs. */
const immediateKey = "io.modelcontextprotocol/model-immediate-response";

/** Number of tasks on a page of the list. */
const pageSize = 100;

/** Voices of clients that have asked for their task, and so have its id. Requests for input are sent only to these. */
const known = new WeakSet<Voice>();

/** Makes the result of `tasks/get`. Sends the task's requests for input that no stream has sent. */
export function gotTask(engine: Engine, record: TaskRecord): object {
  const voice = engine.voices.get(record.id);
  if (voice) known.add(voice);
  if (record.wanted) voice?.changed?.(record);
  return coreTask(record, engine.now());
}

/**
 * Runs a call as a task if the client asks for one, otherwise inline. Inline, the client may run its requests for input
 * as tasks.
 *
 * @throws {McpError} `method-not-found`: the tool requires a task, or does not support tasks (2025-11-25, tasks,
 *   tool-level negotiation); `invalid-params`: the arguments are wrong
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

/** Makes the messages of a task call. @param keepMs milliseconds for which the client wants the task to be kept */
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

/** Adds the task support of each tool to a list of tools. */
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

/** Cancels a task. @throws {McpError} `invalid-params`: the task has ended */
export async function cancelCoreTask(engine: Engine, record: TaskRecord): Promise<object> {
  const after = isFinal(record.status) ? undefined : await engine.cancel(record);
  if (after?.status !== "cancelled") throw wrongParams("the task has ended");
  return coreTask(after, engine.now());
}

/** Waits for the end of a task. Answers as the call itself would have. */
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
      // A stream does not repeat a request that failed on it.
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

/** Returns a page of the client's tasks, without tasks that its token may not read. */
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

/** Returns the id in a cursor. @throws {McpError} `invalid-params`: this server has not issued the cursor */
async function idOf(engine: Engine, cursor: string, owner: string): Promise<string> {
  const id = cursor.replace(/^after /, "");
  if (id === cursor || !(await (await engine.ids).isOf(id, owner)))
    throw wrongParams("params.cursor: there is no such page");
  return id;
}

/**
 * Makes the voice of a core task. Progress has the token of the call, which stays valid until the task ends (C18). All
 * messages of the task name it in `_meta` (C15), except notifications whose params have its id (C16).
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
      // If `tasks/result` waits, its stream sends the requests. A client without a stream gets them when it has one.
      if (!isHeard || !known.has(voice) || engine.waiters.has(record.id)) return;
      for (const key of keys)
        void ask(engine, [record, key], context, (asked, isOver) =>
          askForTask(engine, [record.id, key], asked, { context, isOver, isApart: true }),
        );
    },
    progressed: (id, progress, total, message) => {
      // A handler that runs again repeats its reports: skip them.
      if (progressToken === undefined || !(progress > last && progress < Infinity)) return;
      last = progress;
      const report = { progressToken, progress, ...(total !== undefined && { total }) };
      sent(id, "notifications/progress", { ...report, ...(message !== undefined && { message }) });
    },
    sent,
  };
  return voice;
}
