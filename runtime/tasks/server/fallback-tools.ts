import { type HandlerContext, McpError } from "@mcpgen/runtime";
import { invalid } from "@mcpgen/base";
import { type TaskRecord, isFinal } from "../state/record.js";
import { Call } from "./call.js";
import { ask, takeBack, unasked } from "./core-asks.js";
import type { Engine } from "./engine.js";
import { found } from "./lookup.js";
import { type ToolTask, isTask } from "./options.js";
import { askDirectly } from "./request.js";
import type { Next, ToolCall } from "./tool-call.js";
import { changeOf } from "./waiters.js";

// Tasks for clients of revisions without tasks (2025-06-18 and before), with the option `fallback`: tools replace the
// requests about tasks, and results contain ids as text. Loaded when such a client may need it.

/**
 * Maximum time for which `task_result` waits for the end of a task, in milliseconds. Hosts end a call after 30 seconds or
 * more.
 */
const longestWait = 20_000;

/** The result of a tool: a text. */
interface TextResult {
  readonly content: readonly { readonly type: "text"; readonly text: string }[];
  readonly isError?: true;
}

type Tool = (engine: Engine, taskId: string, context: HandlerContext) => Promise<object>;

const inputSchema = {
  type: "object",
  properties: {
    taskId: { type: "string", description: "The id that the call of the tool was answered with." },
  },
  required: ["taskId"],
};

/** The tools that replace requests, by name. */
const tools: Readonly<Record<string, Tool>> = {
  task_status: status,
  task_result: result,
  task_cancel: cancel,
};

const annotations = { readOnlyHint: true, openWorldHint: false };

const definitions = [
  {
    name: "task_status",
    description: "The state of a task: of a call that goes on after its answer.",
    inputSchema,
    annotations,
  },
  {
    name: "task_result",
    description: `The result of a task, as the call would have been answered. Waits for it, ${longestWait / 1000} seconds at most.`,
    inputSchema,
    annotations,
  },
  {
    name: "task_cancel",
    description: "Cancels a task that still runs.",
    inputSchema,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  },
] as const;

const reported = new WeakSet<Engine>();

/** Whether to offer the tools to a client. */
function isOffered(engine: Engine, context: HandlerContext): boolean {
  if (!engine.options.fallback || engine.declaresDialect?.(context)) return false;
  const { entries } = engine.server.features.tools;
  const taken = definitions.find(({ name }) => entries.has(name));
  if (!taken) return [...entries.values()].some(({ added }) => isTask(added));
  if (!reported.has(engine)) {
    reported.add(engine);
    engine.fault(invalid(`tasks: fallback: the server defines a tool ${taken.name}. Rename it.`));
  }
  return false;
}

/**
 * Adapts the list of tools for a client without tasks. Removes `outputSchema` from tools whose result may be an id, because
 * the client would refuse that result.
 */
export async function fallbackList(
  engine: Engine,
  context: HandlerContext,
  listed: object | Promise<object>,
): Promise<object> {
  type Listed = { readonly name: string; readonly outputSchema?: object };
  const page = (await listed) as { readonly tools: readonly Listed[]; readonly nextCursor?: string };
  if (!isOffered(engine, context)) return page;
  const { entries } = engine.server.features.tools;
  const shown = page.tools.map(({ outputSchema, ...tool }) =>
    outputSchema && !isTask(entries.get(tool.name)?.added) ? { ...tool, outputSchema } : tool,
  );
  return { ...page, tools: page.nextCursor === undefined ? [...shown, ...definitions] : shown };
}

/** Runs a call of a client without tasks. @param call `task` is absent if the tool does not support tasks */
export async function fallbackCall(
  engine: Engine,
  { context, params, task }: ToolCall<ToolTask | undefined>,
  next: Next,
): Promise<object> {
  const { name, arguments: args } = params as { readonly name: string; readonly arguments?: object };
  if (isOffered(engine, context)) {
    if (Object.hasOwn(tools, name)) return called(engine, tools[name]!, args, context);
    if (task) return new Call(engine, { context, params, task }, { created: started(task) }).start(next);
  }
  if (task?.support !== "required") return next();
  return failure(`${name} runs as a task: it needs a client with tasks`);
}

async function called(
  engine: Engine,
  tool: Tool,
  args: { readonly taskId?: unknown } = {},
  context: HandlerContext,
): Promise<object> {
  const { taskId } = args;
  if (typeof taskId !== "string" || taskId === "") return failure("taskId: expected the id of a task");
  return tool(engine, taskId, context);
}

/** Makes the result of a call that became a task: a text with its id. */
const started =
  ({ immediate }: ToolTask) =>
  ({ id }: TaskRecord): object =>
    textResult(
      `${immediate === undefined ? "" : `${immediate}\n`}The call goes on as task ${id}. ` +
        `Call task_result with {"taskId":"${id}"} for its result; task_status shows its state, task_cancel ends it.`,
    );

/** Finds the task of an id. Resolves with a failed tool result if the client may not have it. */
async function taskOf(
  engine: Engine,
  taskId: string,
  context: HandlerContext,
  isPoll: boolean,
): Promise<TaskRecord | TextResult> {
  try {
    return await found(engine, taskId, context, isPoll);
  } catch (error) {
    const { code, message } = error as McpError;
    // Answer with a result, because hosts seldom show errors to the model.
    if (code === "invalid-params" || code === "rate-limited") return failure(message);
    throw error;
  }
}

async function status(engine: Engine, taskId: string, context: HandlerContext): Promise<object> {
  const record = await taskOf(engine, taskId, context, true);
  if ("content" in record) return record;
  engine.report("read", record);
  return textResult(stateOf(record));
}

async function cancel(engine: Engine, taskId: string, context: HandlerContext): Promise<object> {
  const record = await taskOf(engine, taskId, context, false);
  if ("content" in record) return record;
  return textResult(stateOf((await engine.cancel(record)) ?? record));
}

/** Waits for the end of a task. Sends its requests for input on the stream of this request. */
async function result(engine: Engine, taskId: string, context: HandlerContext): Promise<object> {
  const first = await taskOf(engine, taskId, context, false);
  if ("content" in first) return first;
  const asked = new Set<string>();
  const asking = new Set<Promise<void>>();
  const until = engine.clock.now() + longestWait;
  let record: TaskRecord | undefined = first;
  let reports = 0;
  while (record && !isFinal(record.status)) {
    for (const key of unasked(engine, record)) {
      // A stream does not repeat a request that failed on it.
      if (asked.has(key)) continue;
      asked.add(key);
      const answering = ask(engine, [record, key], context, (each) => askDirectly(context, each));
      asking.add(answering);
      void answering.finally(() => asking.delete(answering));
    }
    // Wait longer while a user is being asked.
    if (asking.size === 0 && engine.clock.now() >= until)
      return textResult(`${stateOf(record)}. Call task_result again.`);
    const { message } = record;
    record = await changeOf(engine, record, context.signal);
    if (record?.message !== undefined && record.message !== message)
      context.progress(++reports, undefined, record.message);
  }
  takeBack(engine, first);
  if (record) engine.report("read", record);
  if (record?.status === "completed") return record.result!;
  if (record?.status !== "failed") return failure(`Task ${taskId} was cancelled`);
  const { code = -32603, message = "the task failed", data } = record.error ?? {};
  throw new McpError("internal-error", message, { rpcCode: code, data });
}

function stateOf({ id, status, message }: TaskRecord): string {
  const words = {
    working: message === undefined ? "still runs" : `still runs: ${message}`,
    input_required: "waits for input, which task_result asks for",
    completed: "has completed: task_result has its result",
    failed: "has failed: task_result has its error",
    cancelled: "was cancelled",
  };
  return `Task ${id} ${words[status]}`;
}

function textResult(text: string): TextResult {
  return { content: [{ type: "text", text }] };
}

function failure(text: string): TextResult {
  return { ...textResult(text), isError: true };
}
