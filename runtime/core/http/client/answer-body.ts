import { McpError, messageOf, rpc } from "../../jsonrpc/errors.js";
import { type ErrorObject, type RequestId, errorText, isObject } from "../../jsonrpc/message.js";
import { interrupted } from "../../jsonrpc/interrupted.js";
import { textWithin } from "./limit.js";
import { refusal } from "./refusal.js";

/** What HTTP itself says of these is more than an error that answers no request. */
const saidByStatus: ReadonlySet<number> = new Set([401, 429, 503]);

/**
 * The whole body of an answer.
 *
 * @throws {McpError} `message-too-long`, `connection-closed`
 */
export async function bodyOf(response: Response, limit: number): Promise<string> {
  try {
    return await textWithin(response, limit);
  } catch (error) {
    throw error instanceof McpError ? error : interrupted(`the answer broke off: ${messageOf(error)}`, error);
  }
}

/**
 * The message by which a body answers the request `id`. An error that names another request, or none, is one, too:
 * it came on the request's exchange. Of what was refused, the body tells more than its type does (2026-07-28,
 * Streamable HTTP, backward compatibility).
 *
 * @throws {McpError} `connection-closed`: it is none; `data` has what came
 */
export function answerIn(response: Response, type: string, text: string, id: RequestId): string {
  const { ok, status } = response;
  const messages = listed(type === "application/json" || !ok ? parsed(text) : undefined);
  if (messages.some((each) => answers(each, id, ok))) return text;
  const stray = saidByStatus.has(status) ? undefined : strayError(messages);
  if (stray) return errorText(id, stray);
  throw refusal(response, text, ok ? ", and not the request" : "");
}

/** The error that answers a request on whose stream it came last, though it names another one, or none. */
export function strayErrorIn(text: string): ErrorObject | undefined {
  return strayError(listed(parsed(text)));
}

/** The code of the error that a body is, if it is one. */
export function errorCodeOf(text: string): number | undefined {
  const message = parsed(text);
  const error = isObject(message) ? message["error"] : undefined;
  return isObject(error) && typeof error["code"] === "number" ? error["code"] : undefined;
}

/** Whether the body of a 404 says that the session is gone, rather than what the request did not find. */
export function tellsOfSession(text: string, id: RequestId): boolean {
  const message = parsed(text);
  if (!isObject(message) || !isObject(message["error"]) || message["id"] !== id) return true;
  return errorCodeOf(text) !== rpc.methodNotFound;
}

/** Batches of answers exist at 2025-03-26. */
function listed(body: unknown): readonly unknown[] {
  return Array.isArray(body) ? body : [body];
}

function answers(message: unknown, id: RequestId, ok: boolean): boolean {
  if (!isObject(message) || message["id"] !== id || message["method"] !== undefined) return false;
  return ok || isError(message["error"]);
}

function strayError(messages: readonly unknown[]): ErrorObject | undefined {
  for (const message of messages) {
    if (!isObject(message) || message["jsonrpc"] !== "2.0" || message["method"] !== undefined) continue;
    if (isError(message["error"])) return message["error"];
  }
  return undefined;
}

function isError(value: unknown): value is ErrorObject {
  return isObject(value) && typeof value["code"] === "number";
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
