import type { HandlerContext } from "@mcpgen/runtime";
import { storedRequest } from "@mcpgen/runtime/extending";
import type { TaskRecord } from "../state/record.js";
import type { Engine } from "./engine.js";
import type { ToolTask } from "./options.js";
import { refuseCall } from "./quotas.js";
import type { Run } from "./run.js";

/**
 * The record of a call that becomes a task. Loaded when the first one does.
 *
 * @param run without it, the task is for the queue
 * @param wantedMs how long the client wants the task to be kept
 * @throws {McpError} `limit-exceeded`: the store has as many tasks of the client as it may have
 */
export async function newTask(
  engine: Engine,
  run: Run | undefined,
  context: HandlerContext,
  params: object,
  task: ToolTask,
  wantedMs: number,
): Promise<TaskRecord> {
  const request = storedRequest(context, params);
  const owner = request.principal;
  const { keepMs = 3_600_000, waitMs = 86_400_000, pollMs = 1000 } = engine.options;
  const tool = (params as { readonly name: string }).name;
  const quota = engine.quotas.exceededBy(await engine.store.usage?.(owner));
  if (engine.refused(quota, owner, tool)) await refuseCall(quota!);
  const id = await (await engine.ids).make(owner);
  const now = engine.now();
  const dueAt = now + engine.leaseMs;
  return {
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
    ...(run ? { journal: run.journal(), lease: { run: run.name, until: dueAt } } : { queued: 1 }),
  };
}
