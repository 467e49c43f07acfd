import { isObject, isRequestId } from "../peer/message.js";

/** Why what was posted is no message: neither a request, a notification nor a response (JSON-RPC 2.0). */
export function messageProblem(message: unknown): string | undefined {
  if (!isObject(message) || message["jsonrpc"] !== "2.0") return "not a JSON-RPC 2.0 message";
  if (!("method" in message))
    return "result" in message || "error" in message
      ? undefined
      : "neither a request, a notification nor a response";
  if (typeof message["method"] !== "string") return "the method is a string";
  if ("id" in message && !isRequestId(message["id"]))
    return "the id of a request is a string or an integer of 53 bits";
  return undefined;
}
