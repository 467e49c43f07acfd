import type { BatchAnswers, BatchConnection, Batches } from "./model.js";

// JSON-RPC batches (2025-03-26, basic, batching), as a server receives them.

export const batches: Batches = {
  nested: "a batch holds no batches",
  initialize: "initialize is never part of a batch",
  problem,
  receive,
};

function problem(messages: readonly unknown[], kindOf: BatchConnection["kindOf"]): string | undefined {
  if (messages.length === 0) return "the batch is empty";
  const ids = new Set<unknown>();
  for (const message of messages) {
    if (kindOf(message) !== "request") continue;
    const { id } = message as { readonly id: unknown };
    // An id may be as long as the body.
    if (ids.has(id)) return `two requests of the batch have the id ${JSON.stringify(id).slice(0, 60)}`;
    ids.add(id);
  }
  return undefined;
}

function receive(messages: readonly unknown[], { kindOf, send, dispatch, refuse }: BatchConnection): void {
  const whole = problem(messages, kindOf);
  if (whole !== undefined) return refuse(whole);
  const open = messages.filter((message) => isAnswered(kindOf(message))).length;
  const answers = send && new Answers(open, send);
  for (const message of messages) {
    const kind = kindOf(message);
    if (kind === "batch") refuse(batches.nested, undefined, answers);
    else if (kind === "request" && isInitialize(message)) refuse(batches.initialize, message.id, answers);
    else dispatch(message, answers);
  }
}

/** Whether the server answers a message of this kind: a request or an invalid message. */
function isAnswered(kind: unknown): boolean {
  return kind !== "notification" && kind !== "response";
}

function isInitialize(request: unknown): request is { readonly id: number | string } {
  return (request as { readonly method: string }).method === "initialize";
}

/** Collects the answers to one batch, and sends them as one array. */
class Answers implements BatchAnswers {
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
    this.dropAnswer();
  }

  dropAnswer(): void {
    if (--this.#open === 0 && this.#texts.length > 0) this.#send(`[${this.#texts.join(",")}]`);
  }
}
