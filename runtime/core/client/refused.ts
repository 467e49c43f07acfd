import type { RevisionView } from "../protocol/revision-view.js";
import { McpError, rpc } from "../jsonrpc/errors.js";
import { isObject } from "../jsonrpc/message.js";

/** The status of HTTP by which a request was refused, whether or not a message came with it. */
export function statusOf(error: unknown): number | undefined {
  if (!(error instanceof McpError)) return undefined;
  // What the server put into an error of its own is no status.
  const { code, data, cause } = error;
  if (code !== "connection-closed") return statusOf(cause);
  return isObject(data) && typeof data["status"] === "number" ? data["status"] : undefined;
}

/** Whether a refusal by HTTP is for the moment: the same request may be answered later. */
export function isPassing(status: number | undefined): boolean {
  if (status === undefined) return false;
  return status === 408 || status === 429 || (status >= 500 && status !== 501 && status !== 505);
}

/**
 * Whether servers refuse by it what they cannot read, as those of one era do with what is said in the other
 * (2026-07-28, Streamable HTTP, backward compatibility): not for want of authorization, nor for the moment.
 */
export function isMisunderstood(status: number | undefined): boolean {
  if (status === undefined || status < 400 || status >= 500) return false;
  return status !== 401 && status !== 403 && status !== 407 && !isPassing(status);
}

/**
 * Whether a modern request was refused as servers do that know the legacy era alone: with HTTP, and without an error
 * that modern ones send (2026-07-28, versioning, compatibility matrix).
 */
export function isOfAnotherEra(error: McpError, { era, table }: RevisionView<"client">): boolean {
  if (era !== "modern" || !isMisunderstood(statusOf(error))) return false;
  const { rpcCode } = error;
  if (rpcCode === undefined || rpcCode === table.errors["UNSUPPORTED_PROTOCOL_VERSION"]?.code) return true;
  return !modernCodes.has(rpcCode) && Object.values(table.errors).every(({ code }) => code !== rpcCode);
}

/** Codes of JSON-RPC by which modern servers say that a request was read, and is wrong. */
const modernCodes: ReadonlySet<number> = new Set([rpc.methodNotFound, rpc.invalidParams, rpc.internalError]);
