import { type HandlerContext, McpError } from "@mcpgen/runtime";
import { principalOf } from "@mcpgen/runtime/extending";
import type { TaskRecord } from "../state/record.js";
import type { Engine } from "./engine.js";

/** Characters of an id that a client made up, in events. */
const shownId = 64;

export function wrongParams(message: string): McpError {
  return new McpError("invalid-params", message, { rpcCode: -32602 });
}

/**
 * The task of an id.
 *
 * @param isPoll the request counts as a poll
 * @throws {McpError} `invalid-params`: this client has no such task; `rate-limited`: the poll came too early
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
  if (wait !== undefined) return (await import("./refusals.js")).refusePoll(engine, id, owner, wait);
  const record = isKnown ? await engine.store.read(id) : undefined;
  // A task of another client, one that has expired and one that never was are refused in the same words.
  if (record?.owner !== owner) {
    engine.report("refused", { id: id.slice(0, shownId), owner, tool: "", reason: "unknown" });
    throw wrongParams("there is no such task");
  }
  return record;
}
