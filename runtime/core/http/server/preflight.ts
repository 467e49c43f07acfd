import type { HeaderSource } from "@mcpgen/protocol/model";
import type { Server } from "../../server/server.js";
import { corsHeaders } from "./access.js";
import type { Exchange } from "./exchange.js";
import { paramHeadersOf, paramPrefix } from "../../protocol/param-headers.js";

/**
 * Headers of Streamable HTTP that mirror no member of a message and so stand in no table (2025-11-25, sessions,
 * resumability).
 */
const transportHeaders = ["Accept", "Authorization", "Content-Type", "Last-Event-ID", "Mcp-Session-Id"];

/**
 * Answers a CORS preflight. A preflight is answered only with the tool headers it asked for: the caller is not
 * authenticated yet.
 */
export function preflight(exchange: Exchange, server: Server): void {
  const asked = exchange.header("access-control-request-headers") ?? "";
  const names = new Set(asked.split(",").map((name) => name.trim().toLowerCase()));
  const allowed = requestHeaders(server).filter(
    (name) => !name.startsWith(paramPrefix) || names.has(name.toLowerCase()),
  );
  exchange.reply(204, {
    ...corsHeaders(exchange),
    "access-control-allow-methods": "POST, GET, DELETE",
    "access-control-allow-headers": allowed.join(", "),
    "access-control-max-age": "600",
  });
}

/** All headers a client may send: those of the served revisions and those the tools declare. Gateways use it, too. */
export function requestHeaders(server: Server): string[] {
  const names = new Map(transportHeaders.map((name) => [name.toLowerCase(), name]));
  const add = (name: string): void => void names.set(name.toLowerCase(), name);
  for (const { table } of server.definition.revisions) {
    const sources = [
      ...table.headers,
      ...[...table.incomingRequests.values()].flatMap(({ headers = [] }) => headers),
    ];
    for (const { header } of sources as HeaderSource[]) add(header);
  }
  for (const { definition } of server.features.tools.entries.values())
    for (const { name } of paramHeadersOf(definition.inputSchema).headers) add(name);
  return [...names.values()].sort();
}
