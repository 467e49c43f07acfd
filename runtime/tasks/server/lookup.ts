import { type HandlerContext, McpError } from "@mcpgen/runtime";
import type { TaskRecord } from "../state/record.js";
import type { Engine } from "./engine.js";
import { mayRead, principalOf } from "./request.js";

/** Characters of an id that a client made up, in events. */
const shownId = 64;

export function wrongParams(message: string): McpError {
  return new McpError("invalid-params", message, { rpcCode: -32602 });
}

/**
 * Whether a request may read a task: its token may have fewer rights than the token of the call had.
 *
 * @param answers whether a denial answers the request
 */
export function isReadable(
  { tool, scopes = [] }: TaskRecord,
  context: HandlerContext,
  answers: boolean,
): boolean | Promise<boolean> {
  return mayRead(context, tool, scopes, answers);
}

/**
 * The task of an id.
 *
 * @param isPoll the request counts as a poll
 * @throws {McpError} `invalid-params`: this client has no such task; `rate-limited`: the poll came too early; `invalid-request`:
 *   the token lacks scopes that the call of the task needed
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
  // After a restart, this may be the first look at the store.
  if (!engine.local) await (await import("./shared-store.js")).prepareStore(engine);
  const record = isKnown ? await engine.store.read(id) : undefined;
  // A task of another client, one that has expired and one that never was are refused in the same words.
  if (record?.owner !== owner) {
    engine.report("refused", { id: id.slice(0, shownId), owner, tool: "", reason: "unknown" });
    throw wrongParams("there is no such task");
  }
  if (await isReadable(record, context, true)) return record;
  return (await import("./refusals.js")).refuseScopes(engine.report, record);
}
