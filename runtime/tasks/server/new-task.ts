import { type HandlerContext, McpError } from "@mcpgen/runtime";
import { storedRequest } from "@mcpgen/runtime/extending";
import type { TaskRecord } from "../state/record.js";
import type { Engine } from "./engine.js";
import type { ToolTask } from "./options.js";
import { refuseCall } from "./quotas.js";
import type { Run } from "./run.js";

/**
 * Stores the task of a call. Loaded when the first call becomes one.
 *
 * @param run without it, the task is for the queue
 * @param wantedMs how long the client wants the task to be kept
 * @throws {McpError} `limit-exceeded`: the store has as many tasks of the client as it may have; `connection-closed`: no
 *   process would run the task; the reason of the signal: no client would learn the id
 */
export async function newTask(
  engine: Engine,
  run: Run | undefined,
  context: HandlerContext,
  params: object,
  task: ToolTask,
  wantedMs: number,
): Promise<TaskRecord> {
  if (context.signal.aborted) throw context.signal.reason as Error;
  const request = storedRequest(context, params);
  const owner = request.principal;
  const { keepMs = 3_600_000, waitMs = 86_400_000, pollMs = 1000 } = engine.options;
  const tool = (params as { readonly name: string }).name;
  const quota = engine.quotas.exceededBy(await engine.store.usage?.(owner));
  if (engine.refused(quota, owner, tool)) await refuseCall(quota!);
  const id = await (await engine.ids).make(owner);
  const now = engine.now();
  const dueAt = now + engine.leaseMs;
  const record: TaskRecord = {
    id,
    owner,
    version: 1,
    status: "working",
    ...(task.immediate !== undefined && { message: task.immediate }),
    ...run?.note,
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
    onRestart: task.onRestart ?? "fail",
    request,
    // Until the task has a result.
    size: JSON.stringify(request.params).length,
    ...(run ? { journal: run.journal(), lease: { run: run.name, until: dueAt } } : { queued: 1 }),
  };
  const isStranded = (): boolean => run !== undefined && engine.isClosed;
  if (!isStranded()) {
    await engine.store.create(record);
    if (!isStranded()) return record;
    await engine.store.remove(id, record.version);
  }
  throw new McpError("connection-closed", "the server is closing");
}
