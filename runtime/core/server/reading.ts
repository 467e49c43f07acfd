import type { Batch } from "../jsonrpc/batch.js";
import { invalidRequest } from "../jsonrpc/errors.js";
import {
  type NotificationMessage,
  type RequestId,
  type RequestMessage,
  type ResponseMessage,
  idOf,
  isObject,
  isRequestId,
} from "../jsonrpc/message.js";
import type { ServerConnection } from "./connection.js";

/**
 * Reads one parsed message and dispatches it. A value that is no JSON-RPC message is answered with an error.
 *
 * @param batch the batch that contains the message
 */
export function readMessage(connection: ServerConnection, message: unknown, batch?: Batch): void {
  if (!isObject(message) || message["jsonrpc"] !== "2.0")
    return connection.refuse(idOf(message), invalidRequest("not a JSON-RPC 2.0 message"), batch);
  if (typeof message["method"] === "string") {
    if (!("id" in message)) return connection.notified(message as unknown as NotificationMessage);
    if (isRequestId(message["id"]))
      return connection.request(message as unknown as RequestMessage, undefined, batch);
    const problem = "the id of a request is a string or an integer";
    return connection.refuse(undefined, invalidRequest(problem), batch);
  }
  if ("result" in message || "error" in message)
    return connection.answered(message as unknown as ResponseMessage);
  connection.refuse(idOf(message), invalidRequest("neither a request, a notification nor a response"), batch);
}

/** Reads a JSON-RPC batch (2025-03-26, basic, batching). Its responses are sent as one batch. */
export function readBatch(connection: ServerConnection, messages: readonly unknown[]): void {
  const refuse = (problem: string): void => connection.refuse(undefined, invalidRequest(problem));
  if (!connection.session?.spoken.table.batches) return refuse("batches are not supported");
  if (messages.length === 0) return refuse("the batch is empty");
  const twice = idTwice(messages);
  if (twice !== undefined)
    return refuse(`two requests of the batch have the id ${JSON.stringify(twice).slice(0, 60)}`);
  const batch = connection.gather(messages.filter(isAnswered).length);
  for (const message of messages) {
    if (isObject(message) && message["method"] === "initialize" && "id" in message)
      connection.refuse(idOf(message), invalidRequest("initialize is never part of a batch"), batch);
    else if (Array.isArray(message))
      connection.refuse(undefined, invalidRequest("a batch holds no batches"), batch);
    else readMessage(connection, message, batch);
  }
}

/** An id that two requests of a batch share: the client could not distinguish their responses. */
function idTwice(messages: readonly unknown[]): RequestId | undefined {
  const ids = new Set<RequestId>();
  for (const message of messages) {
    const id = isObject(message) && typeof message["method"] === "string" ? idOf(message) : undefined;
    if (id !== undefined && ids.has(id)) return id;
    if (id !== undefined) ids.add(id);
  }
  return undefined;
}

/** Whether a message of a batch gets a response: requests and invalid messages do. */
function isAnswered(message: unknown): boolean {
  if (!isObject(message) || message["jsonrpc"] !== "2.0") return true;
  if (typeof message["method"] === "string") return "id" in message;
  return !("result" in message || "error" in message);
}
