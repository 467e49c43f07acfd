import { type RequestId, type RequestMessage, idOf, isObject, isRequestId } from "../peer/message.js";
import type { ServerConnection } from "../server/connection.js";

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

/** A session that messages are posted to. */
export interface Conversation {
  readonly connection: ServerConnection;
  /** Something, if a request of that id is being answered. */
  streamOf(id: RequestId): unknown;
}

/** Why the messages of one POST cannot be taken. */
export function postProblem(
  messages: readonly unknown[],
  isBatch: boolean,
  session: Conversation,
): string | undefined {
  if (isBatch && !session.connection.session?.spoken.table.batches) return "batches are not supported";
  if (messages.length === 0) return "the batch is empty";
  // What is alone has no other to share its id with, and nearly all are.
  const ids = isBatch ? new Set<RequestId>() : undefined;
  for (const message of messages) {
    const problem = messageProblem(message);
    if (problem !== undefined) return problem;
    const id = idOfRequest(message);
    if (id === undefined) continue;
    if (ids?.has(id) || session.streamOf(id)) return "a request of this id is being answered";
    ids?.add(id);
  }
  return undefined;
}

/** The ids of those that are requests. */
export function idsOfRequests(messages: readonly unknown[]): RequestId[] {
  const ids: RequestId[] = [];
  for (const message of messages) {
    const id = idOfRequest(message);
    if (id !== undefined) ids.push(id);
  }
  return ids;
}

function idOfRequest(message: unknown): RequestId | undefined {
  const request = message as Partial<RequestMessage>;
  return typeof request.method === "string" ? idOf(message) : undefined;
}
