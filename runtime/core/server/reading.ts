import type { Batch } from "../jsonrpc/batch.js";
import {
  batchProblem,
  batchesUnsupported,
  classify,
  initializeInBatch,
  isRequest,
  nestedBatch,
} from "../jsonrpc/classify.js";
import { invalidRequest } from "../jsonrpc/errors.js";
import {
  type NotificationMessage,
  type RequestMessage,
  type ResponseMessage,
  idOf,
} from "../jsonrpc/message.js";
import type { ServerConnection } from "./connection.js";

/**
 * Reads one parsed message and dispatches it. A value that is not a JSON-RPC message is answered with an error.
 *
 * @param batch the batch that contains the message
 */
export function readMessage(connection: ServerConnection, message: unknown, batch?: Batch): void {
  const kind = classify(message);
  if (kind === "request") return connection.request(message as RequestMessage, undefined, batch);
  if (kind === "notification") return connection.notified(message as NotificationMessage);
  if (kind === "response") return connection.answered(message as ResponseMessage);
  const problem = kind === "batch" ? nestedBatch : kind.problem;
  connection.refuse(idOf(message), invalidRequest(problem), batch);
}

/** Reads a JSON-RPC batch (2025-03-26, basic, batching). Its responses are sent as one batch. */
export function readBatch(connection: ServerConnection, messages: readonly unknown[]): void {
  const problem = connection.session?.spoken.table.batches ? batchProblem(messages) : batchesUnsupported;
  if (problem !== undefined) return connection.refuse(undefined, invalidRequest(problem));
  const batch = connection.gather(messages.filter(isAnswered).length);
  for (const message of messages) {
    if (isRequest(message) && message.method === "initialize")
      connection.refuse(message.id, invalidRequest(initializeInBatch), batch);
    else readMessage(connection, message, batch);
  }
}

/** Whether a message of a batch gets a response: requests and invalid messages do. */
function isAnswered(message: unknown): boolean {
  const kind = classify(message);
  return kind !== "notification" && kind !== "response";
}
