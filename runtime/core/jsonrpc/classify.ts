import { type RequestId, type RequestMessage, isObject, isRequestId } from "./message.js";

/** Why a value is not a JSON-RPC message. */
export interface Problem {
  readonly problem: string;
}

export type MessageKind = "request" | "notification" | "response" | "batch";

// A body may hold millions of wrong messages: a problem costs no allocation.
const notJsonRpc: Problem = { problem: "not a JSON-RPC 2.0 message" };
const wrongId: Problem = { problem: "the id of a request is a string or an integer" };
const noKind: Problem = { problem: "neither a request, a notification nor a response" };

export const batchesUnsupported = "batches are not supported";
export const nestedBatch = "a batch holds no batches";
export const initializeInBatch = "initialize is never part of a batch";

/**
 * Classifies a parsed value by JSON-RPC 2.0. Parameters, results and the parts of a batch are not checked.
 *
 * @returns a problem, if the value is neither a message nor an array
 */
export function classify(value: unknown): MessageKind | Problem {
  if (Array.isArray(value)) return "batch";
  if (!isObject(value) || value["jsonrpc"] !== "2.0") return notJsonRpc;
  if (typeof value["method"] === "string") {
    if (!("id" in value)) return "notification";
    return isRequestId(value["id"]) ? "request" : wrongId;
  }
  return "result" in value || "error" in value ? "response" : noKind;
}

export function isRequest(value: unknown): value is RequestMessage {
  return classify(value) === "request";
}

/** Why a batch is refused as a whole: it is empty, or two of its responses could not be distinguished. */
export function batchProblem(messages: readonly unknown[]): string | undefined {
  if (messages.length === 0) return "the batch is empty";
  const ids = new Set<RequestId>();
  for (const message of messages) {
    if (!isRequest(message)) continue;
    const { id } = message;
    // An id may be as long as the body.
    if (ids.has(id)) return `two requests of the batch have the id ${JSON.stringify(id).slice(0, 60)}`;
    ids.add(id);
  }
  return undefined;
}
