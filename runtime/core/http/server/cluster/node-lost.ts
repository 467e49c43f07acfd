import { McpError, rpc } from "../../../jsonrpc/errors.js";

/** The process that an answer or a stream belongs to is gone. */
export function nodeLost(message: string): McpError {
  return new McpError("internal-error", message, { rpcCode: rpc.internalError, data: { code: "node-lost" } });
}
