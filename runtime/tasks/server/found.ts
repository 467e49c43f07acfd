import { type HandlerContext, McpError } from "@mcpgen/runtime";
import { principalOf } from "@mcpgen/runtime/extending";
import type { TaskRecord } from "../state/record.js";
import type { Engine } from "./engine.js";

/** The task of an id. @throws {McpError} `invalid-params`: this client has no such task */
export async function found(engine: Engine, id: string, context: HandlerContext): Promise<TaskRecord> {
  const owner = principalOf(context);
  const isOwn = engine.ids.isOf(id, owner);
  const record = isOwn === true || (await isOwn) ? await engine.read(id) : undefined;
  // A task of another client, one that has expired and one that never was are refused in the same words.
  if (record?.owner !== owner)
    throw new McpError("invalid-params", "there is no such task", { rpcCode: -32602 });
  return record;
}
