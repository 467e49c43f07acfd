import type * as platform from "../platform/platform.js";
import type { Params } from "../jsonrpc/message.js";
import type { Clock } from "../time/clock.js";
import type { Client } from "./client.js";
import { limitExceeded } from "./client-profile.js";
import { decode, isAccepted } from "./decode.js";
import type { AnswerContext, AnsweringContext, Progressed } from "./middleware.js";
import {
  answerServer,
  asReady,
  capabilitiesOf,
  errorBody,
  reportFailure,
  resultText,
  shown,
} from "./server-messages.js";

export { asReady };

/**
 * Answers requests of the server that came in a result of an extension, with the handlers of the client: as those of a round.
 *
 * @param requests by key
 * @returns the answers by key
 * @throws {McpError} `limit-exceeded`: they are more than `limits.maxRoundQuestions`
 */
export async function answersFor(
  { answers, limits, view }: Client,
  requests: { readonly [key: string]: { readonly method: string; readonly params?: Params } },
  signal: platform.AbortSignal,
): Promise<{ readonly [key: string]: object }> {
  const asked = Object.entries(requests);
  const most = limits.maxRoundQuestions;
  if (asked.length > most) {
    answers.hooked.hooks.emit({ type: "limit-hit", limit: "limits.maxRoundQuestions" });
    const text = `the server asks ${asked.length} questions at once; at most ${most} are answered`;
    throw limitExceeded(text, "maxRoundQuestions", most);
  }
  const given = asked.map(async ([key, request]) => {
    const context = { signal, method: request.method, progress: () => {} };
    return [key, JSON.parse(await answerServer(answers, view, request, context)) as object] as const;
  });
  return Object.fromEntries(await Promise.all(given));
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
export async function resultAs({ answers, view }: Client, method: string, result: object): Promise<object> {
  const entry = view.table.outgoingRequests.get(method)!;
  const decoded = isAccepted(entry, result)
    ? result
    : (await decode(view, method, { entry, result }, answers.hooked)).result;
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
export function functionsOf({ answers }: Client): ReturnType<typeof capabilitiesOf> {
  return capabilitiesOf(answers.handlers);
}

// What follows is for middleware of a client, which answers a request of the server while its handler runs on.

/** Whether the revision of a request of the server has another one. */
export function hasServerRequest(context: AnswerContext, method: string): boolean {
  return (context as AnsweringContext).protocol.revision.table.incomingRequests.has(method);
}

/**
 * Lets a handler run on after the answer to its request: its progress is sent, too.
 *
 * @param meta of each notification of progress
 * @returns resolves when the answer is sent, or the server has cancelled the request
 */
export function outlast(context: AnswerContext, meta: object, progressed: Progressed): Promise<void> {
  return (context as AnsweringContext).outlast(meta as Params, progressed);
}

/** Aborts the signal of a handler. */
export function stopAnswer(context: AnswerContext, reason: Error): void {
  (context as AnsweringContext).stop(reason);
}

/**
 * What a handler returned, in the words of the request's revision.
 *
 * @throws {McpError} it is no result of the method
 */
export function loweredAnswer(context: AnswerContext, result: object): object {
  const { method, protocol } = context as AnsweringContext;
  return JSON.parse(resultText(protocol.revision, method, result)) as object;
}

/** The JSON-RPC error for what a handler threw. Reports it as the client does, unless the signal of the handler has aborted. */
export function answerError(
  { answers }: Client,
  context: AnswerContext,
  thrown: unknown,
): ReturnType<typeof errorBody> {
  const { method, signal } = context;
  if (!signal.aborted) reportFailure(answers, { method }, thrown);
  return errorBody(shown(answers, thrown));
}
