import { McpError, rpc } from "../peer/errors.js";
import { type ResponseMessage, isObject } from "../peer/message.js";

/** What answers a request. */
export interface Answer extends ResponseMessage {
  /** What HTTP said beside it, where that was a refusal. */
  readonly refusal?: Error;
}

/** The error that a response carries, as one to throw; some of it may be missing. */
export function remoteError(method: string, response: Answer): McpError {
  const error: Record<string, unknown> = isObject(response.error) ? response.error : {};
  const { code, message, data } = error;
  return new McpError(
    code === rpc.methodNotFound ? "method-not-found" : "remote-error",
    `${method}: ${typeof message === "string" ? message : "the server answered with an error that says nothing"}`,
    { rpcCode: typeof code === "number" ? code : undefined, data, cause: response.refusal },
  );
}
