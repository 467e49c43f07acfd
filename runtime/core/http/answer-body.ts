import { rpc } from "../peer/errors.js";
import { type RequestId, isObject } from "../peer/message.js";

/** Whether a body is an answer: any response of JSON-RPC where the status is good, an error where it is not. */
export function answers(text: string, ok: boolean): boolean {
  const message = parsed(text);
  if (!isObject(message)) return Array.isArray(message) && ok;
  return ok || errorCodeOf(text) !== undefined;
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
