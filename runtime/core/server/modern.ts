import type { ClientCapabilities, Implementation } from "@mcpgen/protocol/authoring";
import { McpError, invalidParams, rpc } from "../jsonrpc/errors.js";
import { type Message, isObject } from "../jsonrpc/message.js";
import { askInRounds } from "./rounds.js";
import type { ServerDefinition } from "./server-definition.js";
import type { ServerEra, RequestProtocol } from "./request-protocol.js";
import { isLogLevel, metaKeys } from "../protocol/meta.js";

/** Whether a message states its revision in `_meta` (2026-07-28, versioning). */
export function isModern(message: Message): boolean {
  const meta = "params" in message ? message.params?._meta : undefined;
  return isObject(meta) && (metaKeys.protocolVersion in meta || metaKeys.clientCapabilities in meta);
}

/**
 * Reads the protocol of a request from its `_meta`.
 *
 * @throws {McpError} `unsupported-version`, `invalid-params`
 */
export function modernProtocol(definition: ServerDefinition, message: Message): RequestProtocol {
  const meta = ("params" in message ? message.params?._meta : undefined) ?? {};
  const version = meta[metaKeys.protocolVersion];
  if (typeof version !== "string") throw missing(metaKeys.protocolVersion);
  const revision = definition.modern.find(({ id }) => id === version);
  if (!revision) throw unsupportedVersion(definition, version);
  const capabilities = meta[metaKeys.clientCapabilities];
  if (!isObject(capabilities)) throw missing(metaKeys.clientCapabilities);
  const level = meta[metaKeys.logLevel];
  if (level !== undefined && !isLogLevel(level))
    throw invalidParams(`_meta: there is no log level ${JSON.stringify(level)}`);
  return {
    era: modernServer,
    revision,
    clientCapabilities: capabilities as ClientCapabilities,
    clientInfo: meta[metaKeys.clientInfo] as Implementation | undefined,
    logLevel: level,
  };
}

/** Characters of an unsupported version that its error repeats. */
const versionLimit = 64;

/** The error for a revision that the server does not serve (2026-07-28, versioning, negotiation). */
export function unsupportedVersion(definition: ServerDefinition, version: unknown): McpError {
  const requested = typeof version === "string" ? version.slice(0, versionLimit) : undefined;
  const supported = definition.revisions.map(({ id }) => id);
  const newest = definition.revisions[0]!;
  return new McpError(
    "unsupported-version",
    `protocol version ${JSON.stringify(requested)} is not supported; supported: ${supported.join(", ")}`,
    {
      rpcCode: newest.errorCode("UNSUPPORTED_PROTOCOL_VERSION"),
      data: { supported, requested },
    },
  );
}

function missing(key: string): McpError {
  return invalidParams(`params._meta: ${key} is missing or malformed`);
}

/** Each request states its protocol (2026-07-28). */
export const modernServer: ServerEra = {
  finish(result, entry, hints, definition, resultType = "complete") {
    // Other result types need members that a handler cannot supply.
    if (result["resultType"] !== undefined && result["resultType"] !== resultType)
      throw new McpError("internal-error", "the server failed to answer", {
        rpcCode: rpc.internalError,
        cause: `a handler's result has the resultType ${JSON.stringify(result["resultType"])}; use context.ask`,
      });
    return {
      resultType,
      ...(entry.cacheable ? hints : {}),
      ...result,
      _meta: { [metaKeys.serverInfo]: definition.info, ...result._meta },
    };
  },
  ask: askInRounds,
};
