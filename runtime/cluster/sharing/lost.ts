import { McpError } from "@mcpgen/runtime";
import { rpc } from "@mcpgen/runtime/extending";

/** The process that an answer or a stream belongs to is gone, or the answer itself. */
export function lostError(code: "node-lost" | "answer-lost", message: string): McpError {
  return new McpError("internal-error", message, { rpcCode: rpc.internalError, data: { code } });
}
