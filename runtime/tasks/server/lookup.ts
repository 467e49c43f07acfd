import { type HandlerContext, McpError } from "@mcpgen/runtime";
import type { TaskRecord } from "../state/record.js";
import type { Engine } from "./engine.js";
import { mayRead, principalOf } from "./request.js";

/** An unknown id is cut to this length in events. */
const shownId = 64;

export function wrongParams(message: string): McpError {
  return new McpError("invalid-params", message, { rpcCode: -32602 });
}

/**
 * Whether a request may read a task. Its token may have fewer rights than the token of the call.
 *
 * @param answers whether a denial is the answer to the request
 */
export function isReadable(
  { tool, scopes = [] }: TaskRecord,
  context: HandlerContext,
  answers: boolean,
): boolean | Promise<boolean> {
  return mayRead(context, tool, scopes, answers);
}

/**
 * Finds the task of an id.
 *
 * @param isPoll whether the request counts as a poll
 * @throws {McpError} `invalid-params`: this client has no such task; `rate-limited`: the poll came too early;
 *   `invalid-request`: the token lacks scopes that the task's call needed
 */
export async function found(
  engine: Engine,
  id: string,
  context: HandlerContext,
  isPoll = false,
): Promise<TaskRecord> {
  const owner = principalOf(context);
  const isKnown = await (await engine.ids).isOf(id, owner);
  const wait = isKnown && isPoll ? engine.polled(id) : undefined;
  if (wait !== undefined) return (await import("./refusals.js")).refusePoll(engine.report, id, owner, wait);
  // After a restart, this may be the first use of the store.
  if (!engine.local) await (await import("./shared-store.js")).prepareStore(engine);
  const record = isKnown ? await engine.store.read(id) : undefined;
  // The error is the same for a task of another client, an expired task and an unknown id.
  if (record?.owner !== owner) {
    engine.report("refused", { id: id.slice(0, shownId), owner, tool: "", reason: "unknown" });
    throw wrongParams("there is no such task");
  }
  if (await isReadable(record, context, true)) return record;
  return (await import("./refusals.js")).refuseScopes(engine.report, record);
}
