import { McpError } from "../peer/errors.js";
import { isObject } from "../peer/message.js";

/** The request was sent, and nobody knows whether it was done: `data.interrupted` says so to programs. */
export function interrupted(message: string, cause?: unknown): McpError {
  return new McpError("connection-closed", message, { data: { interrupted: true }, cause });
}

export function isInterrupted(error: unknown): boolean {
  return error instanceof McpError && isObject(error.data) && error.data["interrupted"] === true;
}
