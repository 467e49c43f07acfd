import { issuesText } from "../protocol/revision-view.js";
import { wallTimeOf } from "../time/clock.js";
import { invalidParams } from "../jsonrpc/errors.js";
import { type Params, type RequestMessage, isObject, isPromise, resultText } from "../jsonrpc/message.js";
import { type RequestContext, errorOf } from "./context.js";
import { SerialisedResult, unusableResult } from "./result.js";
import { type Rounds, openRounds, sealRounds } from "./rounds.js";

type Result = Params | SerialisedResult;

/** Checks a request, calls the handler of its method and sends the response. */
export function runRequest(context: RequestContext): void {
  const { entry, request } = context;
  if (!entry.accepts(request)) return settle(context, explain(context));
  if (entry.multiRoundTrip && isRetry(request)) return settle(context, resume(context));
  run(context);
}

/** Calls the handler. A handler that returns a plain result costs no promise. */
function run(context: RequestContext): void {
  let result: Result | Promise<Result>;
  try {
    result = call(context);
    // A thenable may call back twice, or throw: Promise.resolve guards against both.
    if (isPromise(result)) return settle(context, Promise.resolve(result));
  } catch (error) {
    return fail(context, error);
  }
  succeed(context, result);
}

function call(context: RequestContext): Result | Promise<Result> {
  const { method, params } = context.request;
  const lifted = context.protocol.revision.lift("incomingRequests", method, params ?? {});
  return context.connection.definition.handlers.get(method)!(lifted as never, context);
}

/** Responds when the result settles. Until then the client can cancel the request. */
function settle(context: RequestContext, result: Promise<Result>): void {
  context.connection.track(context);
  result.then(
    (value) => succeed(context, value),
    (error: unknown) => fail(context, error),
  );
}

/** Continues a multi round-trip request with the state and the answers that the client sends. */
async function resume(context: RequestContext): Promise<Result> {
  const { definition, principal } = context.connection;
  const now = wallTimeOf(definition.clock);
  context.rounds = await openRounds(context.request, definition.seal, principal, now, definition.states);
  return call(context);
}

function succeed(context: RequestContext, result: Result): void {
  const { connection, request, rounds } = context;
  if (context.over) return connection.abortedWorkEnded();
  if (rounds?.wanted.size) {
    connection.definition.warn(
      `${request.method}: the handler went on though an ask had no answer yet; its result is dropped`,
    );
    return suspend(context, rounds);
  }
  let text: string;
  try {
    text = textOf(context, result);
  } catch (error) {
    return fail(context, error);
  }
  connection.answer(context, resultText(request.id, text));
}

function textOf(context: RequestContext, result: Result): string {
  const { connection, protocol, request, entry } = context;
  const finished = (value: Params, hints = context.hints): string => {
    if (!isObject(value)) throw unusableResult(`the handler of ${request.method} gave no object`);
    const lowered = protocol.revision.lower("outgoingResults", request.method, value);
    return jsonOf(protocol.era.finish(lowered, entry, hints, connection.definition), request.method);
  };
  return result instanceof SerialisedResult
    ? result.text(protocol.revision, () => finished(result.value, result.hints))
    : finished(result);
}

/** Serialises a result. A `toJSON` of the result may return anything, even nothing. */
function jsonOf(result: Params, method: string): string {
  const text = JSON.stringify(result) as string | undefined;
  if (text?.startsWith("{") !== true)
    throw unusableResult(`the handler of ${method} gave what is no object as JSON`);
  return text;
}

function fail(context: RequestContext, thrown: unknown): void {
  const { connection, rounds } = context;
  if (context.over) return connection.abortedWorkEnded();
  if (rounds?.wanted.size) return suspend(context, rounds);
  context.report(thrown);
  connection.fail(context, errorOf(thrown));
}

/** Responds with the input requests of the handler (`input_required`). The client retries with another request. */
function suspend(context: RequestContext, rounds: Rounds): void {
  const { connection, request, protocol } = context;
  const { definition, principal } = connection;
  const inputRequests = Object.fromEntries(rounds.wanted);
  const textOfRound = (requestState: string): string => {
    const asking = { resultType: "input_required", inputRequests, requestState };
    const { cacheable: _, ...entry } = context.entry;
    return JSON.stringify(protocol.era.finish(asking, entry, context.hints, definition, asking.resultType));
  };
  void sealRounds(rounds, request, definition.seal, principal, wallTimeOf(definition.clock))
    .then(textOfRound)
    .then(
      (text) => {
        if (context.over) return connection.abortedWorkEnded();
        connection.answer(context, resultText(request.id, text));
      },
      (error: unknown) => {
        rounds.wanted.clear();
        fail(context, error);
      },
    );
}

/** Rejects with what is wrong with the parameters of a request. */
async function explain({ request, protocol, entry }: RequestContext): Promise<never> {
  const issues = await protocol.revision.issues(request, entry).catch(() => []);
  throw invalidParams(issuesText(issues, `not what ${request.method} takes`));
}

/** Whether a request carries the state or the answers of an earlier round. */
function isRetry({ params }: RequestMessage): boolean {
  return params?.["requestState"] !== undefined || params?.["inputResponses"] !== undefined;
}
