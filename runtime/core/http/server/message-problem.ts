import {
  batchProblem,
  batchesUnsupported,
  classify,
  isRequest,
  nestedBatch,
} from "../../jsonrpc/classify.js";
import type { RequestId } from "../../jsonrpc/message.js";
import type { ServerConnection } from "../../server/connection.js";

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
  const batches = session.connection.session?.revision.table.batches;
  const problem = isBatch ? wholeBatchProblem(messages, batches) : messageProblem(messages[0]);
  if (problem !== undefined) return problem;
  for (const message of messages)
    if (isRequest(message) && session.streamOf(message.id)) return "a request of this id is being answered";
  return undefined;
}

/** Why a value of a body is not a message. */
export function messageProblem(message: unknown): string | undefined {
  const kind = classify(message);
  if (kind === "batch") return nestedBatch;
  return typeof kind === "object" ? kind.problem : undefined;
}

/**
 * Why a batch cannot be taken: over HTTP, one wrong message is the answer to the whole body.
 *
 * @param supported whether the revision has batches
 */
export function wholeBatchProblem(
  messages: readonly unknown[],
  supported: boolean | undefined,
): string | undefined {
  if (!supported) return batchesUnsupported;
  for (const message of messages) {
    const problem = messageProblem(message);
    if (problem !== undefined) return problem;
  }
  return batchProblem(messages);
}

/** The ids of those that are requests. */
export function idsOfRequests(messages: readonly unknown[]): RequestId[] {
  return messages.filter(isRequest).map(({ id }) => id);
}
