import { type ErrorCode, McpError, rpc } from "../jsonrpc/errors.js";
import { type Params, type ResponseMessage, isObject } from "../jsonrpc/message.js";

/** The response to a request. */
export interface ServerResponse extends ResponseMessage {
  /** The error of the HTTP response that carried it, if its status was not a success. */
  readonly refusal?: Error;
}

/**
 * The error of a response, as one to throw. Members of it may be missing.
 *
 * @param params of the request, if it may have named a resource
 */
export function remoteError(method: string, response: ServerResponse, params?: Params): McpError {
  const error: Record<string, unknown> = isObject(response.error) ? response.error : {};
  const { code, message, data } = error;
  return new McpError(
    codeFor(code, data, params),
    `${method}: ${typeof message === "string" ? message : "the server answered with an error without a message"}`,
    { rpcCode: typeof code === "number" ? code : undefined, data, cause: response.refusal },
  );
}

/** The code of servers up to 2025-11-25 for a resource that does not exist; later ones may send it (resources, error handling). */
const resourceNotFound = -32002;

/** "Invalid params" means a missing resource if the error repeats the URI of the request (2026-07-28, resources, error handling). */
function codeFor(code: unknown, data: unknown, params: Params | undefined): ErrorCode {
  if (code === rpc.methodNotFound) return "method-not-found";
  if (params && code === resourceNotFound) return "resource-not-found";
  const names = typeof params?.["uri"] === "string" && isObject(data) && typeof data["uri"] === "string";
  return names && code === rpc.invalidParams ? "resource-not-found" : "remote-error";
}

/** The HTTP status that refused a request, with or without a JSON-RPC message. */
export function httpStatusOf(error: unknown): number | undefined {
  if (!(error instanceof McpError)) return undefined;
  const { code, data, cause } = error;
  // `data` of any other code comes from the server's error object.
  if (code !== "connection-closed") return httpStatusOf(cause);
  return isObject(data) && typeof data["status"] === "number" ? data["status"] : undefined;
}

/** Whether an HTTP status is temporary: the same request may succeed later. */
export function isTransient(status: number | undefined): boolean {
  if (status === undefined) return false;
  return status === 408 || status === 429 || (status >= 500 && status !== 501 && status !== 505);
}

/**
 * Whether an HTTP status means that the server cannot read the request. Servers of one era answer requests of the other era
 * with such a status (2026-07-28, Streamable HTTP, backward compatibility). Authorization errors and temporary errors do
 * not count.
 */
export function isMisunderstood(status: number | undefined): boolean {
  if (status === undefined || status < 400 || status >= 500) return false;
  return status !== 401 && status !== 403 && status !== 407 && !isTransient(status);
}
