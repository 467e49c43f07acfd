import type { ClientCapabilities, ElicitResult, ListRootsResult } from "@mcpgen/protocol/authoring";
import { encodeBytes } from "../protocol/binary-content.js";
import { contentProblem, formProblem, messagesProblem } from "../protocol/input-requests.js";
import {
  invalid,
  invalidParams,
  McpError,
  messageOf,
  type Names,
  type Params,
  requireKnown,
} from "@mcpgen/base";
import { refusal } from "../protocol/error-table.js";
import { declares, requestParams } from "../protocol/revision-view.js";
import type { Ask, AskOptions, AskedRequest, AskedResults, Elicited } from "./context.js";
import { type AskFacts, askThrough } from "./middleware.js";
import type { RequestContext } from "./request.js";
import { type Asked, Suspended } from "./rounds.js";
import type { RequestProtocol } from "./server-definition.js";

const askOptions: Names<AskOptions> = { timeout: 0, totalTimeout: 0 };

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
    const answer = await askClient(JSON.stringify(key), facts, asked, (wanted) =>
      send(context, key, wanted, options),
    );
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
 * Runs the middleware around a request to the client. Checks the request before it is sent, and its result.
 *
 * @param name the name of the request in errors
 * @throws {McpError} `missing-capability`, `invalid-params`, `invalid-result`; `invalid-definition`: the schema of a
 *   library does not describe a form
 */
export async function askClient(
  name: string,
  facts: AskFacts & { readonly context: Asking },
  asked: Asked,
  send: (asked: Asked) => Promise<Params>,
): Promise<Params> {
  const { connection, protocol, rounds } = facts.context;
  const { ask, hooks } = connection.definition;
  return ask(name, asked, async (wanted) => {
    const encoding = encodeBytes(wanted.params);
    if (encoding) rounds?.encoding.push(encoding);
    const sent = encoding ? { ...wanted, params: (await encoding)! } : wanted;
    return askThrough(hooks, facts, sent, (last) => judged(protocol, name, last, send));
  });
}

async function judged(
  protocol: RequestProtocol,
  name: string,
  asked: Asked,
  send: (asked: Asked) => Promise<Params>,
): Promise<Params> {
  const missing = missingCapabilityOf(asked, protocol);
  if (missing) throw missingCapability(protocol, missing);
  const problem = problemOf(asked);
  if (problem !== undefined) throw new McpError("invalid-params", `ask ${name}: ${problem}`);
  const answer = await send(asked);
  const { method, params = {} } = asked;
  const { action, content = {} } = answer;
  if (method !== "elicitation/create" || params["mode"] === "url" || action !== "accept") return answer;
  const wrong = contentProblem(params["requestedSchema"], content);
  if (wrong !== undefined)
    throw new McpError("invalid-result", `the client's answer to ${name} is refused: ${wrong}`);
  return { ...answer, content };
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
 * Asks the client by a result that contains the request (2026-07-28, multi round-trip requests). Resolves with the answer, if the
 * client has given it.
 *
 * @throws `Suspended`: it has not; the request is among those that the rounds want
 */
export async function answerOf(context: RequestContext, key: string, asked: Asked): Promise<Params> {
  const rounds = context.rounds!;
  const { method } = asked;
  const entry = context.protocol.revision.table.outgoingRequests.get(method);
  if (!entry || !context.entry.multiRoundTrip)
    throw new McpError("missing-capability", `${context.method} cannot ask for ${method}`);
  const answer = rounds.answers.get(key);
  if (answer === undefined) {
    rounds.wanted.set(key, lowered(context, asked));
    // Asks of the same turn join the round before the handler is suspended.
    await Promise.all(rounds.encoding);
    throw new Suspended();
  }
  const { connection, protocol } = context;
  const result = await connection.read(protocol.revision, entry.result!, answer, method, (problem) =>
    invalidParams(
      `inputResponses: the answer to ${JSON.stringify(key)} is not a result of ${method}: ${problem}`,
    ),
  );
  return liftedAnswer(context, asked, result);
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
