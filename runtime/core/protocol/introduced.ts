import type { ClientCapabilities, Implementation } from "@mcpgen/protocol/authoring";
import { invalidParams } from "../jsonrpc/errors.js";
import type { Params } from "../jsonrpc/message.js";
import { weightOf } from "../jsonrpc/weight.js";

/** Bytes that a client's capabilities and description may take in memory. */
const mostDeclared = 65_536;

/** Bytes of a description that is kept as it is. */
const mostInfo = 16_384;

/** Of a longer one: members that are kept, and characters of their texts. */
const mostMembers = 8;
const longestText = 1024;

/** What a client says of itself in a handshake, as far as it is kept with the session. */
export interface Introduced {
  readonly clientCapabilities: ClientCapabilities;
  readonly clientInfo: Implementation;
  /** Bytes it takes in memory. */
  readonly weight: number;
}

/** @throws {McpError} `invalid-params`: the capabilities take more than 64 KiB in memory */
export function introduced(params: Params): Introduced {
  const clientCapabilities = params["capabilities"] as ClientCapabilities;
  const clientInfo = shortened(params["clientInfo"] as Params) as unknown as Implementation;
  const weight = weightOf([clientCapabilities, clientInfo], mostDeclared);
  if (weight > mostDeclared)
    throw invalidParams(`params.capabilities: they take more than ${mostDeclared} bytes in memory`);
  return { clientCapabilities, clientInfo, weight };
}

/** A description is for display. One that is long, with icons in it say, loses its long members. */
function shortened(info: Params): Params {
  if (weightOf(info, mostInfo) <= mostInfo) return info;
  const kept = Object.entries(info).flatMap(([key, value]) => {
    const short = typeof value === "string" ? value.slice(0, longestText) : value;
    return weightOf([key, short], 4 * longestText) <= 4 * longestText ? [[key, short] as const] : [];
  });
  // A slice would keep the whole text in memory.
  return JSON.parse(JSON.stringify(Object.fromEntries(kept.slice(0, mostMembers)))) as Params;
}
