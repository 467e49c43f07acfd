import type { Params } from "@mcpgen/base";

// What each connection states in the messages that a bridge passes on.

const serverInfo = "io.modelcontextprotocol/serverInfo";
export const subscriptionId = "io.modelcontextprotocol/subscriptionId";

/** Members of `_meta` that state the client of one connection. */
const ofConnection: ReadonlySet<string> = new Set([
  "progressToken",
  subscriptionId,
  ...["protocolVersion", "clientInfo", "clientCapabilities", "logLevel"].map(
    (name) => `io.modelcontextprotocol/${name}`,
  ),
]);

/** A result without what only 2026-07-28 adds to it, unless it asks the client. */
export function withoutEnvelope(result: Params): Params {
  const { resultType, ttlMs: _, cacheScope: __, _meta, ...rest } = result;
  if (resultType === undefined || resultType === "input_required") return result;
  const { [serverInfo]: ___, ...kept } = _meta ?? {};
  return Object.keys(kept).length > 0 ? { ...rest, _meta: kept } : rest;
}

/** Params without the members of `_meta` that the next connection states itself. */
export function withoutClient(params: Params): Params {
  const { _meta, ...rest } = params;
  if (!_meta) return params;
  const kept = Object.entries(_meta).filter(([name]) => !ofConnection.has(name));
  return kept.length > 0 ? { ...rest, _meta: Object.fromEntries(kept) } : rest;
}
