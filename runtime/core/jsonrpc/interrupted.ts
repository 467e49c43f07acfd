import { McpError } from "./errors.js";
import { isObject } from "./message.js";

/**
 * The request was sent, and it is unknown whether the server processed it. `data.interrupted` is true.
 *
 * @param status of the response, if the server ended it in order
 */
export function interrupted(message: string, cause?: unknown, status?: number): McpError {
  const data = { interrupted: true, ...(status === undefined ? {} : { status }) };
  return new McpError("connection-closed", message, { data, cause });
}

export function isInterrupted(error: unknown): boolean {
  return error instanceof McpError && isObject(error.data) && error.data["interrupted"] === true;
}
