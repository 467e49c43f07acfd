import { McpError } from "@mcpgen/runtime";
import { rateLimitedCode } from "@mcpgen/runtime/extending";
import type { Engine } from "./engine.js";
import type { Quotas } from "./quotas.js";

// Errors of quotas. Loaded when a client exceeds one.

/** The error for a call that cannot become a task. */
export function quotaExceeded(quota: keyof Quotas): McpError {
  return new McpError("limit-exceeded", `the client has as many tasks as it may have (quotas.${quota})`, {
    rpcCode: -32600,
    data: { limit: `quotas.${quota}` },
  });
}

/** Refuses a poll that came too early. @throws {McpError} `rate-limited` */
export function refusePoll(engine: Engine, id: string, owner: string, retryAfterMs: number): never {
  const limit = "quotas.earlyPolls";
  engine.report("refused", { id, owner, tool: "", reason: limit });
  throw new McpError("rate-limited", `the next poll of the task is allowed in ${retryAfterMs} ms`, {
    rpcCode: rateLimitedCode,
    data: { limit, retryAfterMs },
  });
}
