import { ServerRequest } from "@mcpgen/runtime/extending";
import { type HandlerContext, McpError, type Server } from "@mcpgen/runtime";
import { invalid } from "@mcpgen/base";
import { type TaskEvent, advance } from "../state/advance.js";
import { type TaskRecord, type TaskStatus, internal } from "../state/record.js";
import { type Engine, ended } from "./engine.js";
import { principalOf } from "./request.js";
import { Run } from "./run.js";
import { prepareStore } from "./shared-store.js";
import type { HandlerTask, Next } from "./tool-call.js";
import { notification } from "./view.js";

// The runs of a process. A run begins when a call becomes a task, after input, after the end of another process, or from a
// queue. Loaded for the first run, or when a request waits for a change of a task.

/** Maximum number of restarts of a task whose process ended during a run, since the handler may be the cause. */
const mostRestarts = 5;

/**
 * Begins a run of a task without a run, or puts the task into the queue.
 *
 * @param auth authorization data of the client, for the handler
 */
export async function start(engine: Engine, record: TaskRecord, auth?: unknown): Promise<void> {
  if (!engine.options.executor) {
    await resume(engine, record, auth);
    return;
  }
  const { quotas } = engine;
  const { id, owner } = record;
  if (!quotas.queued.has(id) && quotas.isFull(owner)) return putOff(engine, record);
  // Several processes may see that the task is due. Only one puts it into the queue.
  if (!(await attempt(engine, record, { type: "queued", waitMs: engine.leaseMs }))) return;
  if (!quotas.queued.has(id)) quotas.ran(owner, 1);
  quotas.queued.set(id, owner);
  enqueue(engine, record);
}

/** Delays a task of a client that has the maximum number of runs. A later sweep tries again. */
async function putOff(engine: Engine, record: TaskRecord): Promise<void> {
  await attempt(engine, record, { type: "queued", waitMs: engine.sweepMs });
}

/** Puts a task into the queue. Does not wait, so that a slow queue does not delay other work, such as leases. */
export function enqueue(engine: Engine, { id }: TaskRecord): void {
  void (async () => engine.options.executor!.enqueue(id))().catch((error: unknown) => engine.fault(error));
}

/**
 * Runs a task until it ends, waits for input, or another run takes it. Resolves with its status.
 *
 * @throws {McpError} `invalid-definition`: no server uses these tasks
 */
export async function runTask(engine: Engine, id: string): Promise<TaskStatus | undefined> {
  if (!(engine.server as Server | undefined))
    throw invalid(
      "tasks: run: no server has these tasks. Give createServer what tasks() returned, in extensions.",
    );
  await prepareStore(engine);
  const record = await engine.store.read(id);
  if (record?.status !== "working" || (record.lease && record.lease.until > engine.now()))
    return record?.status;
  let run: Run | undefined;
  await take(engine, record, async () => {
    run = await resume(engine, record);
    if (run) await endOf(run);
  });
  return run ? run.record?.status : (await engine.store.read(id))?.status;
}

/** Begins a run of a task. Returns the run; `undefined` if another run has the task, or if it cannot begin now. */
async function resume(engine: Engine, record: TaskRecord, auth?: unknown): Promise<Run | undefined> {
  if (engine.isClosed) return undefined;
  const { quotas } = engine;
  // A task from the queue is already counted.
  const isCounted = quotas.queued.has(record.id);
  if (!isCounted && quotas.isFull(record.owner)) {
    await putOff(engine, record);
    return undefined;
  }
  const run = new Run(engine, record.id);
  const leased = await engine.apply(record.id, { type: "leased", lease: engine.leaseOf(run) }, record);
  if (leased?.lease?.run !== run.name) return undefined;
  if (engine.isClosed) {
    // Return the lease: without a run, it would look like a crash.
    await engine.apply(leased.id, { type: "released", run: run.name }, leased);
    return undefined;
  }
  quotas.unqueued(leased.id);
  run.continues(leased);
  engine.counted(run, leased.owner);
  began(engine, run, leased);
  engine.report("started", leased);
  try {
    const { context, call } = ServerRequest.again(engine.server, leased.request!, auth);
    engine.again.set(context, (own, next) => runAgain(run, own, next));
    run.settle(call(), context);
  } catch (error) {
    const { message } = error as Error;
    run.onSettled();
    // If the store fails, the lease expires.
    await run
      .apply({ type: "failed", run: run.name, error: internal(message) })
      .finally(() => run.stop(ended()));
  }
  return run;
}

/** Calls the handler of a task that runs again. */
function runAgain(run: Run, context: HandlerContext, next: Next): object | Promise<object> {
  const task = { id: run.id, principal: principalOf(context), detach: () => {} } satisfies HandlerTask;
  const handler = run.handler(context, task);
  handler.detach();
  return next(undefined, handler);
}

/** Begins a task without an active run, or fails it if it must not be restarted. */
export async function take(engine: Engine, record: TaskRecord, begin: () => Promise<void>): Promise<void> {
  const { id, lease, onRestart, restarts = 0 } = record;
  // The run in this process is busy: the next sweep renews its lease.
  if (lease && engine.runs.get(id)?.name === lease.run) return;
  if (restarts >= mostRestarts)
    return giveUp(engine, record, `the server stopped ${restarts + 1} times while it ran the task`);
  if (!lease || onRestart === "replay") return begin();
  return giveUp(engine, record, "the server that ran the task has stopped");
}

/** Fails a task, unless it has changed meanwhile. */
export async function giveUp(engine: Engine, record: TaskRecord, message: string): Promise<void> {
  await attempt(engine, record, { type: "failed", error: internal(message) });
}

/** Applies an event to exactly this version of a task. Returns whether it was applied. */
async function attempt(engine: Engine, record: TaskRecord, event: TaskEvent): Promise<boolean> {
  const next = advance(record, event, engine.now());
  if (next === record || !(await engine.store.replace(next, record.version))) return false;
  engine.advanced(record, next);
  return true;
}

/** Resolves when the run has ended or was stopped. */
function endOf(run: Run): Promise<void> {
  const { onEnd } = run;
  return new Promise((resolve) => {
    if (run.isOver) return resolve();
    run.onEnd = () => {
      onEnd();
      resolve();
    };
  });
}

/** Registers the run of a task. */
export function began(engine: Engine, run: Run, { id, limits }: TaskRecord): void {
  follow(engine);
  run.deadline = engine.clock.now() + (limits.maxRunMs ?? Infinity);
  engine.runs.set(id, run);
}

/** Subscribes to changes of tasks by other processes, if the server's bus carries them. */
export function follow(engine: Engine): void {
  const { bus } = engine;
  if (!bus || engine.isClosed) return;
  // An error of the bus is not fatal, because waiting requests also poll the store.
  engine.safely(() => {
    engine.unfollow ??= bus.subscribe(({ method, params }) => {
      if (method !== notification) return;
      const { taskId, status } = (params ?? {}) as { readonly taskId?: unknown; readonly status?: unknown };
      // Other programs may publish on the bus.
      if (typeof taskId !== "string") return;
      engine.wake(taskId);
      // Renewing the lease stops the run of a task that another process has ended.
      if (status !== "working") void prolong(engine, engine.runs.get(taskId));
    });
  });
}

export async function prolong(engine: Engine, run: Run | undefined): Promise<void> {
  await run?.prolong().catch((error: unknown) => engine.fault(error));
}

/** Stops all runs of a process that closes. */
export async function abandonRuns(engine: Engine): Promise<void> {
  await Promise.all([...engine.runs.values()].map(abandon));
}

/** Stops a run. Releases its task to other processes, or fails it. */
async function abandon(run: Run): Promise<void> {
  // The handler has ended, but its outcome may not be stored yet.
  if (run.outcome) return run.save().catch(() => run.end());
  run.isAbandoned = true;
  const { name, record } = run;
  const error = internal("the server that ran the task has stopped");
  const isReplayed = record?.onRestart === "replay";
  await run
    .apply(isReplayed ? { type: "released", run: name } : { type: "failed", run: name, error })
    .catch(() => undefined);
  run.stop(new McpError("connection-closed", "the server is closing"));
}
