import { type AnswerContext, type Client, McpError } from "@mcpgen/runtime";
import { ExtendedClient } from "@mcpgen/runtime/extending";
import type { TaskState } from "./form.js";

/** Maximum number of answers to one task. */
const mostAnswers = 1000;

/** Answers of a client to the requests of one task, by key. */
export interface Answers {
  readonly given: Record<string, object>;
  /** Keys of answers that the server has not acknowledged. */
  readonly unsent: Set<string>;
}

/** The functions and state for answering one task. */
interface Answering {
  readonly answers: Answers;
  readonly signal: AnswerContext["signal"];
  /** Stores the answers; called before they are sent. */
  readonly store: () => void | Promise<void>;
  /** Sends answers. Resolves with whether the server has accepted them. */
  readonly send: (answers: { readonly [key: string]: object }) => Promise<boolean>;
}

/**
 * Answers the requests of a task that have no answer yet (2026-07-28, tasks extension).
 *
 * @returns whether the server has accepted answers
 * @throws {McpError} `limit-exceeded`, or the error of a handler
 */
export async function answerInput(
  client: Client,
  requests: NonNullable<TaskState["inputRequests"]>,
  { answers: { given, unsent }, signal, store, send }: Answering,
): Promise<boolean> {
  const keys = Object.keys(requests);
  const fresh = keys.filter((key) => !Object.hasOwn(given, key));
  if (fresh.length > 0 && Object.keys(given).length >= mostAnswers)
    throw new McpError("limit-exceeded", `the task asks for more than ${mostAnswers} answers`);
  const asked = Object.fromEntries(fresh.map((key) => [key, requests[key]!]));
  Object.assign(given, await new ExtendedClient(client).answers(asked as never, signal));
  for (const key of fresh) unsent.add(key);
  const sent = keys.filter((key) => unsent.has(key));
  if (sent.length === 0) return false;
  // Store before sending: if the process ends in between, the user need not answer again.
  if (fresh.length > 0) await store();
  const isTaken = await send(Object.fromEntries(sent.map((key) => [key, given[key]!])));
  if (isTaken) for (const key of sent) unsent.delete(key);
  return isTaken;
}
