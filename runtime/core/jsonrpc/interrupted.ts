import { McpError } from "./errors.js";
import { isObject } from "./message.js";

/**
 * The request was sent, and nobody knows whether it was done: `data.interrupted` says so to programs.
 *
 * @param status of the response, where the server ended it in order
 */
export function interrupted(message: string, cause?: unknown, status?: number): McpError {
  const data = { interrupted: true, ...(status === undefined ? {} : { status }) };
  return new McpError("connection-closed", message, { data, cause });
}

export function isInterrupted(error: unknown): boolean {
  return error instanceof McpError && isObject(error.data) && error.data["interrupted"] === true;
}
