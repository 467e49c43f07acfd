import type { ClientCapabilities, ElicitResult, ListRootsResult } from "@mcpgen/protocol/authoring";
import { encodeBytes } from "../protocol/binary-content.js";
import { contentProblem, formProblem, messagesProblem } from "../protocol/input-requests.js";
import {
  type Asked,
  invalid,
  invalidParams,
  type Judge,
  type Judged,
  McpError,
  isMcpError,
  isObject,
  messageOf,
  type Names,
  type Params,
  requireKnown,
} from "@mcpgen/base";
import { changingName, refusal } from "../protocol/error-table.js";
import { declares, requestParams } from "../protocol/revision-view.js";
import type { Ask, AskOptions, AskedRequest, AskedResults, Elicited } from "./context.js";
import { type AskFacts, askThrough } from "./middleware.js";
import type { RequestContext } from "./request.js";
import { type AskedBefore, newRounds, Suspended } from "./rounds.js";
import type { RequestProtocol, SendAsk } from "./server-definition.js";

const askOptions: Names<AskOptions> = { timeout: 0, totalTimeout: 0, checkAnswers: 0 };

/** Makes the functions of `Ask`. Both eras check capabilities and parameters first, and the result afterwards. */
export function askWith(context: RequestContext): Ask {
  const used = new Set<string>();
  const sent = async (
    key: string,
    asked: Asked,
    options?: AskOptions,
    pick?: (answer: never) => unknown,
  ): Promise<unknown> => {
    // Answers are stored by key: a second ask under the same key would get the answer of the first.
    if (used.has(key)) throw invalid(`two asks have the key ${JSON.stringify(key)}: number those of a loop`);
    used.add(key);
    requireKnown(options ?? {}, askOptions);
    const facts = { context, answered: context.rounds?.answers.has(key) === true };
    const send = context.sendAsk ?? context.protocol.era.sendAsk;
    const { checkAnswers = true, ...limits } = options ?? {};
    const answer = await askClient(JSON.stringify(key), facts, asked, {
      send: (wanted, judge) => send(context, { key, asked: wanted, judge }, options && limits),
      checkAnswers,
    });
    return pick ? pick(answer as never) : answer;
  };
  const request = <Answer = Params>(...given: Parameters<typeof sent>): Promise<Answer> =>
    withHandledRejection(sent(...given) as Promise<Answer>);
  return {
    elicit: (key: string, form: object, options?: AskOptions) =>
      request<Elicited<never>>(
        key,
        { method: "elicitation/create", params: { mode: "form", ...form } },
        options,
      ),
    url: (key, page, options) =>
      request(
        key,
        { method: "elicitation/create", params: { ...page, mode: "url" } },
        options,
        ({ action }: ElicitResult) => ({ action }),
      ),
    sample: (key, params, options) =>
      request(key, { method: "sampling/createMessage", params: params as unknown as Params }, options),
    roots: (key, options) =>
      request(key, { method: "roots/list" }, options, ({ roots }: ListRootsResult) => roots),
    request: (key, asked, options) => request(key, asked as Asked, options),
    all: <R extends { readonly [key: string]: AskedRequest }>(requests: R, options?: AskOptions) => {
      const entries = Object.entries(requests).map(
        async ([key, asked]) => [key, await request(key, asked as Asked, options)] as const,
      );
      const answers = Promise.all(entries).then(Object.fromEntries);
      return withHandledRejection(answers as Promise<unknown> as Promise<AskedResults<R>>);
    },
  };
}

/** A handler may await only one of several asks: rejections of the others must not count as unhandled. */
function withHandledRejection<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

/** The sender of a request to the client: an open request, or a session. */
type Asking = Pick<RequestContext, "connection" | "protocol"> & Partial<Pick<RequestContext, "rounds">>;

/**
 * Runs the middleware around a request to the client. Checks the request before it is sent, and its result, unless `checkAnswers`
 * is `false`.
 *
 * @param name the name of the request in errors
 * @throws {McpError} `missing-capability`, `invalid-params`, `invalid-result`; `invalid-definition`: the schema of a
 *   library does not describe a form
 */
export async function askClient(
  name: string,
  facts: AskFacts & { readonly context: Asking },
  asked: Asked,
  sending: Omit<Sending, "parse">,
): Promise<Params> {
  const { connection, protocol, rounds } = facts.context;
  const { ask, hooks } = connection.definition;
  return ask(name, asked, async (wanted, parse) => {
    const encoding = encodeBytes(wanted.params);
    if (encoding) rounds?.encoding.push(encoding);
    const sent = encoding ? { ...wanted, params: (await encoding)! } : wanted;
    return askThrough(hooks, facts, sent, (last) => {
      if (sending.checkAnswers) return judged(protocol, name, last, { parse, ...sending });
      requireCapability(protocol, last);
      return sending.send(last);
    });
  });
}

interface Sending {
  /** Sends a request to the client; an answer is judged before anything of the handler runs on. */
  readonly send: (asked: Asked, judge?: Judge) => Promise<Params>;
  readonly checkAnswers: boolean;
  /** Parses the content of a form whose schema comes from a library. @throws {McpError} `invalid-result` */
  readonly parse: ((content: unknown) => Promise<unknown>) | undefined;
}

async function judged(
  protocol: RequestProtocol,
  name: string,
  asked: Asked,
  { send, parse }: Sending,
): Promise<Params> {
  requireCapability(protocol, asked);
  const problem = problemOf(asked);
  if (problem !== undefined) throw new McpError("invalid-params", `ask ${name}: ${problem}`);
  const { method, params = {} } = asked;
  const isForm = (action: unknown): boolean =>
    method === "elicitation/create" && params["mode"] !== "url" && action === "accept";
  const judge: Judge = async ({ action, content = {} }) => {
    if (!isForm(action)) return;
    const wrong = contentProblem(params["requestedSchema"], content);
    if (wrong !== undefined)
      throw new McpError("invalid-result", `the client's answer to ${name} is refused: ${wrong}`);
    await parse?.(content);
  };
  const answer = await send(asked, judge);
  await judge(answer);
  return isForm(answer["action"]) ? { ...answer, content: answer["content"] ?? {} } : answer;
}

/** @throws {McpError} `missing-capability`: the client has not declared what a request needs */
export function requireCapability(protocol: RequestProtocol, asked: Asked): void {
  const missing = missingCapabilityOf(asked, protocol);
  if (missing) throw missingCapability(protocol, missing);
}

/** Path of the capability that a request needs and the client has not declared. */
function missingCapabilityOf(
  { method, params = {} }: Asked,
  { clientCapabilities: declared, revision }: RequestProtocol,
): readonly string[] | undefined {
  if (method === "elicitation/create") return missingElicitationMode(params, declared);
  const { of, path = [], parts } = revision.table.outgoingRequests.get(method)?.capability ?? {};
  if (method === "sampling/createMessage") {
    const { sampling } = declared;
    const { includeContext = "none" } = params;
    if ((params["tools"] ?? params["toolChoice"]) !== undefined && !sampling?.tools)
      return [...path, "tools"];
    // Up to 2025-06-18, `sampling` includes `context`: only later revisions declare the part.
    if (includeContext !== "none" && parts?.includes("context") && !sampling?.context)
      return [...path, "context"];
  }
  return of === "server" || declares(declared, path) ? undefined : path;
}

/** An empty `elicitation` declares form mode (2025-11-25, elicitation, capabilities). */
function missingElicitationMode(
  { mode }: Params,
  { elicitation }: ClientCapabilities,
): readonly string[] | undefined {
  const isGiven = mode === "url" ? elicitation?.url : elicitation && (elicitation.form ?? !elicitation.url);
  return isGiven ? undefined : ["elicitation", mode === "url" ? "url" : "form"];
}

function problemOf({ method, params = {} }: Asked): string | undefined {
  try {
    JSON.stringify(params);
  } catch (error) {
    return `it cannot be sent as JSON: ${messageOf(error)}`;
  }
  if (method === "sampling/createMessage") return messagesProblem(params["messages"]);
  if (method === "elicitation/create" && params["mode"] !== "url")
    return formProblem(params["requestedSchema"]);
  return undefined;
}

/** The error for a capability that the client has not declared (2026-07-28, basic, `_meta`), or cannot use. */
export function missingCapability(protocol: RequestProtocol, path: readonly string[]): McpError {
  const names = path.join(".");
  const name = "MISSING_REQUIRED_CLIENT_CAPABILITY";
  const known = protocol.revision.table.errors[name];
  const problem =
    protocol.unasked === undefined
      ? `the client has not declared the capability ${names}`
      : `the client cannot be asked for ${names}: ${protocol.unasked}`;
  const requiredCapabilities = path.reduceRight((inner, key) => ({ [key]: inner }), {});
  const error = new McpError("missing-capability", problem, known && { data: { requiredCapabilities } });
  return refusal(protocol.revision, name, error, names);
}

/** URL mode requires an `elicitationId` (2025-11-25, elicitation). */
export function withElicitationId<Given extends Params | undefined>(params: Given): Given {
  return params?.["mode"] === "url" ? { elicitationId: crypto.randomUUID(), ...params } : params;
}

/**
 * Asks the client by a result that contains the request (2026-07-28, multi round-trip requests). The handler waits for the
 * answer, or runs again.
 *
 * @throws {McpError} `missing-capability`; `invalid-definition`: nothing can wait, and the handler may not run again
 */
export const askInResult: SendAsk = async (context, question, options) => {
  const { parking } = context.connection.definition;
  requireRounds(context, question.asked);
  if (context.rounds!.answers.has(question.key) || context.runsAgain) return answerOf(context, question);
  if (parking) return parking.ask((context.parked ??= parking.park(context)), question, options);
  throw invalid(
    "a handler cannot wait for its client here: let it run again for each answer (replay: true in its definition), or serve it from a process that waits (state.parking)",
  );
};

/** @throws {McpError} `missing-capability`: no result of the method asks for this */
function requireRounds({ entry, method, protocol }: RequestContext, asked: Asked): void {
  if (!protocol.revision.table.outgoingRequests.has(asked.method) || !entry.multiRoundTrip)
    throw new McpError("missing-capability", `${method} cannot ask for ${asked.method}`);
}

/**
 * Asks as `askInResult`, for a handler that runs again. Resolves with the answer, if the client has given it.
 *
 * @throws `Suspended`: it has not; the request is among those that the rounds want
 */
export async function answerOf(context: RequestContext, { key, asked, judge }: Judged): Promise<Params> {
  requireRounds(context, asked);
  const rounds = context.rounds!;
  const answer = rounds.answers.get(key);
  if (answer === undefined) {
    rounds.wanted.set(key, lowered(context, asked));
    if (!judge) (rounds.unjudged ??= new Set()).add(key);
    // Asks of the same turn join the round before the handler is suspended.
    await Promise.all(rounds.encoding);
    throw new Suspended();
  }
  return liftedAnswer(context, asked, await readAnswer(context, key, asked, answer));
}

/** Begins the key of a page that an error requires. */
const pageKey = "page ";

/**
 * Puts the pages that an error requires (2025-11-25, elicitation, URL elicitation required) into the round of a request, for a
 * client of 2026-07-28: when it has opened them, the handler runs again. A client that has declined one gets the error.
 *
 * @returns whether there is such a round
 * @throws {McpError} `missing-capability`: the client opens no pages
 */
export function asksForPages(context: RequestContext, error: McpError): boolean {
  if (!context.entry.multiRoundTrip || changingName(error) !== "URL_ELICITATION_REQUIRED") return false;
  const { elicitations: pages } = isObject(error.data) ? error.data : {};
  if (!Array.isArray(pages) || !pages.every(isObject) || pages.length === 0) return false;
  const rounds = (context.rounds ??= newRounds());
  const opened = [...rounds.answers].filter(([key]) => key.startsWith(pageKey));
  if (opened.some(([, { action }]) => action !== "accept")) return false;
  for (const [index, { elicitationId: _, ...page }] of pages.entries()) {
    const asked = { method: "elicitation/create", params: { ...page, mode: "url" } };
    rounds.wanted.set(`${pageKey}${opened.length + index + 1}`, toSend(context, asked, true));
  }
  return true;
}

/** Reads an answer to a request that is part of a result. @throws {McpError} `invalid-params` */
async function readAnswer(
  { connection, protocol: { revision } }: RequestContext,
  key: string,
  { method }: Pick<Asked, "method">,
  answer: unknown,
): Promise<Params> {
  const refused = (problem: string): McpError =>
    wrongAnswer(`the answer to ${JSON.stringify(key)} is not a result of ${method}: ${problem}`);
  const { result } = revision.table.outgoingRequests.get(method)!;
  return connection.read(revision, result!, answer as Params, method, refused);
}

function wrongAnswer(problem: string): McpError {
  return invalidParams(`inputResponses: ${problem}`);
}

/**
 * Reads an answer, and judges it before the handler that asked runs on.
 *
 * @returns the result in the authoring vocabulary
 * @throws {McpError} `invalid-params`
 */
export async function judgedAnswer(
  context: RequestContext,
  { key, asked, judge }: Judged,
  answer: unknown,
): Promise<Params> {
  const read = liftedAnswer(context, asked, await readAnswer(context, key, asked, answer));
  await judge?.(read).catch((error: unknown) => {
    throw isMcpError(error) ? wrongAnswer(error.message) : context.errorOf(error);
  });
  return read;
}

/**
 * Reads an answer, and judges it by the form in the state of a handler that runs again.
 *
 * @returns the result as the client sent it
 * @throws {McpError} `invalid-params`
 */
export async function sealedAnswer(
  context: RequestContext,
  key: string,
  asked: AskedBefore,
  answer: unknown,
): Promise<Params> {
  const read = await readAnswer(context, key, asked, answer);
  const { action, content = {} } = liftedAnswer(context, asked, read, false);
  const wrong =
    asked.requestedSchema === undefined || action !== "accept"
      ? undefined
      : contentProblem(asked.requestedSchema, content);
  if (wrong !== undefined)
    throw wrongAnswer(`the client's answer to ${JSON.stringify(key)} is refused: ${wrong}`);
  return read;
}

/**
 * A request as a result asks for it.
 *
 * @param isNew whether losses are reported
 * @throws {McpError} `missing-capability`, `not-expressible`
 */
export function toSend(context: RequestContext, asked: Asked, isNew: boolean): Asked {
  requireCapability(context.protocol, asked);
  return lowered(context, asked, isNew);
}

/**
 * The result of a request to the client in the authoring vocabulary.
 *
 * @param isNew whether losses are reported
 */
export function liftedAnswer(context: RequestContext, asked: Asked, result: Params, isNew?: boolean): Params {
  const { method, params } = asked;
  const sent = lowered(context, params ? { method, params: withElicitationId(params) } : asked, false);
  const request = requestParams(sent.params, params);
  return context.protocol.revision.lift("incomingResults", method, result, request, isNew);
}

/** @param isNew whether losses are reported */
function lowered(
  { protocol: { revision } }: RequestContext,
  { method, params }: Asked,
  isNew?: boolean,
): Asked {
  return params
    ? { method, params: revision.lower("outgoingRequests", method, params, undefined, isNew) }
    : { method };
}
