import { type Rules, checkOptions, invalid } from "../options/option-check.js";
import { isObject } from "../jsonrpc/message.js";
import type { CacheHints } from "./prepared.js";
import type { ServerOptions } from "./server.js";

const rules: Rules<ServerOptions> = {
  revisions: "array",
  speaks: "array",
  instructions: "string",
  capabilities: "object",
  pageSize: "anything",
  cache: { ttlMs: "amount", cacheScope: ["public", "private"] } satisfies Rules<CacheHints>,
  stateKeys: "array",
  stateStore: "object",
  changes: "object",
  wrongArguments: ["error", "result"],
  timeouts: { timeout: "amount", totalTimeout: "amount" },
  clock: "object",
  onWarning: "function",
  onError: "function",
};

/** Looks at what a server is made of. @throws {McpError} `invalid-definition` */
export function checkServerOptions(info: unknown, options: unknown): void {
  if (!isObject(info) || typeof info["name"] !== "string" || typeof info["version"] !== "string")
    throw invalid('info: expected { name: "…", version: "…" } as the first argument.');
  if (!isObject(options) || options["revisions"] === undefined)
    throw invalid(
      "options: expected { revisions: serverRevisions }, with serverRevisions of @mcpgen/protocol/server. Functions of @mcpgen/runtime/all need no revisions.",
    );
  checkOptions(options, rules);
}
