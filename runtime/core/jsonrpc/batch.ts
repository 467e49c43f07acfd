import { type RequestId, isRequest } from "./message.js";

export const batchesUnsupported = "batches are not supported";
export const nestedBatch = "a batch holds no batches";
export const initializeInBatch = "initialize is never part of a batch";

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

/**
 * Collects the answers to one JSON-RPC batch and sends them as one array (JSON-RPC 2.0, batch; 2025-03-26, basic,
 * batching).
 */
export class Batch {
  readonly #texts: string[] = [];
  #open: number;
  readonly #send: (text: string) => void;

  /** @param open the number of messages that get an answer */
  constructor(open: number, send: (text: string) => void) {
    this.#open = open;
    this.#send = send;
  }

  answer(text: string): void {
    this.#texts.push(text);
    this.#settle();
  }

  /** One of its requests was cancelled and gets no answer. */
  dropAnswer(): void {
    this.#settle();
  }

  #settle(): void {
    if (--this.#open === 0 && this.#texts.length > 0) this.#send(`[${this.#texts.join(",")}]`);
  }
}
