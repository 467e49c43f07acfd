import { type AskOptions, type Clock, type HandlerContext, McpError } from "@mcpgen/runtime";
import { abortable, attempts, BoundedMap } from "@mcpgen/base";
import { type CoreMethod, relatedKey, resultMethod } from "../state/core-names.js";
import { type Asked, type TaskStatus, isFinal } from "../state/record.js";
import { Waits } from "../state/polling.js";
import type { Engine } from "./engine.js";
import {
  alternativeOf,
  askApart,
  askDirectly,
  askThroughOther,
  liftedAnswer,
  principalOf,
  requestEither,
  requestOfClient,
} from "./request.js";

// Requests to a client that the client runs as tasks (2025-11-25, tasks): a user may answer late, over another connection.
// Servers load this when a client may be asked so.

/** The mark of the answer to a request that became a task. */
const taskMark = "task";

const cancelMethod: CoreMethod = "tasks/cancel";
const getMethod: CoreMethod = "tasks/get";

/** The timeout of a request whose end this file decides. */
const noTimeout = 2 ** 52;

/** Asks that wait for the next stream of their client, and characters of answers that came meanwhile. */
const mostOutstanding = { count: 10_000, bytes: 16_777_216 };

/** Characters of the longest id. */
const longestId = 1024;

/** A task as a client shows it. */
interface ClientTask {
  readonly taskId: string;
  readonly status: TaskStatus;
  readonly pollInterval?: number;
}

/** An ask that goes on. */
interface Asking {
  readonly context: HandlerContext;
  readonly asked: Asked;
  readonly clock: Clock;
  /** Milliseconds for the answer. */
  readonly waitMs: number;
  /** End the wait when they abort. */
  readonly signals: readonly HandlerContext["signal"][];
  /** Whether requests go on a stream of no request. */
  readonly isApart: boolean;
}

/** Where a task of the server asks. */
interface Stream {
  readonly context: HandlerContext;
  /** Aborts at the end of the task. */
  readonly isOver: HandlerContext["signal"];
  /** Whether it belongs to no request. Otherwise it ends with the signal of the context. */
  readonly isApart: boolean;
}

/** Whether the client runs a request as a task if it is asked to (C02). */
function runsAsTask(context: HandlerContext, method: string): boolean {
  return alternativeOf(context, method, taskMark) !== undefined;
}

/** Milliseconds that clients have for input. */
function waitOf({ options: { waitMs = 86_400_000 } }: Engine): number {
  return waitMs;
}

/** Makes tasks of the asks of a handler that runs inline, where the client declares it. */
export function askByTasks(engine: Engine, context: HandlerContext): void {
  askThroughOther(context, (asked, options) =>
    runsAsTask(context, asked.method)
      ? askAsTask(engine, context, asked, options)
      : requestOfClient(context, asked, { ...options, signal: context.signal }),
  );
}

/**
 * Asks the client by a task, which is cancelled when the signal of the handler aborts, and when it takes too long.
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
    // An error of the client is the end of its task.
    if (!isRemote(error)) void cancel(context, created);
    throw error;
  }
}

/** The tasks of clients that tasks of this server wait for, by the id of the latter and the key of the ask. */
const outstanding = new WeakMap<Engine, Outstanding>();

type Outstanding = BoundedMap<string, Promise<ClientTask | object>>;

/**
 * Asks the client for a task of this server. A task of the client outlives the stream on which it is asked for: the next
 * stream goes on with it.
 *
 * @param of id of the task of this server, and key of the ask
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
    // The next stream goes on with it.
    if (!isOver.aborted && !isApart && context.signal.aborted) throw error;
    all.delete(name);
    // Another process of the client does not know the task of the first.
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

/** Keeps an ask for the next stream. An answer that comes while there is none counts with its size. */
function keep(
  all: Outstanding,
  name: string,
  created: Promise<ClientTask | object>,
  principal: string,
): void {
  all.set(name, created, { principal });
  const weigh = (answer: ClientTask | object): void => {
    if (isTask(answer) || all.get(name) !== created) return;
    if (!all.set(name, created, { principal, bytes: JSON.stringify(answer).length })) all.delete(name);
  };
  created.then(weigh, () => {});
}

/** Sends the request. @returns the task, or the result of a client that answers at once */
async function create({ context, asked, waitMs, isApart }: Asking): Promise<ClientTask | object> {
  const params = { ...asked.params, task: { ttl: waitMs } };
  const alternative = alternativeOf(context, asked.method, taskMark)!;
  // A request that becomes a task is not cancelled as others are (C20): its task is.
  const options = { timeout: noTimeout, totalTimeout: noTimeout };
  const answer = await requestEither(context, { ...asked, params }, alternative, options, isApart);
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
 * The answer of a client, in its time.
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
    // Ends what still waits.
    own.abort(new McpError("cancelled", "the task has ended"));
  }
}

/** Waits for the end of a task: by a request that the client answers then, and by polls, should it be lost. */
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
 * Polls until the task has ended, or the signal aborts.
 *
 * @throws {McpError} the client does not know the task, or answers no poll; `invalid-result`
 */
async function untilEnd(
  { context, clock, isApart }: Asking,
  { taskId, pollInterval }: ClientTask,
  signal: AbortSignal,
): Promise<undefined> {
  const waits = new Waits();
  // The client answers without polls: they become rarer, too, where it advises an interval.
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

/** Cancels a task of the client, whether or not the request is over. */
async function cancel(context: HandlerContext, created: Promise<ClientTask | object>): Promise<void> {
  try {
    const task = await created;
    if (!isTask(task)) return;
    await requestOfClient(context, { method: cancelMethod, params: { taskId: task.taskId } }, {}, true);
  } catch {
    // The client does not have the task, or is gone.
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
  return ((error as McpError).data as { readonly code?: number } | undefined)?.code;
}
