import { McpError, messageOf, rpc } from "../peer/errors.js";
import { type RequestId, errorText, isObject } from "../peer/message.js";
import { interrupted } from "./interrupted.js";
import { textWithin } from "./limit.js";

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
 * The message by which a body answers the request `id`. An error without an id is one, too: it came on the
 * request's exchange.
 *
 * @throws {McpError} `connection-closed`: it is none; `data` has what came
 */
export function answerIn({ status, ok }: Response, type: string, text: string, id: RequestId): string {
  const message = type === "application/json" ? parsed(text) : undefined;
  const error = isObject(message) && isObject(message["error"]) ? message["error"] : undefined;
  const answers = isObject(message)
    ? ok || typeof error?.["code"] === "number"
    : Array.isArray(message) && ok;
  if (answers) {
    const anonymous = error !== undefined && ((message as { id?: unknown }).id ?? null) === null;
    return anonymous ? errorText(id, error as never) : text;
  }
  const what = text === "" ? "" : `: ${text.slice(0, 200)}`;
  throw new McpError("connection-closed", `the server answered ${status}${what}`, {
    data: { status, body: text.slice(0, 1000) },
  });
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

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
