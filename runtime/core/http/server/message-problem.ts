import { type RequestId, type RequestMessage, idOf, isObject, isRequestId } from "../../jsonrpc/message.js";
import type { ServerConnection } from "../../server/connection.js";

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
  if (isBatch && !session.connection.session?.spoken.table.batches) return noBatches;
  const problem = isBatch ? batchProblem(messages) : messageProblem(messages[0]);
  if (problem !== undefined) return problem;
  for (const message of messages) {
    const id = idOfRequest(message);
    if (id !== undefined && session.streamOf(id)) return "a request of this id is being answered";
  }
  return undefined;
}

export const noBatches = "batches are not supported";

/** Why a batch cannot be taken, whatever else is being answered (JSON-RPC 2.0, batch). */
export function batchProblem(messages: readonly unknown[]): string | undefined {
  if (messages.length === 0) return "the batch is empty";
  const ids = new Set<RequestId>();
  for (const message of messages) {
    const problem = Array.isArray(message) ? "a batch holds no batches" : messageProblem(message);
    if (problem !== undefined) return problem;
    const id = idOfRequest(message);
    if (id !== undefined && ids.has(id)) return `two requests of the batch have the id ${shown(id)}`;
    if (id !== undefined) ids.add(id);
  }
  return undefined;
}

/** The beginning of an id, which may be as long as a body. */
function shown(id: RequestId): string {
  return JSON.stringify(id).slice(0, 60);
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
