import type { OutgoingRequest } from "@mcpgen/protocol/model";
import type { RevisionView } from "../protocol/revision-view.js";
import { isMcpError, McpError, messageOf } from "../jsonrpc/errors.js";
import { type Params, isObject } from "../jsonrpc/message.js";
import { type AnswerSetup, answerServer } from "./server-messages.js";
import { invalidResult } from "./decode.js";
import { limitExceeded } from "./client-profile.js";
import type * as platform from "../platform/platform.js";

/** Most rounds of input for one request. */
const maxRounds = 10;

/** The dependencies of `throughRounds`. */
export interface RoundSetup {
  readonly answers: AnswerSetup;
  readonly maxRoundQuestions: number;
}

/**
 * Whether a result is a final one: its `resultType` is `complete`, absent, or that of an alternative which asks for nothing
 * (2026-07-28, `resultType`).
 */
export function isComplete(result: unknown, { resultTypes }: OutgoingRequest): boolean {
  if (!isObject(result)) return false;
  const { resultType } = result as Params;
  return (
    resultType === undefined ||
    resultType === "complete" ||
    resultTypes?.includes(resultType as string) === true
  );
}

/** A request that a server answers in rounds. */
interface RoundRequest {
  readonly view: RevisionView<"client">;
  readonly method: string;
  readonly entry: OutgoingRequest;
  readonly signal: platform.AbortSignal;
  /** Sends the request again with added parameters. */
  readonly send: (added: Params, signal: platform.AbortSignal) => Promise<unknown>;
  /** The first result. */
  readonly first: unknown;
}

/**
 * Answers the input requests of a server until the request is complete (2026-07-28, multi round-trip requests).
 *
 * @throws {McpError} `invalid-result`, `limit-exceeded`, or the error of a handler
 */
export async function throughRounds(
  setup: RoundSetup,
  { view, method, entry, signal, send, first }: RoundRequest,
): Promise<{ result: Params; rounds: number }> {
  let result = first;
  for (let rounds = 0; rounds <= maxRounds; rounds++) {
    if (!isObject(result)) throw invalidResult(method, "expected an object");
    if (isComplete(result, entry)) return { result, rounds };
    const type = result["resultType"];
    const asks = entry.alternatives?.some(({ key, value }) => key === "resultType" && value === type);
    if (!asks || !entry.multiRoundTrip)
      throw invalidResult(method, `its resultType ${JSON.stringify(type)} is unknown`);
    const answer: Answer = (request) =>
      answerServer(setup.answers, view, request, {
        signal,
        method: request.method,
        progress: noProgress,
      }).then(
        (text) => JSON.parse(text) as Params,
        (error: unknown) => {
          throw unanswered(method, request.method, error);
        },
      );
    result = await send(await answers(method, result, answer, setup), signal);
  }
  throw new McpError(
    "invalid-result",
    `${method}: the server asked for input ${maxRounds} times and is not done`,
  );
}

/** The error of a handler, as a coded error. */
function unanswered(method: string, asked: string, error: unknown): McpError {
  if (isMcpError(error)) return error;
  const text = `${method}: ${asked} was not answered: ${messageOf(error)}`;
  return new McpError("internal-error", text, { cause: error });
}

function noProgress(): void {
  // Input requests have no progress token.
}

type Answer = (request: { method: string; params?: Params }) => Promise<Params>;

async function answers(
  method: string,
  result: Params,
  answer: Answer,
  { maxRoundQuestions: most, answers: { hooked } }: RoundSetup,
): Promise<Params> {
  const { inputRequests } = result;
  // Some languages write absent members as null.
  const requestState = result["requestState"] ?? undefined;
  if ((inputRequests ?? requestState) === undefined)
    throw invalidResult(method, "it asks for input without inputRequests and without requestState");
  const requests = isObject(inputRequests) ? Object.entries(inputRequests) : [];
  if (requests.length > most) {
    hooked.hooks.emit({ type: "limit-hit", limit: "limits.maxRoundQuestions", method });
    throw limitExceeded(
      `${method}: the server asks ${requests.length} questions in one round; at most ${most} are answered`,
      "maxRoundQuestions",
      most,
    );
  }
  const answered = requests.map(async ([key, request]) => {
    if (!isObject(request) || typeof request["method"] !== "string")
      throw invalidResult(method, `inputRequests.${key} is not a request`);
    return [key, await answer(request as { method: string; params?: Params })] as const;
  });
  const inputResponses = Object.fromEntries(await Promise.all(answered));
  return {
    ...(requests.length === 0 ? {} : { inputResponses }),
    ...(requestState === undefined ? {} : { requestState }),
  };
}
