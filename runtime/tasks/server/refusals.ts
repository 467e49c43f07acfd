import { McpError } from "@mcpgen/runtime";
import { insufficientScopeCode, rateLimitedCode } from "@mcpgen/base";
import type { TaskEvent } from "../state/advance.js";
import { type TaskRecord, internal } from "../state/record.js";
import type { Reporter } from "./events.js";
import type { ReachedLimit } from "./quotas.js";

// Errors about quotas and permissions. Loaded when first needed.

/** Refuses a call that cannot become a task. @throws {McpError} `limit-exceeded` */
export function refuseCall(limit: ReachedLimit): never {
  throw new McpError("limit-exceeded", `the client has as many tasks as it may have (${limit})`, {
    rpcCode: -32600,
    data: { limit },
  });
}

/** Makes the error for a change of a task for which the store has no room, and reports it. */
export function growthRefused(report: Reporter, { id, owner, tool }: TaskRecord): McpError {
  const limit: ReachedLimit = "limits.memory";
  report("refused", { id, owner, tool, reason: limit });
  return new McpError("limit-exceeded", `the tasks of the client have no room for more (${limit})`, {
    rpcCode: -32600,
    data: { limit },
  });
}

/** Makes the failure of a task for whose result or effect the store has no room. */
export function failureFor(
  { name, outcome }: { readonly name: string; readonly outcome: TaskEvent | undefined },
  { data }: McpError,
): TaskEvent {
  const { limit } = data as { readonly limit: string };
  const what = outcome?.type === "completed" ? "the result" : outcome ? "what the task keeps" : "an effect";
  return { type: "failed", run: name, error: internal(`${what} is too large (${limit})`, limit) };
}

/** Makes the failure of a task whose result or error is longer than allowed. */
export function tooLong({ type }: TaskEvent, run: string, most: number): TaskEvent {
  const what = type === "completed" ? "result" : "error";
  const error = internal(`the ${what} has more than ${most} characters`, "limits.memory");
  return { type: "failed", run, error };
}

/** Reports and refuses a poll that came too early. @throws {McpError} `rate-limited` */
export function refusePoll(report: Reporter, id: string, owner: string, retryAfterMs: number): never {
  const limit = "pollMs";
  report("refused", { id, owner, tool: "", reason: limit });
  throw new McpError("rate-limited", `the next poll of the task is allowed in ${retryAfterMs} ms`, {
    rpcCode: rateLimitedCode,
    data: { limit, retryAfterMs },
  });
}

/** Reports and refuses a request whose token may not read a task. @throws {McpError} `invalid-request` */
export function refuseScopes(report: Reporter, { id, owner, tool, scopes = [] }: TaskRecord): never {
  report("refused", { id, owner, tool, reason: "scopes" });
  const data = { error: "insufficient_scope", scope: scopes.join(" ") };
  const text = "the token lacks scopes that the call of the task needed";
  throw new McpError("invalid-request", text, { rpcCode: insufficientScopeCode, data });
}
