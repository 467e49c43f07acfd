import { McpError, rpc } from "../jsonrpc/errors.js";

/**
 * The error for a result that a handler must not give. The client gets it in place of the result. It has no stack: the
 * stack would show the runtime, not the handler.
 */
export function unfit(problem: string): McpError {
  const error = new McpError("internal-error", problem, { rpcCode: rpc.internalError });
  delete error.stack;
  return error;
}
