import type { HeaderSource } from "@mcpgen/protocol/model";
import type { RevisionView } from "../protocol/revision-view.js";
import { McpError, messageOf } from "../jsonrpc/errors.js";
import type { Params } from "../jsonrpc/message.js";
import { type ParamHeader, encodeHeaderValue, headerValue, valueAt } from "../protocol/param-headers.js";

/**
 * The headers that mirror a message (2026-07-28, Streamable HTTP, request metadata; before, the negotiated
 * revision alone).
 *
 * @param declared headers that the called tool declares for its parameters
 * @throws {McpError} `invalid-params`: a value that no header can carry
 */
export function mirrorHeaders(
  spoken: RevisionView<"client">,
  method: string,
  params: Params | undefined,
  declared: readonly ParamHeader[] = [],
): Record<string, string> {
  const { table } = spoken;
  const headers: Record<string, string> = {};
  const own = table.outgoingRequests.get(method)?.headers ?? [];
  for (const source of [...table.headers, ...own]) {
    const value = valueOf(source, spoken, { method, params });
    if (value !== undefined) headers[source.header] = encodeHeaderValue(value);
  }
  for (const { name, path } of declared) {
    try {
      const value = headerValue(valueAt(params?.["arguments"], path));
      if (value !== undefined) headers[name] = value;
    } catch (error) {
      throw new McpError("invalid-params", `arguments.${path.join(".")}: ${messageOf(error)}`);
    }
  }
  return headers;
}

/** A header without a source repeats the negotiated revision, which the request that negotiates has not got. */
function valueOf(
  { from }: HeaderSource,
  { id }: RevisionView,
  message: { readonly method: string; readonly params: Params | undefined },
): string | undefined {
  if (!from) return message.method === "initialize" ? undefined : id;
  const value = valueAt(message, from);
  return typeof value === "string" ? value : undefined;
}
