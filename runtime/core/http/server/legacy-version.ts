import { unsupportedVersion } from "../../server/modern.js";
import type { RevisionView } from "../../protocol/revision-view.js";
import { invalidRequest } from "../../jsonrpc/errors.js";
import { idOf } from "../../jsonrpc/message.js";
import type { ServerDefinition } from "../../server/server-definition.js";
import type { Exchange } from "./exchange.js";
import { replyError } from "./http-error.js";

/** What a request without the header speaks, where nothing else tells (2025-11-25, protocol version header). */
const assumedVersion = "2025-03-26";

/** The revision that the header names, or that is assumed without it; nothing if it is not served. */
export function versionOf(
  exchange: Exchange,
  legacy: readonly RevisionView<"server">[],
): RevisionView<"server"> | undefined {
  const version = exchange.header("mcp-protocol-version");
  const found = legacy.find(({ id }) => id === (version ?? assumedVersion));
  return version === undefined ? (found ?? legacy.at(-1)) : found;
}

const date = /^\d{4}-\d\d-\d\d$/;

/**
 * Refuses what names a revision that is not served: with the error that lists those which are, where the name could
 * be one (2026-07-28, versioning, negotiation).
 */
export function replyUnsupportedVersion(
  exchange: Exchange,
  definition: ServerDefinition,
  message: unknown,
): void {
  const version = exchange.header("mcp-protocol-version") ?? "";
  const error = unsupportedVersion(definition, version);
  replyError(exchange, 400, idOf(message), date.test(version) ? error : invalidRequest(error.message));
}
