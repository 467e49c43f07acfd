import type { Spoken } from "../era/spoken.js";
import { idOf } from "../peer/message.js";
import type { Exchange } from "./exchange.js";
import { refuseInvalid } from "./refuse.js";

/** What a request without the header speaks, where nothing else tells (2025-11-25, protocol version header). */
const assumedVersion = "2025-03-26";

/** The revision that the header names, or that is assumed without it; nothing if it is not served. */
export function versionOf(
  exchange: Exchange,
  legacy: readonly Spoken<"server">[],
): Spoken<"server"> | undefined {
  const version = exchange.header("mcp-protocol-version");
  const found = legacy.find(({ id }) => id === (version ?? assumedVersion));
  return version === undefined ? (found ?? legacy.at(-1)) : found;
}

export function refuseVersion(exchange: Exchange, legacy: readonly Spoken[], message: unknown): void {
  const version = JSON.stringify(exchange.header("mcp-protocol-version"));
  const served = legacy.map(({ id }) => id).join(", ");
  refuseInvalid(
    exchange,
    400,
    `MCP-Protocol-Version ${version} is not supported here; supported: ${served}`,
    idOf(message),
  );
}
