import { type AskOptions, type Clock, type HandlerContext, McpError } from "@mcpgen/runtime";
import { abortable, attempts, BoundedMap, weightOf } from "@mcpgen/base";
import { type CoreMethod, relatedKey, resultMethod } from "../state/core-names.js";
import { type Asked, type TaskStatus, isFinal } from "../state/record.js";
import { Waits } from "../state/polling.js";
import type { Engine } from "./engine.js";
import {
  askApart,
  askDirectly,
  askThroughOther,
  declaresAlternative,
  liftedAnswer,
  principalOf,
  requestOfClient,
} from "./request.js";

// Requests to a client that the client runs as tasks (2025-11-25, tasks), so that a user may answer late, over another
// connection. Loaded when first needed.

/** The member that marks the answer of a request that became a task. */
const taskMark = "task";

const cancelMethod: CoreMethod = "tasks/cancel";
const getMethod: CoreMethod = "tasks/get";

/** A timeout that never expires, for requests that this file ends itself. */
const noTimeout = 2 ** 52;

/**
 * Limits of requests that wait for the next stream of their client: their number, and the bytes of answers, about, that
 * arrive during the wait.
 */
const mostOutstanding = { count: 10_000, bytes: 16_777_216 };

/** Maximum length of an id in characters. */
const longestId = 1024;

/** The state of a task that a client sends. */
interface ClientTask {
  readonly taskId: string;
  readonly status: TaskStatus;
  readonly pollInterval?: number;
}

/** A request for input in progress. */
interface Asking {
  readonly context: HandlerContext;
  readonly asked: Asked;
  readonly clock: Clock;
  /** Maximum time for the answer in milliseconds. */
  readonly waitMs: number;
  /** Signals that end the wait. */
  readonly signals: readonly HandlerContext["signal"][];
  /** Whether messages are sent on a stream that belongs to no request. */
  readonly isApart: boolean;
}

/** The stream on which a task of the server sends its requests. */
interface Stream {
  readonly context: HandlerContext;
  /** Aborts at the end of the task. */
  readonly isOver: HandlerContext["signal"];
  /** Whether the stream belongs to no request. Otherwise it ends when the signal of the context aborts. */
  readonly isApart: boolean;
}

/** Whether the client declares that it runs requests of this method as tasks (C02). */
function runsAsTask(context: HandlerContext, method: string): boolean {
  return declaresAlternative(context, method, taskMark);
}

/** Maximum time for input in milliseconds. */
function waitOf({ options: { waitMs = 86_400_000 } }: Engine): number {
  return waitMs;
}

/** For a handler that runs inline: sends its requests for input as tasks, where the client declares support. */
export function askByTasks(engine: Engine, context: HandlerContext): void {
  askThroughOther(context, (asked, options) =>
    runsAsTask(context, asked.method)
      ? askAsTask(engine, context, asked, options)
      : requestOfClient(context, asked, { ...options, signal: context.signal }),
  );
}

/**
 * Requests input from the client by a task of the client. Cancels that task when the handler's signal aborts, and after
 * the timeout.
 *
 * @throws {McpError} as `context.ask`
 */
async function askAsTask(
  engine: Engine,
  context: HandlerContext,
  asked: Asked,
  { timeout = Infinity, totalTimeout = Infinity }: AskOptions,
): Promise<object> {
  const asking: Asking = {
    ...{ context, asked, clock: engine.clock, signals: [context.signal], isApart: false },
    waitMs: Math.min(timeout, totalTimeout, waitOf(engine)),
  };
  const created = create(asking);
  try {
    return await answerOf(asking, created);
  } catch (error) {
    // If the client answered with an error, its task has ended.
    if (!isRemote(error)) void cancel(context, created);
    throw error;
  }
}

/** The client tasks for which server tasks wait, by the id of the server task and the key of the request. */
const outstanding = new WeakMap<Engine, Outstanding>();

type Outstanding = BoundedMap<string, Promise<ClientTask | object>>;

/**
 * Requests input for a task of this server. If the client runs the request as a task, that task outlives the stream, and
 * the next stream continues it.
 *
 * @param of id of the server's task, and key of the request
 * @throws {McpError} as `context.ask`
 */
export async function askForTask(
  engine: Engine,
  of: readonly [id: string, key: string],
  asked: Asked,
  stream: Stream,
): Promise<object> {
  const { context, isOver, isApart } = stream;
  const waitMs = waitOf(engine);
  if (!runsAsTask(context, asked.method))
    return isApart ? askApart(context, asked, waitMs, isOver) : askDirectly(context, asked);
  const signals = isApart ? [isOver] : [isOver, context.signal];
  const asking: Asking = { context, asked, clock: engine.clock, waitMs, signals, isApart };
  const all = asksOf(engine);
  const name = of.join(" ");
  const earlier = all.get(name);
  const created = earlier ?? create(asking);
  if (!earlier) keep(all, name, created, principalOf(context));
  try {
    const answer = await answerOf(asking, created);
    all.delete(name);
    return answer;
  } catch (error) {
    // The stream has ended: the next stream continues the client's task.
    if (!isOver.aborted && !isApart && context.signal.aborted) throw error;
    all.delete(name);
    // The client has restarted and does not know its earlier task: send the request again.
    if (earlier && isRemote(error) && rpcCodeOf(error) === -32602)
      return askForTask(engine, of, asked, stream);
    if (!isRemote(error)) void cancel(context, created);
    throw error;
  }
}

function asksOf(engine: Engine): Outstanding {
  let all = outstanding.get(engine);
  if (!all) outstanding.set(engine, (all = new BoundedMap({ ...mostOutstanding, full: "evict" })));
  return all;
}

/**
 * Keeps a request for the next stream. If the client answers earlier, the bytes of the answer count toward the limit.
 */
function keep(
  all: Outstanding,
  name: string,
  created: Promise<ClientTask | object>,
  principal: string,
): void {
  all.set(name, created, { principal });
  const weigh = (answer: ClientTask | object): void => {
    if (isTask(answer) || all.get(name) !== created) return;
    if (!all.set(name, created, { principal, bytes: weightOf(answer, mostOutstanding.bytes) }))
      all.delete(name);
  };
  created.then(weigh, () => {});
}

/** Sends the request. @returns the client's task, or the result if the client answers at once */
async function create({ context, asked, waitMs, isApart }: Asking): Promise<ClientTask | object> {
  const params = { ...asked.params, task: { ttl: waitMs } };
  // A timeout must not cancel the request, only its task (C20).
  const options = { timeout: noTimeout, totalTimeout: noTimeout };
  const answer = await requestOfClient(context, { ...asked, params }, options, isApart);
  const { task } = answer as { readonly task?: ClientTask };
  if (!task) return answer;
  if (task.taskId.length > longestId) throw invalid("its taskId is too long");
  return { ...task, [isClientTask]: true };
}

const isClientTask = Symbol("task of a client");

function isTask(answer: object): answer is ClientTask {
  return isClientTask in answer;
}

/**
 * Waits for the answer of a client, with a time limit.
 *
 * @throws {McpError} `timeout`; the reason of the signal of the handler
 */
async function answerOf(asking: Asking, created: Promise<ClientTask | object>): Promise<object> {
  const { clock, waitMs, signals } = asking;
  const own = new AbortController();
  const abort = (): void => own.abort(signals.find(({ aborted }) => aborted)!.reason);
  const timer = clock.schedule(
    () => own.abort(new McpError("timeout", `the client gave no answer for ${waitMs} ms`)),
    waitMs,
  );
  for (const signal of signals) {
    signal.addEventListener("abort", abort);
    if (signal.aborted) abort();
  }
  const answer = async (): Promise<object> => {
    const task = await created;
    return isTask(task) && !own.signal.aborted ? outcomeOf(asking, task, own.signal) : task;
  };
  try {
    return await abortable(own.signal, answer(), () => own.signal.reason as Error);
  } finally {
    clock.clear(timer);
    for (const signal of signals) signal.removeEventListener("abort", abort);
    // Ends remaining waits.
    own.abort(new McpError("cancelled", "the task has ended"));
  }
}

/**
 * Waits for the outcome of a task: by a request that the client answers at the end, and by polls, in case that request is
 * lost.
 */
async function outcomeOf(asking: Asking, task: ClientTask, signal: AbortSignal): Promise<object> {
  const { context, asked, isApart } = asking;
  const { taskId } = task;
  const fetch = (options: AskOptions): Promise<object> =>
    requestOfClient(context, { method: resultMethod, params: { taskId } }, { ...options, signal }, isApart);
  const first = fetch({ timeout: noTimeout, totalTimeout: noTimeout });
  const late = untilEnd(asking, task, signal);
  for (const each of [first, late]) each.catch(() => {});
  const result = (await Promise.race([first, late])) ?? (await fetch({}));
  return withoutRelated(await liftedAnswer(context, asked, result));
}

/**
 * Polls until the task has ended or the signal aborts.
 *
 * @throws {McpError} the client does not know the task, or does not answer polls; `invalid-result`
 */
async function untilEnd(
  { context, clock, isApart }: Asking,
  { taskId, pollInterval }: ClientTask,
  signal: AbortSignal,
): Promise<undefined> {
  const waits = new Waits();
  // Polls are only a backup, so waits also grow where the client suggests an interval.
  const waitFor = (advised?: number): number => Math.max(waits.next(), waits.next(advised));
  let wait = waitFor(pollInterval);
  for await (const _ of attempts({ pauses: () => wait, waitsFirst: true, clock, signal })) {
    try {
      const poll = { method: getMethod, params: { taskId } };
      const task = (await requestOfClient(context, poll, { signal }, isApart)) as ClientTask;
      if (task.taskId !== taskId) throw invalid("tasks/get shows another task");
      if (isFinal(task.status)) return undefined;
      wait = waitFor(task.pollInterval);
    } catch (error) {
      const later = (error as McpError).code === "timeout" ? waits.failed() : undefined;
      if (later === undefined) throw error;
      wait = later;
    }
  }
  return undefined;
}

/** Cancels a task of the client, even after its request has ended. */
async function cancel(context: HandlerContext, created: Promise<ClientTask | object>): Promise<void> {
  try {
    const task = await created;
    if (!isTask(task)) return;
    await requestOfClient(context, { method: cancelMethod, params: { taskId: task.taskId } }, {}, true);
  } catch {
    // The client does not have the task, or has disconnected.
  }
}

function withoutRelated(answer: object): object {
  const { _meta, ...rest } = answer as { readonly _meta?: { readonly [key: string]: unknown } };
  if (!_meta) return answer;
  const { [relatedKey]: _, ...others } = _meta;
  return Object.keys(others).length > 0 ? { ...rest, _meta: others } : rest;
}

function invalid(problem: string): McpError {
  return new McpError("invalid-result", `the task of the client: ${problem}`);
}

function isRemote(error: unknown): boolean {
  return error instanceof McpError && error.code === "remote-error";
}

function rpcCodeOf(error: unknown): number | undefined {
  return (error as McpError).remote?.code;
}
