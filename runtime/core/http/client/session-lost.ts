import { McpError } from "../../jsonrpc/errors.js";

/** The server did not take a request, for it does not know the session any more. */
export function sessionLost(): McpError {
  return new McpError("session-lost", "the server has forgotten the session");
}
