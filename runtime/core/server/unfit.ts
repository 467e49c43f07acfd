import { McpError, rpc } from "../peer/errors.js";

/** JavaScript lets handlers give what no type allows; the client gets this error in place of a result that is none. */
export function unfit(problem: string): McpError {
  return new McpError("internal-error", problem, { rpcCode: rpc.internalError });
}
