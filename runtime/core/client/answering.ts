import type { Clock, Params, platform } from "@mcpgen/base";
import type { Client } from "./client.js";
import { decode, isAccepted } from "./decode.js";
import { capabilitiesOf } from "./handlers.js";
import type { AnswerContext } from "./middleware.js";
import { type Progressed, type QuestionContext, type Questions, asReady, resultText } from "./questions.js";

export { asReady };

/**
 * Answers requests of the server that came in a result of an extension, with the handlers of the client: as those of a round.
 *
 * @param requests by key
 * @returns the answers by key
 * @throws {McpError} `limit-exceeded`: they are more than `limits.maxRoundQuestions`
 */
export function answersFor(
  { questions, view }: Client,
  requests: { readonly [key: string]: { readonly method: string; readonly params?: Params } },
  signal: platform.AbortSignal,
): Promise<{ readonly [key: string]: object }> {
  return questions.answerAll(view, requests, signal);
}

/** Whether the negotiated revision of a client has a request, extensions included. */
export function canRequest({ view }: Client, method: string): boolean {
  return view.table.outgoingRequests.has(method);
}

/**
 * Reads the result of another method, which the client has received, as that of a method of the revision.
 *
 * @throws {McpError} `invalid-result`
 */
export async function resultAs({ questions, view }: Client, method: string, result: object): Promise<object> {
  const entry = view.table.outgoingRequests.get(method)!;
  const decoded = isAccepted(entry, result)
    ? result
    : (await decode(view, method, { entry, result }, questions.hooked)).result;
  return view.lift("incomingResults", method, decoded, undefined, false);
}

/** What names the server of a client in another process, too: its URL without query, or else the name that it gives itself. */
export function endpointOf({ endpoint }: Client): string {
  return endpoint;
}

/** The clock of a client. */
export function clockOfClient({ clock }: Client): Clock {
  return clock;
}

/** The capabilities that follow from the functions of a client. */
export function functionsOf({ questions }: Client): ReturnType<typeof capabilitiesOf> {
  return capabilitiesOf(questions.handlers);
}

// What follows is for middleware of a client, which answers a request of the server while its handler runs on.

/** Whether the revision of a request of the server has another one. */
export function hasServerRequest(context: AnswerContext, method: string): boolean {
  return (context as QuestionContext).protocol.revision.table.incomingRequests.has(method);
}

/**
 * Lets a handler run on after the answer to its request: its progress is sent, too.
 *
 * @param meta of each notification of progress
 * @returns resolves when the answer is sent, or the server has cancelled the request
 */
export function outlast(context: AnswerContext, meta: object, progressed: Progressed): Promise<void> {
  return (context as QuestionContext).outlast(meta as Params, progressed);
}

/** Aborts the signal of a handler. */
export function stopAnswer(context: AnswerContext, reason: Error): void {
  (context as QuestionContext).stop(reason);
}

/**
 * What a handler returned, in the words of the request's revision.
 *
 * @throws {McpError} it is no result of the method
 */
export function loweredAnswer(context: AnswerContext, result: object): object {
  const { method, protocol } = context as QuestionContext;
  return JSON.parse(resultText(protocol.revision, method, result)) as object;
}

/** The JSON-RPC error for what a handler threw. Reports it as the client does, unless the signal of the handler has aborted. */
export function answerError(
  { questions }: Client,
  context: AnswerContext,
  thrown: unknown,
): ReturnType<Questions["errorBody"]> {
  const { method, signal } = context;
  if (!signal.aborted) questions.reportFailure({ method }, thrown);
  return questions.errorBody(thrown);
}
