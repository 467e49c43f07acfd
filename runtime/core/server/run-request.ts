import { issuesText } from "../protocol/revision-view.js";
import { wallTimeOf } from "../time/clock.js";
import { invalidParams } from "../jsonrpc/errors.js";
import { type Params, type RequestMessage, isObject, isPromise, resultText } from "../jsonrpc/message.js";
import type { ServerConnection } from "./connection.js";
import { type RequestContext, errorOf } from "./context.js";
import { SerialisedResult, unusableResult } from "./result.js";
import { type Rounds, openRounds, sealRounds } from "./rounds.js";

type Answer = Params | SerialisedResult;

/** Has a request answered that its revision knows and somebody handles. */
export function runRequest(connection: ServerConnection, context: RequestContext): void {
  const { entry, request } = context;
  if (!entry.accepts(request)) return wait(connection, context, explain(context));
  if (entry.multiRoundTrip && isRetry(request)) return wait(connection, context, resume(connection, context));
  run(connection, context);
}

/** Calls the handler; an answer that is there at once makes no promise. */
function run(connection: ServerConnection, context: RequestContext): void {
  let result: Answer | Promise<Answer>;
  try {
    result = call(connection, context);
    // What only looks like a promise may call back twice, or throw.
    if (isPromise(result)) return wait(connection, context, Promise.resolve(result));
  } catch (error) {
    return fail(connection, context, error);
  }
  answer(connection, context, result);
}

function call(connection: ServerConnection, context: RequestContext): Answer | Promise<Answer> {
  const { method, params } = context.request;
  const lifted = context.protocol.spoken.lift("incomingRequests", method, params ?? {});
  return connection.core.handlers.get(method)!(lifted as never, context);
}

function wait(connection: ServerConnection, context: RequestContext, result: Promise<Answer>): void {
  connection.keep(context);
  result.then(
    (value) => answer(connection, context, value),
    (error: unknown) => fail(connection, context, error),
  );
}

/** Takes a multi round-trip request up where its last round left it. */
async function resume(connection: ServerConnection, context: RequestContext): Promise<Answer> {
  const { core, principal } = connection;
  context.rounds = await openRounds(
    context.request,
    core.seal,
    principal,
    wallTimeOf(core.clock),
    core.states,
  );
  return call(connection, context);
}

function answer(connection: ServerConnection, context: RequestContext, result: Answer): void {
  if (context.over) return connection.settled();
  const { request, rounds } = context;
  if (rounds?.wanted.size) {
    connection.core.warn(
      `${request.method}: the handler went on though an ask had no answer yet; its result is dropped`,
    );
    return suspend(connection, context, rounds);
  }
  let text: string;
  try {
    text = textOf(connection, context, result);
  } catch (error) {
    return fail(connection, context, error);
  }
  connection.finish(context);
  connection.answer(context, resultText(request.id, text));
}

function textOf(connection: ServerConnection, context: RequestContext, result: Answer): string {
  const { protocol, request, entry } = context;
  const finished = (value: Params, hints = context.hints): string => {
    if (!isObject(value)) throw unusableResult(`the handler of ${request.method} gave no object`);
    const lowered = protocol.spoken.lower("outgoingResults", request.method, value);
    return jsonOf(protocol.era.finish(lowered, entry, hints, connection.core), request.method);
  };
  return result instanceof SerialisedResult
    ? result.text(protocol.spoken, () => finished(result.value, result.hints))
    : finished(result);
}

/** A result may say itself what it is as JSON (`toJSON`), which may be nothing. */
function jsonOf(result: Params, method: string): string {
  const text = JSON.stringify(result) as string | undefined;
  if (text?.startsWith("{") !== true)
    throw unusableResult(`the handler of ${method} gave what is no object as JSON`);
  return text;
}

function fail(connection: ServerConnection, context: RequestContext, thrown: unknown): void {
  if (context.over) return connection.settled();
  if (context.rounds?.wanted.size) return suspend(connection, context, context.rounds);
  const error = errorOf(thrown);
  context.report(thrown);
  connection.finish(context);
  connection.fail(context, error);
}

/** Answers with what the handler asked for; the request ends here, and its retry is another. */
function suspend(connection: ServerConnection, context: RequestContext, rounds: Rounds): void {
  const { core, principal } = connection;
  const inputRequests = Object.fromEntries(rounds.wanted);
  const { request, protocol } = context;
  const textOfRound = (requestState: string): string => {
    const asking = { resultType: "input_required", inputRequests, requestState };
    const { cacheable: _, ...entry } = context.entry;
    return JSON.stringify(protocol.era.finish(asking, entry, context.hints, core, asking.resultType));
  };
  void sealRounds(rounds, request, core.seal, principal, wallTimeOf(core.clock))
    .then(textOfRound)
    .then(
      (text) => {
        if (context.over) return connection.settled();
        connection.finish(context);
        connection.answer(context, resultText(request.id, text));
      },
      (error: unknown) => {
        rounds.wanted.clear();
        fail(connection, context, error);
      },
    );
}

/** Says what is wrong with a request that was refused. */
async function explain({ request, protocol, entry }: RequestContext): Promise<never> {
  const issues = await protocol.spoken.issues(request, entry).catch(() => []);
  throw invalidParams(issuesText(issues, `not what ${request.method} takes`));
}

/** Whether a request brings what an earlier round asked for. */
function isRetry({ params }: RequestMessage): boolean {
  return params?.["requestState"] !== undefined || params?.["inputResponses"] !== undefined;
}
