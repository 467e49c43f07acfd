// Replaces `stdio` on platforms that cannot start programs: the `workerd` and `browser` conditions of the package
// choose it.
import { McpError } from "@mcpgen/base";

/** @throws {McpError} `spawn-failed`, always */
export function parseStdioSource(): never {
  throw new McpError("spawn-failed", "this platform starts no programs: connect to a URL, or over a channel");
}

/** @throws {McpError} `spawn-failed`, always */
export function stdioClientChannel(): never {
  return parseStdioSource();
}
