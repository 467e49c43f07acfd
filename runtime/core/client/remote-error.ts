import { type ErrorCode, McpError, rpc } from "../jsonrpc/errors.js";
import { type Params, type ResponseMessage, isObject } from "../jsonrpc/message.js";

/** What answers a request. */
export interface Answer extends ResponseMessage {
  /** What HTTP said beside it, where that was a refusal. */
  readonly refusal?: Error;
}

/**
 * The error that a response carries, as one to throw; some of it may be missing.
 *
 * @param params of the request, where it may have named a resource
 */
export function remoteError(method: string, response: Answer, params?: Params): McpError {
  const error: Record<string, unknown> = isObject(response.error) ? response.error : {};
  const { code, message, data } = error;
  return new McpError(
    codeFor(code, data, params),
    `${method}: ${typeof message === "string" ? message : "the server answered with an error that says nothing"}`,
    { rpcCode: typeof code === "number" ? code : undefined, data, cause: response.refusal },
  );
}

/** Servers of 2024-11-05 to 2025-11-25 say so of a resource that does not exist; later ones may (resources, error handling). */
const resourceNotFound = -32002;

/** A wrong parameter is the URI where the request has one and the error repeats it (2026-07-28, resources, error handling). */
function codeFor(code: unknown, data: unknown, params: Params | undefined): ErrorCode {
  if (code === rpc.methodNotFound) return "method-not-found";
  if (params && code === resourceNotFound) return "resource-not-found";
  const names = typeof params?.["uri"] === "string" && isObject(data) && typeof data["uri"] === "string";
  return names && code === rpc.invalidParams ? "resource-not-found" : "remote-error";
}
