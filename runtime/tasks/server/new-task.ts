import { McpError } from "@mcpgen/runtime";
import { ServerRequest } from "@mcpgen/runtime/extending";
import { type TaskRecord, charactersOf } from "../state/record.js";
import type { Engine } from "./engine.js";
import { refuseCall } from "./refusals.js";
import { principalOf } from "./request.js";
import type { Run } from "./run.js";
import { began, enqueue } from "./runs.js";
import { prepareStore } from "./shared-store.js";
import { type CallWords, type ToolCall, audible } from "./tool-call.js";

/**
 * Stores the task of a call, and begins or enqueues its run. Loaded when the first call becomes a task.
 *
 * @param run the run of the call; if absent, the task goes to the queue
 * @throws {McpError} `limit-exceeded`: the client exceeds a quota of the store; `store-failed`: the task could not be stored
 */
export async function newTask(
  engine: Engine,
  run: Run | undefined,
  call: ToolCall,
  { keepMs = Infinity, voice }: CallWords,
): Promise<TaskRecord> {
  const { context } = call;
  const record = await stored(engine, run, call, keepMs).catch((cause: unknown) => {
    if (!run) engine.quotas.ran(principalOf(context), -1);
    if (cause instanceof McpError && cause.code === "limit-exceeded") throw cause;
    throw new McpError("store-failed", "the task could not be stored", { rpcCode: -32603, cause });
  });
  if (voice && run) engine.voices.set(record.id, audible(voice, record, context));
  if (run) began(engine, run, record);
  else {
    engine.quotas.queued.set(record.id, record.owner);
    enqueue(engine, record);
  }
  engine.report("created", record);
  engine.schedule();
  return record;
}

/**
 * @param wantedMs milliseconds for which the client wants the task to be kept
 * @throws {McpError} `connection-closed`: the server is closing, so no process would run the task
 * @throws the reason of the signal: the call was aborted, so no client would get the id
 */
async function stored(
  engine: Engine,
  run: Run | undefined,
  { context, params, task }: ToolCall,
  wantedMs: number,
): Promise<TaskRecord> {
  if (context.signal.aborted) throw context.signal.reason as Error;
  await prepareStore(engine);
  const call = new ServerRequest(context);
  const request = call.stored(params);
  const owner = request.principal;
  const { keepMs = 3_600_000, waitMs = 86_400_000, pollMs = 1000 } = engine.options;
  const tool = (params as { readonly name: string }).name;
  const limit = engine.quotas.exceededBy(await engine.store.usage?.(owner));
  if (limit) refuseCall(engine.refused(limit, owner, tool)!);
  const scopes = call.scopes(engine.server, request.params);
  const id = await (await engine.ids).make(owner);
  const journal = run?.journal();
  const now = engine.now();
  const dueAt = now + engine.leaseMs;
  const { message = task.immediate, ...note } = run?.note ?? {};
  const record: TaskRecord = {
    id,
    owner,
    version: 1,
    status: "working",
    ...(message !== undefined && { message }),
    ...note,
    createdAt: now,
    updatedAt: now,
    dueAt,
    limits: {
      keepMs: Math.min(keepMs, wantedMs),
      waitMs,
      pollMs,
      ...(task.maxRunMs !== undefined && { maxRunMs: task.maxRunMs }),
    },
    tool,
    ...(scopes.length > 0 && { scopes }),
    onRestart: task.onRestart ?? "fail",
    request,
    size: charactersOf(request) + charactersOf(journal) + (message?.length ?? 0),
    ...(run && journal ? { journal, lease: { run: run.name, until: dueAt } } : { queued: 1 }),
  };
  const isStranded = (): boolean => run !== undefined && engine.isClosed;
  if (!isStranded()) {
    if ((await engine.store.create(record, engine.quotas.limits)) === "full") {
      refuseCall(engine.refused("limits.memory", owner, tool)!);
    }
    if (!isStranded()) return record;
    await engine.store.remove(id, record.version);
  }
  throw new McpError("connection-closed", "the server is closing");
}
